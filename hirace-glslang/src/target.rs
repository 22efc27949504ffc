//! Target environments.

use std::fmt;
use std::str::FromStr;

/// The environment that a shader is compiled for. It determines the version of SPIR-V.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum TargetEnvironment {
    /// Vulkan 1.0, SPIR-V 1.0.
    Vulkan1_0,
    /// Vulkan 1.1, SPIR-V 1.3.
    Vulkan1_1,
    /// Vulkan 1.2, SPIR-V 1.5.
    Vulkan1_2,
    /// Vulkan 1.3, SPIR-V 1.6.
    #[default]
    Vulkan1_3,
    /// Vulkan 1.4, SPIR-V 1.6.
    Vulkan1_4,
}

/// The error for a name that is not that of an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTarget(String);

impl fmt::Display for UnknownTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = TargetEnvironment::ALL.map(TargetEnvironment::name).join(", ");
        write!(f, "unknown target environment `{}`: use {known}", self.0)
    }
}

impl std::error::Error for UnknownTarget {}

impl TargetEnvironment {
    /// All environments.
    pub const ALL: [Self; 5] =
        [Self::Vulkan1_0, Self::Vulkan1_1, Self::Vulkan1_2, Self::Vulkan1_3, Self::Vulkan1_4];

    /// Returns the name, as `glslangValidator --target-env` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vulkan1_0 => "vulkan1.0",
            Self::Vulkan1_1 => "vulkan1.1",
            Self::Vulkan1_2 => "vulkan1.2",
            Self::Vulkan1_3 => "vulkan1.3",
            Self::Vulkan1_4 => "vulkan1.4",
        }
    }
}

impl FromStr for TargetEnvironment {
    type Err = UnknownTarget;

    fn from_str(name: &str) -> Result<Self, UnknownTarget> {
        let found = Self::ALL.into_iter().find(|target| target.name() == name);
        found.ok_or_else(|| UnknownTarget(name.to_owned()))
    }
}

impl fmt::Display for TargetEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

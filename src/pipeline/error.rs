//! What can go wrong.

use crate::NoLayout;
use std::fmt;

/// The result of whatever may fail on a device.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong.
#[derive(Clone, Debug)]
pub enum Error {
    /// The device, or wgpu, refuses it or failed at it.
    Device(hirace_gpu::Error),
    /// A value is of a type that no buffer holds.
    NoLayout(NoLayout),
    /// What is bound was bound for another pipeline.
    OtherPipeline,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Device(error) => error.fmt(f),
            Self::NoLayout(none) => none.fmt(f),
            Self::OtherPipeline => f.write_str(
                "what is bound was bound for another pipeline: bind it by the one that is dispatched",
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Device(error) => Some(error),
            Self::NoLayout(none) => Some(none),
            Self::OtherPipeline => None,
        }
    }
}

impl From<hirace_gpu::Error> for Error {
    fn from(error: hirace_gpu::Error) -> Self {
        Self::Device(error)
    }
}

impl From<NoLayout> for Error {
    fn from(none: NoLayout) -> Self {
        Self::NoLayout(none)
    }
}

/// So that a test that checks a kernel can run it on a device too.
#[cfg(feature = "check")]
impl From<Error> for crate::Error {
    fn from(error: Error) -> Self {
        Box::new(crate::Diagnostic::new(error.to_string()).of_device()).into()
    }
}

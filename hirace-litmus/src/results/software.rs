//! The software between a test and its device.

use serde::{Deserialize, Serialize};
use std::env::consts::OS;
use std::{fmt, fs};

/// A program with its version: an operating system, or a browser.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Software {
    /// The name.
    pub name: String,
    /// The version, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

impl Software {
    /// Returns the operating system of this process.
    pub fn operating_system() -> Self {
        let name = match OS {
            "linux" => "Linux",
            "windows" => "Windows",
            "macos" => "macOS",
            "android" => "Android",
            other => other,
        };
        // Only Linux has this file.
        let version = fs::read_to_string("/proc/sys/kernel/osrelease").ok();
        let version = version.map(|text| text.trim().to_owned());
        Self { name: name.to_owned(), version: version.filter(|text| !text.is_empty()) }
    }
}

impl fmt::Display for Software {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        match &self.version {
            Some(version) => write!(f, " {version}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operating_system_has_a_name_and_on_linux_a_version() {
        let system = Software::operating_system();
        assert!(!system.name.is_empty());
        if cfg!(target_os = "linux") {
            let version = system.version.as_deref().unwrap();
            assert_eq!(system.to_string(), format!("Linux {version}"));
        }
    }
}

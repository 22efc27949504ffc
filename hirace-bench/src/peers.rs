//! Other checkers, run on the same kernels.
//!
//! - `opencl` prints a kernel in OpenCL C if it can be expressed there;
//! - `oclgrind` runs it under Oclgrind's `--data-races`;
//! - `wgsl_reflect` runs `detectRaces` of that package on the WGSL.

pub mod oclgrind;
pub mod opencl;
pub mod wgsl_reflect;

use hirace_core::launch::Launch;
use hirace_core::program::Program;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Another checker.
#[derive(Clone, Debug)]
pub enum Peer {
    /// Oclgrind, on the kernel in OpenCL C.
    Oclgrind,
    /// The package wgsl_reflect in this folder, on the kernel in WGSL.
    WgslReflect(PathBuf),
}

/// The result of a checker for a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeerResult {
    /// The number of reported races.
    pub races: usize,
    /// The source lines of the two accesses of each race, the lower one first. Empty if the checker does not report
    /// lines.
    pub lines: BTreeSet<(u32, u32)>,
}

/// The reason why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    /// The tool is not installed.
    #[error("{0} is not installed")]
    Missing(&'static str),
    /// A resource of the kernel is not bound to a buffer.
    #[error("a resource of the kernel is not a buffer")]
    Unbound,
    /// The tool cannot be run.
    #[error("cannot run the tool: {0}")]
    Io(#[from] std::io::Error),
    /// The kernel cannot be expressed in OpenCL C.
    #[error(transparent)]
    Unsupported(#[from] opencl::UnsupportedError),
    /// The tool ran the kernel, but so quickly that the time cannot be distinguished from its startup.
    #[error("the run is too short to be distinguished from the startup")]
    TooEarly,
    /// The tool refused the kernel.
    #[error("the tool refused the kernel: {0}")]
    Rejected(String),
}

impl PeerError {
    /// Returns the error for a tool that could not be started.
    fn to_start(tool: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        move |error| match error.kind() {
            std::io::ErrorKind::NotFound => Self::Missing(tool),
            _ => Self::Io(error),
        }
    }
}

impl Peer {
    /// Returns the name in tables.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Oclgrind => "Oclgrind --data-races",
            Self::WgslReflect(_) => "wgsl_reflect detectRaces",
        }
    }

    /// Checks the first dispatch of `launch`. `wgsl` is the text of its program.
    ///
    /// # Errors
    /// The reason why there is no result.
    pub fn check(
        &self,
        program: &Program,
        wgsl: &str,
        launch: &Launch,
    ) -> Result<PeerResult, PeerError> {
        let scratch = tempfile::tempdir()?;
        match self {
            Self::Oclgrind => {
                let kernel = opencl::print(program, 0)?;
                let size = program.module.entry_points[0].workgroup_size;
                oclgrind::run(&kernel, launch, size, scratch.path())
            }
            Self::WgslReflect(package) => {
                wgsl_reflect::run(package, program, wgsl, launch, scratch.path())
            }
        }
    }
}

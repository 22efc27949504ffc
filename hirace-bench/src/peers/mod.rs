//! Other checkers, on the same kernels.
//!
//! - `opencl` prints a kernel in OpenCL C, as far as that has words for it;
//! - `oclgrind` runs it under Oclgrind's `--data-races`;
//! - `wgsl_reflect` asks that package's `detectRaces` about the WGSL.

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
    /// The package in this folder, on the kernel in WGSL.
    WgslReflect(PathBuf),
}

/// What a checker says of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// How many races it reports.
    pub races: usize,
    /// The lines of the source that they are at: of each race both, the lower first. Empty if it does not say
    /// or is not asked.
    pub lines: BTreeSet<(u32, u32)>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    /// It is not there.
    #[error("{0} is not installed")]
    Missing(&'static str),
    /// A buffer that the kernel wants is not bound.
    #[error("something that the kernel wants is no buffer")]
    Unbound,
    /// It cannot be run.
    #[error("it cannot be run: {0}")]
    Io(#[from] std::io::Error),
    /// What the kernel says cannot be said to it.
    #[error(transparent)]
    Unsayable(#[from] opencl::Unsayable),
    /// It takes the kernel, and so little time for it that starting the tool hides that.
    #[error("it is done too soon to tell that from starting")]
    TooSoon,
    /// It does not take the kernel.
    #[error("it does not take the kernel: {0}")]
    Refused(String),
}

impl Failed {
    /// Why a tool was not started.
    fn to_start(tool: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        move |error| match error.kind() {
            std::io::ErrorKind::NotFound => Self::Missing(tool),
            _ => Self::Io(error),
        }
    }
}

impl Peer {
    /// Its name in tables.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Oclgrind => "Oclgrind --data-races",
            Self::WgslReflect(_) => "wgsl_reflect detectRaces",
        }
    }

    /// Asks about the first dispatch of `launch`, whose program is also written as `wgsl`.
    ///
    /// # Errors
    /// Why it does not answer.
    pub fn ask(&self, program: &Program, wgsl: &str, launch: &Launch) -> Result<Said, Failed> {
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

//! `hirace` finds concurrency bugs in GPU compute shaders, at source level and with no device: data
//! races, barriers that not all invocations reach, accesses out of bounds, loops without progress.
//!
//! ```
//! use hirace::{Kernel, Launch, Verdict, check};
//!
//! let kernel = Kernel::from_wgsl("tally.wgsl", "
//!     @group(0) @binding(0) var<storage, read_write> count: u32;
//!     @compute @workgroup_size(64)
//!     fn tally() { count += 1u; }
//! ")?;
//! let checked = check(&kernel, Launch::new().workgroups(4))?;
//! assert_eq!(checked.verdict(), Verdict::Findings);
//! let race = checked.findings().next().unwrap();
//! assert_eq!(race.memory.as_ref().map(|memory| &*memory.variable), Some("count"));
//! # Ok::<(), hirace::Error>(())
//! ```
//!
//! What is not given is guessed, and the report says how; see [`Launch`]. [`report`] turns a [`Report`] into
//! text, JSON, SARIF or GitHub annotations. The parts that the checker is made of, in whose signatures
//! naga's types stand, are in [`raw`].

mod check;
mod error;
mod host_shareable;
pub mod kernel;
mod launch;
pub mod prelude;

pub use check::{Checked, check};
pub use error::{Error, Result};
pub use host_shareable::{HostShareable, Scalar, Scalars, Shape};
pub use kernel::Kernel;
pub use launch::{Grid, Launch};

pub use hirace_core::diagnostic::Diagnostic;
pub use hirace_core::exec::{Relation, Watch};
pub use hirace_core::finding::{
    Certainty, Finding, Kind, LaunchReport, Memory, Place, Report, Stats, Tool, Verdict,
};
pub use hirace_core::launch::spec::Length;
pub use hirace_core::report;
/// Makes compute kernels of Rust: of a function, or of the functions of an inline module that are marked
/// `#[kernel(workgroup_size(…))]`.
pub use hirace_macros::monitor;

/// The parts of the checker. Their signatures name naga's types and change with them.
pub mod raw {
    pub use hirace_core::{
        analysis, check, config, diagnostic, exec, finding, front, ir, launch, observe, pass,
        program, report, shadow, source_map, vm,
    };
}

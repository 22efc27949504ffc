//! `hirace` finds concurrency bugs in GPU compute shaders, at source level and with no device: data
//! races, barriers that not all invocations reach, accesses out of bounds, loops without progress.
//!
//! ```
//! use hirace::{LaunchSpec, Options, Verdict, Watch, check};
//!
//! let shader = "
//!     @group(0) @binding(0) var<storage, read_write> count: u32;
//!     @compute @workgroup_size(64)
//!     fn tally() { count += 1u; }
//! ";
//! let launch = LaunchSpec { workgroups: Some([4, 1, 1]), ..LaunchSpec::default() };
//! let options = Options { launches: vec![launch], ..Options::default() };
//! let report = check("tally.wgsl", shader, &options)?;
//! assert_eq!(report.verdict, Verdict::Findings);
//! let race = &report.launches[0].findings[0];
//! assert_eq!(race.memory.as_ref().map(|memory| &*memory.variable), Some("count"));
//! # Ok::<(), Box<hirace::Diagnostic>>(())
//! ```
//!
//! What is not given is guessed, and the report says how; see [`Options`] and [`LaunchSpec`].
//! [`report`] turns a [`Report`] into text, JSON, SARIF or GitHub annotations. The parts that the checker is
//! made of, in whose signatures naga's types stand, are in [`raw`].

pub mod kernel;
pub mod prelude;

pub use kernel::Kernel;

pub use hirace_core::check::{Options, check};
pub use hirace_core::diagnostic::{Diagnostic, Result};
pub use hirace_core::exec::{Relation, Watch};
pub use hirace_core::finding::{
    Certainty, Finding, Kind, LaunchReport, Memory, Place, Report, Stats, Tool, Verdict,
};
pub use hirace_core::launch::spec::{Binding, Contents, DispatchSpec, LaunchSpec, Length};
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

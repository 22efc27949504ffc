//! `hirace` finds concurrency bugs in GPU compute shaders, at source level and without a device: data races, barriers that not
//! all invocations reach, accesses out of bounds, loops without progress.
//!
//! # In the tests of a crate
//!
//! Write a kernel as a Rust function with the attribute [`monitor`], which compiles it to WGSL while the crate compiles. rustc
//! checks its types. A test checks the kernel for bugs, and reads the contents of its buffers:
//!
//! ```
//! use hirace::prelude::*;
//! use hirace::{Launch, check};
//!
//! #[hirace::monitor(workgroup_size(64))]
//! pub fn block_sum(
//!     #[builtin(global_invocation_id)] id: UVec3,
//!     #[builtin(local_invocation_index)] lane: u32,
//!     #[builtin(workgroup_id)] group: UVec3,
//!     input: &[f32],
//!     output: &mut [f32],
//!     #[workgroup] tile: &mut [f32; 64],
//! ) {
//!     tile[lane] = input[id.x];
//!     let mut stride = 32;
//!     while stride > 0 {
//!         workgroup_barrier();
//!         if lane < stride {
//!             tile[lane] += tile[lane + stride];
//!         }
//!         stride /= 2;
//!     }
//!     if lane == 0 {
//!         output[group.x] = tile[0];
//!     }
//! }
//!
//! # // In a test, the function has the attribute `#[test]`.
//! fn sums_are_right_and_free_of_races() -> hirace::Result<()> {
//!     let input: Vec<f32> = (0..256).map(|i| i as f32).collect();
//!     let launch = Launch::new().workgroups(4).buffer("input", &input).zeros("output", 4);
//!     let checked = check(&block_sum::kernel(), launch)?;
//!     checked.assert_clean();
//!     let expected: Vec<f32> = input.chunks(64).map(|block| block.iter().sum()).collect();
//!     assert_eq!(checked.buffer::<Vec<f32>>("output")?, expected);
//!     Ok(())
//! }
//! # sums_are_right_and_free_of_races()?;
//! # Ok::<(), hirace::Error>(())
//! ```
//!
//! Without the barrier, [`Checked::assert_clean`] panics with the report, in the form of rustc's errors: both accesses that race,
//! the invocations that made them, why nothing orders them, and a fix. [`Kernel::wgsl`] and [`Kernel::bindings`] are what a
//! program needs to run the kernel on a device.
//!
//! # For existing WGSL
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
//! let race = &checked.report().launches[0].findings[0];
//! assert_eq!(race.memory.as_ref().map(|memory| &*memory.variable), Some("count"));
//! # Ok::<(), hirace::Error>(())
//! ```
//!
//! # On a device
//!
//! With the feature `gpu`, `Launch::device` runs a launch on a Vulkan, Metal or Direct3D 12 device instead of on the embedded
//! executor.
//!
//! # Guessed launches
//!
//! Everything that a launch does not give is guessed, and the report shows the guesses; see [`Launch`]. A guess is never a
//! verdict: a finding that depends on guessed contents is only possible, and a guessed launch is clean only if every access ran in
//! at least two invocations.
//!
//! [`report`] converts a [`Report`] to text, JSON, SARIF, GitHub annotations or an HTML page. [`facts`] has the contents of a
//! report as types.
//!
//! # Versions
//!
//! The interface follows Semantic Versioning, with these exceptions, which may change in every version:
//!
//! - items that need the feature `unstable`: `raw`, with the parts of the checker, whose signatures name naga's types;
//! - hidden items, which exist for generated code and for the `hirace` command;
//! - the texts of messages, and the findings: a version that detects more may report more.
//!
//! `src/public-api.txt` lists the items that are covered.
//!
//! # Speed
//!
//! Tests spend most of their time in the engine, and cargo does not optimize dependencies of tests by default. Enable that in the
//! `Cargo.toml` of the crate, or of its workspace:
//!
//! ```toml
//! [profile.dev.package.hirace-engine]
//! opt-level = 2
//! ```

#![warn(missing_debug_implementations)]

#[cfg(test)]
extern crate self as hirace;

#[cfg(feature = "check")]
mod check;
#[cfg(feature = "check")]
mod contents;
#[cfg(feature = "gpu")]
mod device;
#[cfg(feature = "check")]
mod error;
#[cfg(feature = "check")]
pub mod facts;
mod host_shareable;
pub mod kernel;
#[cfg(feature = "check")]
mod launch;
#[cfg(feature = "proptest")]
mod launches;
#[doc(hidden)]
pub mod macro_support;
mod models;
#[cfg(feature = "wgpu")]
pub mod pipeline;
pub mod prelude;
#[cfg(feature = "check")]
pub mod report;
#[cfg(all(test, feature = "check"))]
mod tests;
#[cfg(feature = "check")]
mod type_name;

pub use hirace_runtime::Grid;
pub use host_shareable::{HostShareable, LayoutError, Scalar, Scalars, Shape};
pub use kernel::Kernel;

#[cfg(feature = "check")]
pub use checking::*;

/// The items of the feature `check`.
#[cfg(feature = "check")]
mod checking {
    pub use crate::check::{Checked, check};
    pub use crate::contents::Contents;
    pub use crate::error::{Error, Result};
    pub use crate::facts::{Certainty, Kind, Verdict};
    pub use crate::launch::Launch;
    #[cfg(feature = "proptest")]
    pub use crate::launches::Launches;
    pub use crate::report::{Finding, Report};
    pub use hirace_core::exec::Relation;
    pub use hirace_core::launch::spec::Length;
}

/// Compiles Rust to compute kernels: a function, or those functions of an inline module that have the attribute
/// `#[kernel(workgroup_size(…))]`.
///
/// The item remains, so that rustc checks it, but it never runs. Next to each kernel `name`, the macro adds a module `name` with
/// the function `kernel()`, which returns the [`Kernel`]. A module may contain helper functions, structs and constants:
///
/// ```
/// #[hirace::monitor]
/// pub mod histogram {
///     use hirace::prelude::*;
///
///     #[overridable]
///     pub const STEP: u32 = 1;
///
///     fn bin(value: u32, bins: u32) -> u32 {
///         value / STEP % bins
///     }
///
///     #[kernel(workgroup_size(64))]
///     pub fn count(#[builtin(global_invocation_id)] id: UVec3, data: &[u32], bins: &[Atomic<u32>]) {
///         bins[bin(data[id.x], bins.len())].fetch_add(1);
///     }
///
///     #[kernel(workgroup_size(64))]
///     pub fn clear(#[builtin(global_invocation_id)] id: UVec3, bins: &[Atomic<u32>]) {
///         bins[id.x].store(0);
///     }
/// }
///
/// // A kernel that is generic over sizes. Each instance is a kernel.
/// use hirace::prelude::*;
///
/// #[hirace::monitor(workgroup_size(N))]
/// fn reverse<const N: usize>(
///     #[builtin(local_invocation_index)] lane: u32,
///     data: &mut [u32],
///     #[workgroup] tile: &mut [u32; N],
/// ) {
///     tile[lane] = data[lane];
///     workgroup_barrier();
///     data[lane] = tile[N as u32 - 1 - lane];
/// }
///
/// assert_eq!(histogram::count::kernel().bindings().len(), 2);
/// assert_eq!(histogram::clear::kernel().entry(), Some("clear"));
/// assert!(reverse::kernel::<128>().wgsl().contains("tile: array<u32, N>"));
/// ```
///
/// Other kernels can use every item that has the attribute, wherever it is defined: functions without a workgroup size, structs,
/// constants, type aliases, and the `pub` items of a module.
///
/// ```
/// mod math {
///     #[hirace::monitor]
///     pub fn square(x: u32) -> u32 {
///         x * x
///     }
/// }
///
/// # mod kernels {
/// use super::math::square;
/// use hirace::prelude::*;
///
/// #[hirace::monitor(workgroup_size(64))]
/// pub fn squares(#[builtin(global_invocation_id)] id: UVec3, out: &mut [u32]) {
///     out[id.x] = square(id.x) + BIAS;
/// }
///
/// #[hirace::monitor]
/// const BIAS: u32 = 1;
/// # }
/// # fn main() {
/// assert!(kernels::squares::kernel().wgsl().contains("fn square("));
/// # }
/// ```
///
/// | parameter of a kernel | meaning |
/// | --- | --- |
/// | `#[builtin(NAME)] x: UVec3` or `u32` | the WGSL built-in value of that name |
/// | `&[T]`, `&T` | a read-only storage buffer |
/// | `&mut [T]`, `&mut T`, `&[Atomic<u32>]`, `&Atomic<u32>` | a storage buffer that is read and written |
/// | `#[uniform] x: T` | a uniform buffer |
/// | `#[workgroup] x: &mut [T; N]` | workgroup memory |
/// | `#[private] x: &mut T` | private memory of an invocation |
/// | `&Texture2d<f32>`, `&Sampler` and similar types | a texture or a sampler |
///
/// Bound parameters have the binding numbers 0, 1, 2, … of group 0, unless `#[binding(group, binding)]` sets others. Parameters
/// of the same name in the kernels of a module are one variable. Indices and lengths are `u32` (or `i32`).
pub use hirace_macros::monitor;

/// Defines a model: an algorithm that `hirace verify` explores and that never runs. It is written like a kernel under
/// [`monitor`], and can also express what WGSL cannot: the orderings of `std`'s atomics, their scopes, and fences.
///
/// ```
/// #[hirace::model]
/// pub mod message {
///     use hirace::prelude::*;
///     use std::sync::atomic::{AtomicU32, Ordering, fence};
///
///     #[kernel(workgroup_size(1))]
///     pub fn pass(#[builtin(workgroup_id)] group: UVec3, data: &mut u32, flag: &AtomicU32, out: &mut u32) {
///         if group.x == 0 {
///             *data = 42;
///             flag.within(Scope::Device).store(1, Ordering::Release);
///         } else if flag.load(Ordering::Relaxed) == 1 {
///             fence(Ordering::Acquire);
///             *out = *data;
///         }
///     }
/// }
/// ```
///
/// To explore every execution of it, run `hirace verify message.rs --workgroups 2 --model scoped-rc11`. The item remains, so that
/// rustc checks it. A model has no kernel and no WGSL.
///
/// The default scope of atomics is the workgroup in workgroup memory and the device elsewhere. The scope of `std`'s fences is the
/// device; [`fence`](fn@fence) takes a scope.
pub use hirace_macros::model;

pub use models::fence;
pub use prelude::Scope;

#[doc(hidden)]
pub use hirace_macros::__compose;

/// The version of wgpu that [`pipeline`] uses.
#[cfg(feature = "wgpu")]
pub use hirace_gpu::wgpu;

/// The parts of the checker, for tools that extend hirace (feature `unstable`). Their signatures name naga's types. Semantic
/// Versioning does not cover them: they may change in every version.
#[cfg(feature = "unstable")]
pub mod raw {
    pub use hirace_core::{
        analysis, check, config, cover, diagnostic, event, exec, facts, finding, front, ir, launch,
        observe, pass, points, program, prove, random, report, shadow, source_map, vm, watch,
    };
}

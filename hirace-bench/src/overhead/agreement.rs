//! Compares the memory after runs under Oclgrind and under the embedded executor. The comparison validates the OpenCL C
//! text of a kernel.

use super::corpus::Kernel;
use super::launches::{Graphs, LaunchParams};
use crate::peers::{PeerError, oclgrind, opencl};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::exec::Executor;
use hirace_core::exec::embedded::Embedded;
use hirace_core::launch::Launch;
use hirace_core::program::Program;
use hirace_core::vm::memory::Resource;
use naga::{GlobalVariable, Handle, Module, ScalarKind};
use std::collections::BTreeMap;

/// The subgroup size. It is irrelevant to all kernels that Oclgrind supports.
const SUBGROUP_SIZE: u32 = 32;

/// The maximum relative difference of two floats: functions may round differently, and sums accumulate the differences.
const MAX_RELATIVE_DIFFERENCE: f32 = 1e-3;

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// Each buffer has the same words in the same order.
    Same,
    /// Each buffer has the same words, in another order.
    SameWords,
    /// Some words differ. The text describes the first one.
    Differs(String),
}

/// Runs the smallest launch of `kernel` under Oclgrind and the embedded executor, and compares the memory.
///
/// # Errors
/// Outer: there is no launch, or the embedded executor cannot run it. Inner: Oclgrind cannot run it.
pub fn agreement(
    kernel: &Kernel,
    graphs: &Graphs,
) -> Result<std::result::Result<Agreement, PeerError>> {
    let params = LaunchParams { graphs, subgroup_size: SUBGROUP_SIZE, stop: None };
    let Some(sized) = kernel.launch(0, params)? else {
        return Err(Box::new(Diagnostic::new("no launch of the kernel is possible")));
    };
    compare_launch(&kernel.program, kernel.entry, &sized.launch)
}

/// Runs a launch with one dispatch of this entry point under Oclgrind and the embedded executor, and compares the memory.
///
/// # Errors
/// Outer: the embedded executor cannot run it. Inner: Oclgrind cannot run it.
pub fn compare_launch(
    program: &Program,
    entry: usize,
    launch: &Launch,
) -> Result<std::result::Result<Agreement, PeerError>> {
    let oclgrind_buffers = match final_buffers(program, entry, launch) {
        Ok(oclgrind_buffers) => oclgrind_buffers,
        Err(error) => return Ok(Err(error)),
    };
    let Some(outcome) =
        run_single_threaded(|| Embedded.run_unwatched(program, launch, None, None))??
    else {
        return Err(Box::new(Diagnostic::new("stopped")));
    };
    if let Some(failure) = outcome.failure {
        return Err(failure);
    }
    let mut agreement = Agreement::Same;
    for (global, from_oclgrind) in oclgrind_buffers {
        let embedded = match outcome.resources.by_global.get(global.index()) {
            Some(Some(Resource::Buffer(buffer))) => buffer.snapshot(),
            _ => return Ok(Err(PeerError::Unbound)),
        };
        match compare_words(&program.module, global, &embedded, &from_oclgrind) {
            Agreement::Same => {}
            Agreement::SameWords => agreement = Agreement::SameWords,
            differs @ Agreement::Differs(_) => return Ok(Ok(differs)),
        }
    }
    Ok(Ok(agreement))
}

/// Calls `run` with a single-threaded embedded executor. Oclgrind has one thread, too, so workgroups run in the same
/// order under both. Kernels that assign positions by atomics depend on this order.
fn run_single_threaded<T: Send>(run: impl FnOnce() -> T + Send) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let failed = |error| Diagnostic::new(format!("cannot start a thread: {error}"));
    Ok(pool.map_err(failed)?.install(run))
}

/// Returns the final content of the buffers under Oclgrind.
fn final_buffers(
    program: &Program,
    entry: usize,
    launch: &Launch,
) -> std::result::Result<BTreeMap<Handle<GlobalVariable>, Vec<u32>>, PeerError> {
    let scratch = tempfile::tempdir()?;
    let printed = opencl::print(program, entry)?;
    let size = program.module.entry_points[entry].workgroup_size;
    oclgrind::outputs(&program.module, &printed, launch, size, scratch.path())
}

fn compare_words(
    module: &Module,
    global: Handle<GlobalVariable>,
    embedded: &[u32],
    from_oclgrind: &[u32],
) -> Agreement {
    let variable = &module.global_variables[global];
    let has_floats = opencl::has_scalar_kind(module, variable.ty, ScalarKind::Float);
    let differs = |(one, two): (&u32, &u32)| one != two && !(has_floats && is_near(*one, *two));
    let first = embedded.iter().zip(from_oclgrind).position(differs);
    if embedded.len() == from_oclgrind.len() && first.is_none() {
        return Agreement::Same;
    }
    let sorted = [embedded, from_oclgrind].map(|words| {
        let mut words = words.to_vec();
        words.sort_unstable();
        words
    });
    if sorted[0] == sorted[1] {
        return Agreement::SameWords;
    }
    let name = variable.name.as_deref().unwrap_or("a buffer");
    let at = first.unwrap_or(embedded.len().min(from_oclgrind.len()));
    let show = |words: &[u32]| match words.get(at) {
        Some(&word) if has_floats => format!("{:e}", f32::from_bits(word)),
        Some(word) => word.to_string(),
        None => "nothing".to_owned(),
    };
    Agreement::Differs(format!(
        "word {at} of {name} is {}, but {} under Oclgrind",
        show(embedded),
        show(from_oclgrind)
    ))
}

/// Returns whether two words are nearly equal floats. As floats, small integers are subnormal and are never near.
fn is_near(one: u32, two: u32) -> bool {
    let [one, two] = [one, two].map(f32::from_bits);
    if one.is_nan() && two.is_nan() {
        return true;
    }
    one.is_normal()
        && two.is_normal()
        && (one - two).abs() <= MAX_RELATIVE_DIFFERENCE * one.abs().max(two.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hirace_core::front::wgsl;

    #[test]
    fn floats_are_compared_approximately_and_the_order_is_reported() {
        let text = "@group(0) @binding(0) var<storage, read_write> a: array<f32>;
            @group(0) @binding(1) var<storage, read_write> b: array<u32>;
            @compute @workgroup_size(1) fn main() { a[0] = f32(b[0]); }";
        let parsed = wgsl::parse("test.wgsl", text).unwrap();
        let program = Program::new(&parsed, &BTreeMap::new()).unwrap();
        let module = &program.module;
        let globals: Vec<_> = module.global_variables.iter().map(|(handle, _)| handle).collect();
        let compare = |at: usize, embedded: &[u32], from_oclgrind: &[u32]| {
            compare_words(module, globals[at], embedded, from_oclgrind)
        };
        let bits = [1.0f32, 1.0001, 1.1].map(f32::to_bits);
        assert_eq!(compare(0, &bits[..1], &bits[1..2]), Agreement::Same);
        assert!(matches!(compare(0, &bits[..1], &bits[2..]), Agreement::Differs(_)));
        assert!(matches!(compare(1, &bits[..1], &bits[1..2]), Agreement::Differs(_)));
        assert_eq!(compare(1, &[1, 2], &[2, 1]), Agreement::SameWords);
        let text = "word 1 of b is 2, but nothing under Oclgrind".to_owned();
        assert_eq!(compare(1, &[1, 2], &[1]), Agreement::Differs(text));
    }
}

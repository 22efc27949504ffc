//! Whether Oclgrind leaves in memory what the embedded executor leaves there: then the text in OpenCL C is the kernel.

use super::corpus::Kernel;
use super::launches::{For, Graphs};
use crate::peers::{Failed, oclgrind, opencl};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::exec::Executor;
use hirace_core::exec::embedded::Embedded;
use hirace_core::launch::Launch;
use hirace_core::program::Program;
use hirace_core::vm::memory::Resource;
use naga::{GlobalVariable, Handle, Module, ScalarKind};
use std::collections::BTreeMap;

/// Of subgroups, in which no kernel has any say that Oclgrind takes.
const SUBGROUP_SIZE: u32 = 32;

/// How far two floats may be from one another, over the larger one: functions round as they will, and sums add that up.
const FLOATS: f32 = 1e-3;

/// Whether they agree on a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// The same words are in the same places.
    Same,
    /// The same words are in each buffer, in another order.
    SameWords,
    /// Some words are not the same: where the first one is, here and there.
    Differs(String),
}

/// Runs `kernel` on its smallest launch under both.
///
/// # Errors
/// The outer ones: there is no launch of it, or the embedded executor does not run it. The inner ones: Oclgrind does not.
pub fn agreement(
    kernel: &Kernel,
    graphs: &Graphs,
) -> Result<std::result::Result<Agreement, Failed>> {
    let made_for = For { graphs, subgroup_size: SUBGROUP_SIZE, stop: None };
    let Some(sized) = kernel.launch(0, made_for)? else {
        return Err(Box::new(Diagnostic::new("there is no launch of it")));
    };
    of_launch(&kernel.program, kernel.entry, &sized.launch)
}

/// Runs a launch, which is one dispatch of this entry point, under both.
///
/// # Errors
/// The outer ones: the embedded executor does not run it. The inner ones: Oclgrind does not.
pub fn of_launch(
    program: &Program,
    entry: usize,
    launch: &Launch,
) -> Result<std::result::Result<Agreement, Failed>> {
    let left = match left(program, entry, launch) {
        Ok(left) => left,
        Err(error) => return Ok(Err(error)),
    };
    let Some(ran) = in_order(|| Embedded.bare(program, launch, None, None))?? else {
        return Err(Box::new(Diagnostic::new("it was stopped")));
    };
    if let Some(failure) = ran.failure {
        return Err(failure);
    }
    let mut agreement = Agreement::Same;
    for (global, theirs) in left {
        let ours = match ran.resources.by_global.get(global.index()) {
            Some(Some(Resource::Buffer(buffer))) => buffer.snapshot(),
            _ => return Ok(Err(Failed::Unbound)),
        };
        match compared(&program.module, global, &ours, &theirs) {
            Agreement::Same => {}
            Agreement::SameWords => agreement = Agreement::SameWords,
            differs @ Agreement::Differs(_) => return Ok(Ok(differs)),
        }
    }
    Ok(Ok(agreement))
}

/// Calls `run` where the embedded executor has one thread. Oclgrind has one too, so that workgroups run in the same order under
/// both: what kernels leave that take their places by atomics depends on it.
fn in_order<T: Send>(run: impl FnOnce() -> T + Send) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let failed = |error| Diagnostic::new(format!("a thread cannot be started: {error}"));
    Ok(pool.map_err(failed)?.install(run))
}

/// What Oclgrind leaves in buffers.
fn left(
    program: &Program,
    entry: usize,
    launch: &Launch,
) -> std::result::Result<BTreeMap<Handle<GlobalVariable>, Vec<u32>>, Failed> {
    let scratch = tempfile::tempdir()?;
    let printed = opencl::print(program, entry)?;
    let size = program.module.entry_points[entry].workgroup_size;
    oclgrind::outputs(&program.module, &printed, launch, size, scratch.path())
}

fn compared(
    module: &Module,
    global: Handle<GlobalVariable>,
    ours: &[u32],
    theirs: &[u32],
) -> Agreement {
    let variable = &module.global_variables[global];
    let floats = opencl::has(module, variable.ty, ScalarKind::Float);
    let differs = |(one, two): (&u32, &u32)| one != two && !(floats && near(*one, *two));
    let first = ours.iter().zip(theirs).position(differs);
    if ours.len() == theirs.len() && first.is_none() {
        return Agreement::Same;
    }
    let sorted = [ours, theirs].map(|words| {
        let mut words = words.to_vec();
        words.sort_unstable();
        words
    });
    if sorted[0] == sorted[1] {
        return Agreement::SameWords;
    }
    let name = variable.name.as_deref().unwrap_or("a buffer");
    let at = first.unwrap_or(ours.len().min(theirs.len()));
    let show = |words: &[u32]| match words.get(at) {
        Some(&word) if floats => format!("{:e}", f32::from_bits(word)),
        Some(word) => word.to_string(),
        None => "nothing".to_owned(),
    };
    Agreement::Differs(format!("word {at} of {name} is {}, and {} there", show(ours), show(theirs)))
}

/// Whether two words are floats that are as good as the same. Small integers are none that are normal.
fn near(one: u32, two: u32) -> bool {
    let [one, two] = [one, two].map(f32::from_bits);
    if one.is_nan() && two.is_nan() {
        return true;
    }
    one.is_normal() && two.is_normal() && (one - two).abs() <= FLOATS * one.abs().max(two.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hirace_core::front::wgsl;

    #[test]
    fn words_are_the_same_floats_are_near_and_order_is_said() {
        let text = "@group(0) @binding(0) var<storage, read_write> a: array<f32>;
            @group(0) @binding(1) var<storage, read_write> b: array<u32>;
            @compute @workgroup_size(1) fn main() { a[0] = f32(b[0]); }";
        let parsed = wgsl::parse("test.wgsl", text).unwrap();
        let program = Program::new(&parsed, &BTreeMap::new()).unwrap();
        let module = &program.module;
        let globals: Vec<_> = module.global_variables.iter().map(|(handle, _)| handle).collect();
        let of =
            |at: usize, ours: &[u32], theirs: &[u32]| compared(module, globals[at], ours, theirs);
        let bits = [1.0f32, 1.0001, 1.1].map(f32::to_bits);
        assert_eq!(of(0, &bits[..1], &bits[1..2]), Agreement::Same);
        assert!(matches!(of(0, &bits[..1], &bits[2..]), Agreement::Differs(_)));
        assert!(matches!(of(1, &bits[..1], &bits[1..2]), Agreement::Differs(_)));
        assert_eq!(of(1, &[1, 2], &[2, 1]), Agreement::SameWords);
        let text = "word 1 of b is 2, and nothing there".to_owned();
        assert_eq!(of(1, &[1, 2], &[1]), Agreement::Differs(text));
    }
}

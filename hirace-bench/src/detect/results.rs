//! Comparison of the results of a kernel with the correct ones: a way to find races without a checker.

use hirace_core::exec::Outcome;
use hirace_core::program::Program;
use hirace_core::vm::memory::Resource;
use std::collections::BTreeMap;

/// The content of the buffers, by name.
pub type Results = BTreeMap<String, Vec<u32>>;

/// Returns the results of a run. The elements of a worklist have no defined order and are sorted.
pub fn of(program: &Program, outcome: &Outcome, is_list: bool) -> Results {
    let variables = program.module.global_variables.iter();
    let buffers = variables.filter_map(|(handle, variable)| {
        let resource = outcome.resources.by_global.get(handle.index())?.as_ref()?;
        let Resource::Buffer(buffer) = resource else { return None };
        let mut words = buffer.snapshot();
        if is_list {
            words.sort_unstable();
        }
        Some((variable.name.clone()?, words))
    });
    buffers.collect()
}

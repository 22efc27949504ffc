//! What a kernel computes, compared with what it should: the way to find races that needs no checker.

use hirace_core::exec::Outcome;
use hirace_core::program::Program;
use hirace_core::vm::memory::Resource;
use std::collections::BTreeMap;

/// What the buffers hold, by name.
pub type Results = BTreeMap<String, Vec<u32>>;

/// The results of a run. Those of a worklist are in no order, so they are put into one.
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

//! What is known about a dispatch before it runs, for proofs about it.

use crate::launch::{Dispatch, Launch};
use crate::program::Program;
use crate::prove::{Facts, written};
use crate::vm::memory::Resources;
use crate::vm::observer::MemoryId;
use naga::{AddressSpace, GlobalVariable, Handle, StorageAccess};
use std::collections::BTreeSet;

/// The maximum size in bytes of a storage buffer on whose contents proofs may depend, such as the number of a step.
const SMALL: u32 = 64;

/// A dispatch and the resources that are bound to it.
#[derive(Clone, Copy, Debug)]
pub struct DispatchContext<'a> {
    /// The program that runs.
    pub program: &'a Program,
    /// The dispatch.
    pub dispatch: &'a Dispatch,
    /// The resources bound before this dispatch, or before another dispatch of the launch.
    pub resources: &'a Resources,
    /// The launch of the dispatch.
    pub launch: &'a Launch,
}

impl<'a> DispatchContext<'a> {
    /// Returns what is known about this dispatch of a launch.
    pub fn new(program: &'a Program, launch: &'a Launch, dispatch: &'a Dispatch) -> Self {
        Self { program, dispatch, resources: &launch.resources, launch }
    }

    /// Returns the variables whose bound contents are the same before all dispatches.
    pub fn constants(&self) -> impl Iterator<Item = Handle<GlobalVariable>> {
        let globals = self.program.module.global_variables.iter().map(|(global, _)| global);
        globals.filter(|global| self.is_constant(*global))
    }

    /// Returns whether the contents bound to a variable are the same before all dispatches and are not written by them: either no
    /// kernel may write the variable, or the only kernel does not. (Memory that one kernel only reads may be the same buffer that
    /// another kernel writes.) Returns `false` for buffers that are not small.
    pub fn is_constant(&self, global: Handle<GlobalVariable>) -> bool {
        let is_left_alone = match self.program.module.global_variables[global].space {
            AddressSpace::Uniform | AddressSpace::Immediate => true,
            AddressSpace::Storage { .. } => {
                self.launch.dispatches.len() == 1
                    && self.length(global).is_some_and(|bytes| bytes <= SMALL)
                    && !written(self.program, self.dispatch.entry).contains(&global)
            }
            _ => false,
        };
        is_left_alone && !self.is_written_by_host(global)
    }

    /// Returns the buffers that kernels may write but that are unchanged during the launch: neither its only kernel nor the host
    /// writes them.
    pub fn unwritten_buffers(&self) -> BTreeSet<MemoryId> {
        if self.launch.dispatches.len() != 1 {
            return BTreeSet::new();
        }
        let written = written(self.program, self.dispatch.entry);
        let variables = self.program.module.global_variables.iter();
        let may_be_written = variables.filter(|(_, variable)| {
            matches!(variable.space, AddressSpace::Storage { access } if access.contains(StorageAccess::STORE))
        });
        let globals = may_be_written.map(|(global, _)| global);
        let globals =
            globals.filter(|global| !written.contains(global) && !self.is_written_by_host(*global));
        globals.map(|global| MemoryId(global.index() as u32)).collect()
    }

    fn is_written_by_host(&self, global: Handle<GlobalVariable>) -> bool {
        self.launch.writes.iter().any(|write| write.to == global.index())
    }
}

impl Facts for DispatchContext<'_> {
    fn workgroups(&self) -> Option<[u32; 3]> {
        Some(self.dispatch.workgroups)
    }

    fn length(&self, global: Handle<GlobalVariable>) -> Option<u32> {
        Some(self.resources.buffer(MemoryId(global.index() as u32))?.len())
    }

    fn word(&self, global: Handle<GlobalVariable>, offset: u32) -> Option<u32> {
        if !self.is_constant(global) {
            return None;
        }
        self.resources.buffer(MemoryId(global.index() as u32))?.word(offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::wgsl;
    use crate::launch::writes::Write;
    use crate::vm::memory::{Buffer, Resource};
    use crate::vm::schedule::{Limits, Schedule};
    use std::collections::BTreeMap;
    use std::sync::Arc;

    #[test]
    fn words_of_unwritten_buffers_are_known() {
        let text = "
            @group(0) @binding(0) var<uniform> n: vec2<u32>;
            @group(0) @binding(1) var<storage> r: array<u32>;
            @group(0) @binding(2) var<storage, read_write> a: array<u32>;
            @group(0) @binding(3) var<storage, read_write> s: vec2<u32>;
            @compute @workgroup_size(1) fn main() { a[0] = n.x + r[0] + s.x; }";
        let parsed = wgsl::parse("k.wgsl", text).unwrap();
        let program = Program::new(&parsed, &BTreeMap::new()).unwrap();
        let contents = || Buffer::new(&[1, 0, 0, 0, 2, 0, 0, 0]);
        let by_global = (0..4).map(|_| Some(Resource::Buffer(contents()))).collect();
        let launch = |dispatches, writes: &[Write]| Launch {
            dispatches: vec![Dispatch { entry: 0, workgroups: [1, 2, 3] }; dispatches],
            resources: Resources { by_global: Vec::clone(&by_global) },
            writes: writes.to_vec(),
            kept: Default::default(),
            inferred_contents: Vec::new(),
            inferred_lengths: Vec::new(),
            assumptions: Vec::new(),
            replay: None,
            subgroup_size: 4,
            schedule: Schedule::default(),
            order: None,
            limits: Limits::default(),
            pins: Default::default(),
        };
        let globals: Vec<_> = program.module.global_variables.iter().map(|(it, _)| it).collect();
        let words = |launch: &Launch, offset| {
            let known = DispatchContext::new(&program, launch, &launch.dispatches[0]);
            globals.iter().map(|global| known.word(*global, offset)).collect::<Vec<_>>()
        };
        let one = launch(1, &[]);
        assert_eq!(words(&one, 4), [Some(2), Some(2), None, Some(2)]);
        assert_eq!(words(&one, 6), [None; 4]);
        assert_eq!(words(&one, 8), [None; 4]);
        assert_eq!(
            DispatchContext::new(&program, &one, &one.dispatches[0]).length(globals[1]),
            Some(8)
        );
        // The other dispatch may write to it.
        assert_eq!(words(&launch(2, &[]), 4), [Some(2), None, None, None]);
        // The host writes to it, before whichever dispatch.
        let write = Write { before: 7, to: globals[0].index(), contents: Arc::new(contents()) };
        assert_eq!(words(&launch(1, &[write]), 4), [None, Some(2), None, Some(2)]);
    }
}

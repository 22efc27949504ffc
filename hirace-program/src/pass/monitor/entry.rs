//! The ids of an invocation: the built-in values that an entry point passes to the runtime.

use super::instrument::InstrumentChange;
use crate::ir::rebuild::FunctionBuilder;
use crate::ir::walk::FunctionId;
use naga::{BuiltIn, Span, Statement};

impl InstrumentChange<'_> {
    /// Calls `hirace_enter`.
    pub(super) fn identify(&mut self, into: &mut FunctionBuilder<'_>) {
        let Some(function) = self.runtime.function("enter") else { return };
        let types = &self.program.module.types;
        let id = self.runtime.builtin(into, types, BuiltIn::WorkGroupId);
        let workgroups = self.runtime.builtin(into, types, BuiltIn::NumWorkGroups);
        let local = self.runtime.builtin(into, types, BuiltIn::LocalInvocationIndex);
        let FunctionId::Entry(index) = self.id else { return };
        let size = self.program.module.entry_points[index].workgroup_size;
        let size = into.u32(size.iter().fold(1, |n: u32, &m| n.saturating_mul(m)));
        let arguments = vec![id, workgroups, local, size];
        into.push(Statement::Call { function, arguments, result: None }, Span::UNDEFINED);
    }
}

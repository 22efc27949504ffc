//! Who an invocation is: the built-in values that an entry point passes to the runtime; and that it is done.

use super::instrument::Instrument;
use crate::ir::rebuild::Rebuild;
use crate::ir::walk::FunctionId;
use crate::shadow::plan::Plan;
use naga::{
    Binding, Block, BuiltIn, Expression, Function, FunctionArgument, Handle, Module, Span,
    Statement, TypeInner,
};

impl Instrument<'_> {
    /// Calls `hirace_enter`.
    pub(super) fn identify(&mut self, into: &mut Rebuild<'_>) {
        let Some(function) = self.runtime.function("enter") else { return };
        let id = self.builtin(into, BuiltIn::WorkGroupId);
        let workgroups = self.builtin(into, BuiltIn::NumWorkGroups);
        let local = self.builtin(into, BuiltIn::LocalInvocationIndex);
        let FunctionId::Entry(index) = self.id else { return };
        let size = self.program.module.entry_points[index].workgroup_size;
        let size = into.u32(size.iter().fold(1, |n: u32, &m| n.saturating_mul(m)));
        let arguments = vec![id, workgroups, local, size];
        into.push(Statement::Call { function, arguments, result: None }, Span::UNDEFINED);
    }

    /// The value of `builtin`: the entry point's own, as it may be bound only once, or a new argument.
    fn builtin(&self, into: &mut Rebuild<'_>, builtin: BuiltIn) -> Handle<Expression> {
        let is = |binding: &Option<Binding>| *binding == Some(Binding::BuiltIn(builtin));
        let types = &self.program.module.types;
        let mut found = None;
        for (index, argument) in into.function.arguments.iter().enumerate() {
            if is(&argument.binding) {
                found = Some((index as u32, None));
            } else if argument.binding.is_none()
                && let TypeInner::Struct { members, .. } = &types[argument.ty].inner
                && let Some(member) = members.iter().position(|member| is(&member.binding))
            {
                found = Some((index as u32, Some(member as u32)));
            }
        }
        let (index, member) = found.unwrap_or_else(|| {
            let (name, ty) = match builtin {
                BuiltIn::WorkGroupId => ("workgroup_id", self.runtime.vec3),
                BuiltIn::NumWorkGroups => ("num_workgroups", self.runtime.vec3),
                _ => ("local_invocation_index", self.runtime.u32),
            };
            let name = Some(format!("{}_{name}", self.plan.prefix));
            let binding = Some(Binding::BuiltIn(builtin));
            into.function.arguments.push(FunctionArgument { name, ty, binding });
            (into.function.arguments.len() as u32 - 1, None)
        });
        let argument = into.declare(Expression::FunctionArgument(index), Span::UNDEFINED);
        match member {
            None => argument,
            Some(index) => {
                into.emit(Expression::AccessIndex { base: argument, index }, Span::UNDEFINED)
            }
        }
    }
}

/// An entry point that calls `function`, and then these. An entry point may return from anywhere, and in
/// non-uniform control flow; all that it calls is done when all its invocations come back.
pub(super) fn left(
    module: &mut Module,
    plan: &Plan,
    mut function: Function,
    last: &[Handle<Function>],
) -> Function {
    let mut entry = Function {
        name: function.name.clone(),
        arguments: function.arguments.clone(),
        ..Function::default()
    };
    for argument in &mut function.arguments {
        argument.binding = None;
    }
    let name = function.name.take().unwrap_or_default();
    function.name = Some(format!("{}_{name}", plan.prefix));
    let arguments = (0..function.arguments.len() as u32)
        .map(|index| entry.expressions.append(Expression::FunctionArgument(index), Span::UNDEFINED))
        .collect();
    let function = module.functions.append(function, Span::UNDEFINED);
    let first = Statement::Call { function, arguments, result: None };
    let last = last.iter().map(|&function| {
        let arguments = Vec::new();
        Statement::Call { function, arguments, result: None }
    });
    entry.body = Block::from_vec(std::iter::once(first).chain(last).collect());
    entry
}

//! The values of variables of a function that are known at a point.
//!
//! Only variables are tracked that are read and written as a whole: no pointer to them or to a part of them is used otherwise.

use super::super::expressions::of_statement;
use super::Writer;
use crate::ir::walk;
use naga::{Block, Expression, Function, Handle, LocalVariable, Statement};
use rustc_hash::FxHashSet;

/// Returns the variables of a function of which only whole values are read and written.
pub fn accessed_as_a_whole(function: &Function) -> FxHashSet<Handle<LocalVariable>> {
    let mut whole: FxHashSet<_> =
        function.local_variables.iter().map(|(handle, _)| handle).collect();
    let variable = |operand: Handle<Expression>| match function.expressions[operand] {
        Expression::LocalVariable(variable) => Some(variable),
        _ => None,
    };
    for (_, expression) in function.expressions.iter() {
        if !matches!(expression, Expression::Load { .. }) {
            walk::operands(expression, &mut |operand| {
                variable(operand).map(|of| whole.remove(&of));
            });
        }
    }
    walk::statements(&function.body, &mut |_, statement, _| {
        // The numbers of an emitted range are not uses.
        if !matches!(statement, Statement::Store { .. } | Statement::Emit(_)) {
            for variable in of_statement(statement).into_iter().filter_map(variable) {
                whole.remove(&variable);
            }
        }
    });
    whole
}

impl Writer<'_> {
    /// Records the value that a statement stores.
    pub(super) fn hold(
        &mut self,
        pointer: Handle<Expression>,
        value: Handle<Expression>,
    ) -> Option<()> {
        if let Expression::LocalVariable(variable) = self.function.expressions[pointer]
            && self.whole.contains(&variable)
        {
            let value = self.term(value)?;
            self.held.insert(variable, value);
        }
        Some(())
    }

    /// Forgets the values of variables that these blocks may store.
    pub(super) fn forget_stored<'b>(&mut self, blocks: impl Iterator<Item = &'b Block>) {
        for block in blocks {
            walk::statements(block, &mut |_, statement, _| {
                if let Statement::Store { pointer, .. } = statement
                    && let Expression::LocalVariable(variable) = self.function.expressions[*pointer]
                {
                    self.held.remove(&variable);
                }
            });
        }
    }
}

//! Decides whether code of a mutant can be copied into the function of the program.

use super::super::expressions::{is_result, of_statement, operands, reads};
use super::FunctionComparison;
use crate::ir::walk::{self, FunctionId};
use crate::program::Language;
use naga::{AddressSpace, Expression, Handle, Statement};
use rustc_hash::FxHashSet;

impl<'a> FunctionComparison<'a, '_> {
    /// Returns `Some` if `y`, an expression of the mutant, can be evaluated in this gap of the original. Reads of shared memory are
    /// only allowed if the copy is `guarded`, that is, evaluated only if its mutant is selected. Operands that the original also
    /// evaluates, in the same gap, must precede the expression `before`.
    pub(super) fn can_copy(
        &mut self,
        y: Handle<Expression>,
        gap: u32,
        before: Option<Handle<Expression>>,
        guarded: bool,
    ) -> Option<()> {
        if let Some(known) = self.difference.known.get(&y) {
            let own = self.original.gaps.get(known);
            let is_late = own == Some(&gap) && before.is_some_and(|before| *known >= before);
            return (!is_late).then_some(());
        }
        let expression = self.b(y);
        if is_result(expression) {
            return None;
        }
        match expression {
            Expression::FunctionArgument(index) => {
                let argument = self.difference.function.arguments.get(*index as usize)?;
                let own = self.original.function.arguments.get(*index as usize)?;
                let is_there = self.modules.same_argument(own, argument)
                    || self.modules.argument(self.original.id, &argument.binding).is_some();
                // An entry point can be given an argument with another binding.
                let can_add =
                    matches!(self.original.id, FunctionId::Entry(_)) && argument.binding.is_some();
                return (is_there || can_add).then_some(());
            }
            Expression::Constant(constant) => {
                let is_there = self.modules.constant(*constant).is_some()
                    || self.modules.literal(*constant).is_some();
                return is_there.then_some(());
            }
            Expression::Override(_) => return None,
            _ => {}
        }
        if reads(expression) {
            let (first, last) = *self.gaps.get(&y)?;
            // In other languages, the kind of the access would be unknown, because naga does not represent it completely.
            let guarded = guarded && self.original.program.language == Language::Wgsl;
            if !(first..=last).contains(&gap) || !(guarded || self.is_private(y)) {
                return None;
            }
            self.copied_reads.push(y);
        }
        operands(expression).into_iter().try_for_each(|y| self.can_copy(y, gap, before, guarded))
    }

    /// Returns whether `y` is a load of private memory: of a local variable itself, or of private or uniform memory.
    pub(super) fn is_private(&self, y: Handle<Expression>) -> bool {
        let Expression::Load { pointer } = self.b(y) else { return false };
        let is_plain = matches!(self.b(*pointer), Expression::LocalVariable(_));
        is_plain
            || match self.b(*pointer) {
                Expression::GlobalVariable(global) => matches!(
                    self.modules.other.global_variables[*global].space,
                    AddressSpace::Uniform | AddressSpace::Private
                ),
                _ => false,
            }
    }

    /// Returns `Some` if a statement of the mutant can be executed in this gap, nested blocks included.
    pub(super) fn can_copy_statement(&mut self, b: &'a Statement, gap: u32) -> Option<()> {
        let mut inside: FxHashSet<Handle<Expression>> = FxHashSet::default();
        self.can_copy_nested(b, gap, &mut inside)
    }

    pub(super) fn can_copy_nested(
        &mut self,
        b: &'a Statement,
        gap: u32,
        inside: &mut FxHashSet<Handle<Expression>>,
    ) -> Option<()> {
        let is_simple = matches!(
            b,
            Statement::Block(_)
                | Statement::If { .. }
                | Statement::Break
                | Statement::Continue
                | Statement::Return { .. }
                | Statement::Store { .. }
                | Statement::ImageStore { .. }
                | Statement::ControlBarrier(_)
                | Statement::MemoryBarrier(_)
                | Statement::Atomic { result: None, .. }
                | Statement::Call { result: None, .. }
        );
        let has_hidden_access_kinds = self.original.program.language != Language::Wgsl;
        let is_shared = match b {
            Statement::Store { pointer, .. } => !matches!(
                walk::root(self.difference.function, *pointer),
                Expression::LocalVariable(_)
            ),
            Statement::ImageStore { .. } | Statement::Atomic { .. } => true,
            Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => {
                self.original.program.language != Language::Rust
            }
            _ => false,
        };
        if !is_simple || (has_hidden_access_kinds && is_shared) {
            return None;
        }
        for operand in of_statement(b) {
            self.can_copy_operand(operand, gap, inside)?;
        }
        for block in walk::children(b) {
            for statement in block {
                match statement {
                    Statement::Emit(range) => {
                        for expression in range.clone() {
                            if has_hidden_access_kinds
                                && reads(self.b(expression))
                                && !self.is_private(expression)
                            {
                                return None;
                            }
                            for operand in operands(self.b(expression)) {
                                self.can_copy_operand(operand, gap, inside)?;
                            }
                            inside.insert(expression);
                        }
                    }
                    _ => self.can_copy_nested(statement, gap, inside)?,
                }
            }
        }
        Some(())
    }

    pub(super) fn can_copy_operand(
        &mut self,
        y: Handle<Expression>,
        gap: u32,
        inside: &FxHashSet<Handle<Expression>>,
    ) -> Option<()> {
        match inside.contains(&y) {
            true => Some(()),
            false => self.can_copy(y, gap, None, true),
        }
    }
}

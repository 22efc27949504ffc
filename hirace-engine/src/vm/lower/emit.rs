//! Lowers `Emit` statements, and finds loads that need no copy.

use super::function::Body;
use crate::diagnostic::Result;
use crate::ir::walk::{self, StatementId};
use naga::{Expression, Handle};
use rustc_hash::{FxHashMap, FxHashSet};

/// For each expression, the expressions of the same `Emit` that use it, once per use.
type Users = FxHashMap<Handle<Expression>, Vec<Handle<Expression>>>;

impl Body<'_, '_> {
    /// Lowers an `Emit`.
    pub(super) fn lower_emit(
        &mut self,
        at: StatementId,
        range: naga::Range<Expression>,
    ) -> Result<()> {
        self.used_up = self.used_up_loads(range.clone());
        for expression in range {
            self.count_decided(at, Some(expression))?;
            self.emit(expression)?;
        }
        Ok(())
    }

    /// Returns the loads whose values are used only inside the `Emit`. Nothing is stored there, so the
    /// variable itself can be used as the value.
    fn used_up_loads(&self, range: naga::Range<Expression>) -> FxHashSet<Handle<Expression>> {
        let all = &self.function.expressions;
        let mut users = Users::default();
        for user in range.clone() {
            walk::operands(&all[user], &mut |used| users.entry(used).or_default().push(user));
        }
        let loads = range.filter(|expression| matches!(all[*expression], Expression::Load { .. }));
        loads.filter(|load| self.is_used_up(*load, &users)).collect()
    }

    fn is_used_up(&self, expression: Handle<Expression>, users: &Users) -> bool {
        let Some(found) = users.get(&expression) else { return false };
        found.len() == self.info[expression].ref_count
            && found.iter().all(|user| match self.function.expressions[*user] {
                // These expressions do not copy, or are computed at their own users.
                Expression::Access { .. }
                | Expression::AccessIndex { .. }
                | Expression::Swizzle { .. } => self.is_used_up(*user, users),
                _ => true,
            })
    }
}

//! Loads whose values `select` alone takes.
//!
//! A load with an index out of bounds is harmless in the invocations that do not choose its value: nothing depends on it. Its index is
//! therefore checked where `select` is evaluated, under the condition on which the value is chosen.

use super::condition::Condition;
use super::walk::Walk;
use crate::ir::operands;
use crate::ir::sites::SiteId;
use crate::ir::walk;
use naga::{Expression, Function, Handle, Statement};

impl Walk<'_> {
    /// Records that the walk reaches the load `expression` at `site`.
    pub(super) fn touch_load(&mut self, expression: Handle<Expression>, site: SiteId) {
        let open = self.open_bounds.as_ref().map_or(0, Vec::len);
        self.touch(site);
        // A single invocation is followed to find faults, whatever they lead to.
        let Some(all) = self.open_bounds.as_mut().filter(|_| self.followed.is_none()) else {
            return;
        };
        let last = self.frames.len() - 1;
        let frame = &mut self.frames[last];
        frame.unchecked.remove(&expression);
        if all.len() > open && is_only_chosen(frame.function, expression) {
            all.truncate(open);
            frame.unchecked.insert(expression);
        }
    }

    /// Checks the indices of the loads from which a `select` chooses.
    pub(super) fn check_chosen(&mut self, expression: Handle<Expression>) {
        let frame = self.frame();
        let Expression::Select { condition, accept, reject } =
            frame.function.expressions[expression]
        else {
            return;
        };
        let id = frame.id;
        for (value, is_accepted) in [(accept, true), (reject, false)] {
            if !self.frame().unchecked.contains(&value) {
                continue;
            }
            let Some(site) = self.program.sites.load(id, value) else { continue };
            let Some(access) = self.program.sites.access(site) else { continue };
            let condition = self.condition(condition);
            let condition = if is_accepted { condition } else { condition.negate() };
            if condition == Condition::Known(false) {
                continue;
            }
            let (facts, is_exact) = (self.state.facts.clone(), self.state.is_exact);
            let conditions = self.conditions;
            self.conditions = conditions.max(condition.origin(&self.symbols));
            self.learn(&condition);
            self.stays_within(site, access);
            self.conditions = conditions;
            (self.state.facts, self.state.is_exact) = (facts, is_exact);
        }
    }
}

/// Returns whether a value is used only as one that `select` chooses from.
fn is_only_chosen(function: &Function, value: Handle<Expression>) -> bool {
    let is_chosen = |user: &Expression| match *user {
        Expression::Select { condition, accept, reject } => {
            condition != value && (accept == value || reject == value)
        }
        _ => false,
    };
    let mut is_used_otherwise = false;
    for (_, user) in function.expressions.iter() {
        let mut uses = false;
        walk::operands(user, &mut |operand| uses |= operand == value);
        is_used_otherwise |= uses && !is_chosen(user);
    }
    walk::statements(&function.body, &mut |_, statement, _| {
        if !matches!(statement, Statement::Emit(_)) {
            operands::of_statement(&mut operands::without_blocks(statement), &mut |operand| {
                is_used_otherwise |= *operand == value;
            });
        }
    });
    !is_used_otherwise
}

//! Relations between the statements of a function.

use super::{Body, Statement, StatementKind};
use crate::ir::walk::StatementId;
use naga::Barrier;

/// The relation between two statements of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementRelation {
    /// In sequence. The fields are the statements of the innermost common block that are, or contain, the two.
    Sequence(StatementId, StatementId),
    /// Parts of one statement (a loop included, or an `if` or `switch` with one of them in its condition).
    SameStatement,
    /// In two arms of this `if` or `switch`.
    Branches(StatementId),
}

impl Body {
    /// Iterates over the statement and its enclosing statements, innermost first.
    pub fn self_and_ancestors(&self, id: StatementId) -> impl Iterator<Item = StatementId> {
        let parent = |id: &StatementId| self.statement(*id).parent.map(|(parent, _)| parent);
        std::iter::successors(Some(id), parent)
    }

    /// Returns the statements of the innermost common block that are, or contain, `a` and `b`.
    pub fn siblings(&self, a: StatementId, b: StatementId) -> (StatementId, StatementId) {
        for at in self.self_and_ancestors(a) {
            let parent = self.statement(at).parent;
            let same_block = |other: &StatementId| self.statement(*other).parent == parent;
            if let Some(other) = self.self_and_ancestors(b).find(same_block) {
                return (at, other);
            }
        }
        (a, b)
    }

    /// Returns the relation between the statements `a` and `b`, in either order.
    pub fn between(&self, a: StatementId, b: StatementId) -> StatementRelation {
        let (first, second) = self.siblings(a.min(b), a.max(b));
        if first == second {
            return match self.statement(first).kind {
                StatementKind::If | StatementKind::Switch => StatementRelation::Branches(first),
                _ => StatementRelation::SameStatement,
            };
        }
        let (from, to) = (self.statement(first).span, self.statement(second).span);
        // naga splits one source statement into several: the loads of a condition or an operand precede the `if` or the
        // assignment that they are part of.
        match to.start <= from.start && from.end <= to.end {
            true => StatementRelation::SameStatement,
            false => StatementRelation::Sequence(first, second),
        }
    }

    /// Returns whether a barrier that orders `class` is between `a` and `b`, in their innermost common block.
    pub fn barrier_between(&self, a: StatementId, b: StatementId, class: Barrier) -> bool {
        let (first, second) = self.siblings(a.min(b), a.max(b));
        let parent = self.statement(first).parent;
        let mut between = self.all().skip(first.index()).take_while(|(id, _)| *id < second);
        between.any(|(_, at)| at.parent == parent && at.orders.contains(class))
    }

    /// Returns the innermost loop that encloses both statements.
    pub fn common_loop(&self, a: StatementId, b: StatementId) -> Option<StatementId> {
        let mut around = self.self_and_ancestors(a);
        around.find(|at| {
            self.statement(*at).kind == StatementKind::Loop && self.order().holds(*at, b)
        })
    }

    /// Returns whether a barrier that orders `class` is anywhere in the statement `outer`.
    pub fn holds_barrier(&self, outer: StatementId, class: Barrier) -> bool {
        let mut inside =
            self.all().skip(outer.index()).take_while(|(id, _)| self.order().holds(outer, *id));
        inside.any(|(_, at)| at.orders.contains(class))
    }

    /// Returns the first statement in a nested block of another.
    pub fn first_in(&self, of: StatementId, block: usize) -> Option<StatementId> {
        let is_in = |(_, at): &(StatementId, &Statement)| at.parent == Some((of, block));
        self.all().skip(of.index()).find(is_in).map(|(id, _)| id)
    }

    /// Returns the last statement in a nested block of another.
    pub fn last_in(&self, of: StatementId, block: usize) -> Option<StatementId> {
        let inside = self.all().skip(of.index()).take_while(|(id, _)| self.order().holds(of, *id));
        inside.filter(|(_, at)| at.parent == Some((of, block))).last().map(|(id, _)| id)
    }

    /// Returns the last statement in the body of a loop. The body of a `for` or `while` is a nested block.
    pub fn loop_body_last(&self, of: StatementId) -> Option<StatementId> {
        let mut last = self.last_in(of, 0)?;
        while self.statement(last).kind == StatementKind::Block
            && let Some(inner) = self.last_in(last, 0)
        {
            last = inner;
        }
        Some(last)
    }
}

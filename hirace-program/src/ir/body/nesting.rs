//! How the statements of a function lie to each other.

use super::{Body, Statement, StatementKind};
use crate::ir::walk::StatementId;
use naga::Barrier;

/// How two statements of a function lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// In sequence: each is, or is held by, one of these of the innermost block that holds both.
    Sequence(StatementId, StatementId),
    /// Parts of one statement (a loop, an `if` or `switch` of which one is the condition included).
    Same,
    /// In two arms of this `if` or `switch`.
    Branches(StatementId),
}

impl Body {
    /// The statement itself and those around it, innermost first.
    pub fn around(&self, id: StatementId) -> impl Iterator<Item = StatementId> {
        let parent = |id: &StatementId| self.statement(*id).parent.map(|(parent, _)| parent);
        std::iter::successors(Some(id), parent)
    }

    /// The statements that hold `a` and `b` in the innermost block that holds both.
    pub fn siblings(&self, a: StatementId, b: StatementId) -> (StatementId, StatementId) {
        for at in self.around(a) {
            let parent = self.statement(at).parent;
            let same_block = |other: &StatementId| self.statement(*other).parent == parent;
            if let Some(other) = self.around(b).find(same_block) {
                return (at, other);
            }
        }
        (a, b)
    }

    /// How the statements `a` and `b`, in either order, lie to each other.
    pub fn between(&self, a: StatementId, b: StatementId) -> Between {
        let (first, second) = self.siblings(a.min(b), a.max(b));
        if first == second {
            return match self.statement(first).kind {
                StatementKind::If | StatementKind::Switch => Between::Branches(first),
                _ => Between::Same,
            };
        }
        let (from, to) = (self.statement(first).span, self.statement(second).span);
        // naga makes several statements of one: what a condition or an operand loads comes before the
        // `if` or the assignment that it is part of.
        match to.start <= from.start && from.end <= to.end {
            true => Between::Same,
            false => Between::Sequence(first, second),
        }
    }

    /// Whether a barrier that orders `class` stands between `a` and `b`, in the innermost block of both.
    pub fn barrier_between(&self, a: StatementId, b: StatementId, class: Barrier) -> bool {
        let (first, second) = self.siblings(a.min(b), a.max(b));
        let parent = self.statement(first).parent;
        let mut between = self.all().skip(first.index()).take_while(|(id, _)| *id < second);
        between.any(|(_, at)| at.parent == parent && at.orders.contains(class))
    }

    /// The innermost loop around both.
    pub fn common_loop(&self, a: StatementId, b: StatementId) -> Option<StatementId> {
        let mut around = self.around(a);
        around.find(|at| {
            self.statement(*at).kind == StatementKind::Loop && self.order().holds(*at, b)
        })
    }

    /// Whether a barrier that orders `class` stands anywhere in the statement `outer`.
    pub fn holds_barrier(&self, outer: StatementId, class: Barrier) -> bool {
        let mut inside =
            self.all().skip(outer.index()).take_while(|(id, _)| self.order().holds(outer, *id));
        inside.any(|(_, at)| at.orders.contains(class))
    }

    /// The first statement in a block of another.
    pub fn first_in(&self, of: StatementId, block: usize) -> Option<StatementId> {
        let is_in = |(_, at): &(StatementId, &Statement)| at.parent == Some((of, block));
        self.all().skip(of.index()).find(is_in).map(|(id, _)| id)
    }

    /// The last statement in a block of another.
    pub fn last_in(&self, of: StatementId, block: usize) -> Option<StatementId> {
        let inside = self.all().skip(of.index()).take_while(|(id, _)| self.order().holds(of, *id));
        inside.filter(|(_, at)| at.parent == Some((of, block))).last().map(|(id, _)| id)
    }

    /// The last statement in the body of a loop. The body of a `for` or `while` is a block of its own.
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

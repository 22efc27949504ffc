//! The arms of branches and the cases of loops that can occur in some launch.
//!
//! [`possible_cases`](crate::prove::possible_cases) computes them: everything that it does not exclude is possible.

use super::body::{Arm, Bodies, Entry};
use super::walk::{FunctionId, StatementId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A nested block: its statement, and its index in the statement.
pub type BlockRef = (StatementId, usize);

/// The numbers of iterations after which a loop can be left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoopCases {
    /// It can be left after no iteration.
    pub zero: bool,
    /// It can be left after one iteration.
    pub once: bool,
    /// It can be left after more iterations.
    pub many: bool,
}

impl LoopCases {
    /// All cases.
    pub const ALL: Self = Self { zero: true, once: true, many: true };
}

/// The arms and cases that can occur. See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct PossibleCases {
    /// The functions about which anything is known.
    pub(crate) known: BTreeSet<FunctionId>,
    /// The blocks of statements that control can enter.
    pub(crate) entered: FxHashSet<(FunctionId, BlockRef)>,
    pub(crate) loops: FxHashMap<(FunctionId, StatementId), LoopCases>,
}

impl PossibleCases {
    /// Returns whether control can enter an arm.
    pub fn may_enter(&self, bodies: &Bodies, arm: &Arm) -> bool {
        let function = bodies.branch(arm.branch).function;
        let may_enter = |entry: &Entry| match *entry {
            Entry::Block { statement, block } => {
                self.entered.contains(&(function, (statement, block)))
            }
            Entry::Value { statement, .. } => self.may_reach(bodies, function, statement),
        };
        !self.known.contains(&function)
            || arm.entries.is_empty()
            || arm.entries.iter().any(may_enter)
    }

    /// Returns the cases of a loop.
    pub fn of_loop(&self, function: FunctionId, statement: StatementId) -> LoopCases {
        match self.known.contains(&function) {
            true => self.loops.get(&(function, statement)).copied().unwrap_or_default(),
            false => LoopCases::ALL,
        }
    }

    /// Returns whether control can enter all blocks that enclose a statement.
    fn may_reach(&self, bodies: &Bodies, function: FunctionId, statement: StatementId) -> bool {
        let body = bodies.get(function);
        let mut enclosing =
            std::iter::successors(body.statement(statement).parent, |&(outer, _)| {
                body.statement(outer).parent
            });
        enclosing.all(|block| self.entered.contains(&(function, block)))
    }
}

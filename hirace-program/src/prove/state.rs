//! The abstract state at a point of a kernel.

use super::form::Form;
use super::interval::{BarrierId, Interval};
use super::symbol::Level;
use super::value::{Value, Variable};
use crate::ir::memory::Space;
use std::collections::BTreeMap;

/// The limit on facts that are kept for a path.
const MAX_FACTS: usize = 48;

/// The kinds of memory, each with its own barriers.
pub(super) const SPACES: [Space; 3] = [Space::Storage, Space::Workgroup, Space::Texture];

/// What reaching a point depends on. Each field is the level at which invocations agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flow {
    /// The enclosing branches.
    pub branch: Level,
    /// That the innermost loop or switch was not left by `break`.
    pub broke: Level,
    /// That this iteration of the innermost loop was not left by `continue`.
    pub continued: Level,
    /// That the function did not return.
    pub returned: Level,
}

impl Flow {
    /// Returns the level at which invocations agree on reaching the point.
    pub fn level(self) -> Level {
        self.branch.max(self.broke).max(self.continued).max(self.returned)
    }

    /// Returns the flow at the start of the body of a loop. For jumps inside the loop, the invocations that reach it are all that
    /// exist.
    pub fn into_loop(self) -> Self {
        let returned = self.returned;
        Self { branch: self.level(), returned, ..Self::default() }
    }

    /// Returns the flow with its own branch level, and the joined levels of jumps on both paths.
    pub fn with_jumps_of(self, other: Self) -> Self {
        Self {
            branch: self.branch,
            broke: self.broke.max(other.broke),
            continued: self.continued.max(other.continued),
            returned: self.returned.max(other.returned),
        }
    }
}

/// The abstract state. See the [module](self).
#[derive(Clone, Debug)]
pub(super) struct State {
    /// Whether any invocation reaches this point.
    pub is_live: bool,
    /// The values of variables.
    pub variables: BTreeMap<Variable, Value>,
    /// Forms that are nonnegative at this point.
    pub facts: Vec<Form>,
    /// By [`SPACES`]: the interval between barriers.
    pub intervals: [Interval; 3],
    /// What reaching this point depends on.
    pub flow: Flow,
    /// Whether each invocation for which the facts hold reaches this point, in the first iteration of each enclosing loop. In
    /// later iterations, it does if it also reached the end of the iteration before. `false` if that is not known. Only walks that
    /// follow an invocation keep it up to date across loops.
    pub is_exact: bool,
}

impl State {
    /// Returns the state before the first statement.
    pub fn start() -> Self {
        let start = || Interval::after(BarrierId(0), &[]);
        Self {
            is_live: true,
            variables: BTreeMap::new(),
            facts: Vec::new(),
            intervals: [start(), start(), start()],
            flow: Flow::default(),
            is_exact: true,
        }
    }

    /// Adds facts, up to the limit.
    pub fn learn(&mut self, facts: Vec<Form>) {
        for fact in facts {
            if self.facts.contains(&fact) {
                continue;
            }
            if self.facts.len() < MAX_FACTS {
                self.facts.push(fact);
            } else {
                self.is_exact = false;
            }
        }
    }

    /// Removes facts that `other` does not have.
    pub fn retain_common_facts(&mut self, other: &Self) {
        self.facts.retain(|fact| other.facts.contains(fact));
    }
}

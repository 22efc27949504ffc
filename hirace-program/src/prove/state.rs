//! What is known at a point of a kernel.

use super::form::Form;
use super::interval::Interval;
use super::symbol::Level;
use super::value::{Value, Variable};
use crate::ir::memory::Space;
use std::collections::BTreeMap;

/// Most facts that are kept of the way to a point.
const MOST_FACTS: usize = 48;

/// The kinds of memory, each with barriers of its own.
pub(super) const SPACES: [Space; 3] = [Space::Storage, Space::Workgroup, Space::Texture];

/// What being at a point hangs on: each says for whom it comes out the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flow {
    /// Inside of branches.
    pub branch: Level,
    /// That the innermost loop or switch was not left.
    pub broke: Level,
    /// That this turn of the innermost loop was not left.
    pub continued: Level,
    /// That the function was not left.
    pub returned: Level,
}

impl Flow {
    /// All of it.
    pub fn level(self) -> Level {
        self.branch.max(self.broke).max(self.continued).max(self.returned)
    }

    /// What jumps were taken on either way, beside what of itself.
    pub fn with_jumps_of(self, other: Self) -> Self {
        Self {
            branch: self.branch,
            broke: self.broke.max(other.broke),
            continued: self.continued.max(other.continued),
            returned: self.returned.max(other.returned),
        }
    }
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub(super) struct State {
    /// Whether anybody gets here.
    pub live: bool,
    /// What variables hold.
    pub variables: BTreeMap<Variable, Value>,
    /// Forms that are not negative here.
    pub facts: Vec<Form>,
    /// By [`SPACES`]: between which barriers this is.
    pub intervals: [Interval; 3],
    /// Who comes here.
    pub flow: Flow,
}

impl State {
    /// Takes note of what holds.
    pub fn learn(&mut self, facts: Vec<Form>) {
        for fact in facts {
            if self.facts.len() < MOST_FACTS && !self.facts.contains(&fact) {
                self.facts.push(fact);
            }
        }
    }

    /// Only keeps what `other` knows too.
    pub fn forget_what_is_unknown_to(&mut self, other: &Self) {
        self.facts.retain(|fact| other.facts.contains(fact));
    }
}

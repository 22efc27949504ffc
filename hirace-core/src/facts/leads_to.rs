//! What can come of a race.

use super::number::Number;
use super::place::Place;

/// What can come of a race, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LeadsTo {
    /// What can come of it in memory, or of what is read.
    pub outcome: Option<Outcome>,
    /// What a value that the race decides can decide, by place: the worst that can come of it.
    pub reaches: Vec<Reach>,
    /// How many more of those there are.
    pub more: usize,
}

impl LeadsTo {
    /// Takes over what a larger launch shows: what was so in one launch alone is not said where another shows it otherwise.
    pub fn widen(&mut self, larger: &Self) {
        let hangs_on_launch =
            matches!(self.outcome, Some(Outcome::SameValue(same)) if !same.always);
        if hangs_on_launch && !matches!(larger.outcome, Some(Outcome::SameValue(_))) {
            self.outcome.clone_from(&larger.outcome);
        }
    }
}

/// What can come of a race in memory, or of what is read.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Whoever wins, the word holds the same. It is a race all the same.
    SameValue(SameValue),
    /// Both read the word, and then write what depends on that: of the two updates one can be lost.
    LostUpdate {
        /// Where it is read.
        load: Place,
        /// Where it is written.
        store: Place,
        /// How that depends on what was read.
        by: Dependence,
    },
    /// A plain read sees the value before the other's write or after it.
    StaleRead {
        /// The read.
        read: Place,
    },
}

impl Outcome {
    /// What it is called in reports' JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::SameValue(_) => "same-value",
            Self::LostUpdate { .. } => "lost-update",
            Self::StaleRead { .. } => "stale-read",
        }
    }
}

/// That all racing writes write the same to a word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SameValue {
    /// Whether they do so in every launch, and not just in the one that was seen.
    pub always: bool,
    /// What they write, if it is the same to all words and a number of the source.
    pub value: Option<Number>,
    /// On how many words it was seen; for all that they write always.
    pub words: u64,
}

/// How a write depends on what was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependence {
    /// What is written is made of it.
    Value,
    /// Whether anything is written hangs on it.
    Control,
}

/// What a value that a race decides can decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// What that is.
    pub what: Decided,
    /// Where it is.
    pub place: Place,
}

/// What a value can decide that makes it dangerous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decided {
    /// An index: which memory is touched.
    Index,
    /// Whether a loop goes on: whether the kernel ends.
    LoopBound,
}

impl Decided {
    /// What it is called in reports' JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::LoopBound => "loop-bound",
        }
    }
}

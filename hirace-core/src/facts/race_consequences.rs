//! Consequences of a race.

use super::number::Number;
use super::place::Place;

/// The known consequences of a race.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RaceConsequences {
    /// The effect on memory or on a value that is read.
    pub outcome: Option<Outcome>,
    /// The locations at which a value determined by the race becomes dangerous.
    pub reaches: Vec<Reach>,
    /// The number of further such locations.
    pub more: usize,
}

impl RaceConsequences {
    /// Returns whether all racing accesses write the same value in every launch.
    pub fn writes_same_value(&self) -> bool {
        matches!(self.outcome, Some(Outcome::SameValue(same)) if same.always)
    }

    /// Merges in the consequences that a larger launch shows. An outcome that holds only for one launch is replaced if
    /// the larger launch shows another.
    #[doc(hidden)]
    pub fn widen(&mut self, larger: &Self) {
        let hangs_on_launch =
            matches!(self.outcome, Some(Outcome::SameValue(same)) if !same.always);
        if hangs_on_launch && !matches!(larger.outcome, Some(Outcome::SameValue(_))) {
            self.outcome.clone_from(&larger.outcome);
        }
    }
}

/// The effect of a race on memory or on a value that is read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// All racing writes store the same value, so the word holds the same whichever comes last. It is still a race.
    SameValue(SameValue),
    /// Both invocations read the word and then write a value that depends on the read, so one of the two updates can be
    /// lost.
    LostUpdate {
        /// The location of the read.
        load: Place,
        /// The location of the write.
        store: Place,
        /// How the write depends on the read.
        by: Dependence,
    },
    /// A plain read sees the value from before or after the other invocation's write.
    StaleRead {
        /// The location of the read.
        read: Place,
    },
}

impl Outcome {
    /// Returns the name used in JSON reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::SameValue(_) => "same-value",
            Self::LostUpdate { .. } => "lost-update",
            Self::StaleRead { .. } => "stale-read",
        }
    }
}

/// The fact that all racing writes store the same value to a word.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SameValue {
    /// Whether this holds in every launch, and not only in the one that was observed.
    pub always: bool,
    /// The value, if it is the same for all words and is a number of the source.
    pub value: Option<Number>,
    /// The number of words on which this was observed; all words of the race if it always holds.
    pub words: u64,
}

/// How a write depends on a read value: through data or through control flow. There are no other ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependence {
    /// The written value is computed from the read value.
    Value,
    /// The read value decides whether the write is executed.
    Control,
}

/// A location at which a value determined by a race becomes dangerous.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reach {
    /// What the value determines there.
    pub what: DangerousUse,
    /// The source location.
    pub place: Place,
}

/// A use of a value that makes a race dangerous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DangerousUse {
    /// An index, which determines the memory that is accessed.
    Index,
    /// A loop condition, which determines whether the kernel terminates.
    LoopBound,
}

impl DangerousUse {
    /// Returns the name used in JSON reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::LoopBound => "loop-bound",
        }
    }
}

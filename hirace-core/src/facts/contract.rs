//! Contracts: for which launches an entry point is safe.

use super::finding::Finding;
use super::kind::{Kind, Severity, Verdict};
use super::place::Place;
use super::replay::Replay;
use crate::program::Language;
use crate::source_map::SourceMap;

/// What is known about all launches of an entry point.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Contract {
    /// The source that all source locations refer to.
    pub source: SourceMap,
    /// The language of the source.
    #[doc(hidden)]
    pub language: Language,
    /// The name of the entry point.
    pub entry: String,
    /// What was proved.
    pub outcome: ContractOutcome,
}

/// What was proved about all launches of an entry point.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ContractOutcome {
    /// Every launch that meets all conditions has no race, no divergent barrier and no index out of bounds.
    Proved(Vec<Condition>),
    /// No condition was found that excludes this fault.
    Open(Violation),
    /// A limit of the analysis was exceeded.
    TooComplex,
}

impl ContractOutcome {
    /// Returns the verdict on a proved entry point, or `None` if it was not proved.
    pub(crate) fn proved_verdict(&self) -> Option<Verdict> {
        match self {
            Self::Proved(conditions) if conditions.is_empty() => Some(Verdict::Proved),
            Self::Proved(_) => Some(Verdict::ProvedIf),
            Self::Open(_) | Self::TooComplex => None,
        }
    }

    /// Returns the commands that show faults.
    pub fn replays_mut(&mut self) -> impl Iterator<Item = &mut Replay> {
        let (conditions, open) = match self {
            Self::Proved(conditions) => (&mut conditions[..], None),
            Self::Open(open) => (&mut [][..], Some(open)),
            Self::TooComplex => (&mut [][..], None),
        };
        let otherwise = conditions.iter_mut().map(|condition| &mut condition.otherwise);
        otherwise.chain(open).filter_map(|violation| violation.shown_by.as_mut())
    }
}

/// A condition of a contract.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Condition {
    /// The condition.
    pub inequality: Inequality,
    /// What may happen in a launch that does not meet it.
    pub otherwise: Violation,
}

/// A fault that some launches may have.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Violation {
    /// The kind of the fault.
    pub kind: Kind,
    /// The severity in the launch that shows the fault; `Error` if none does.
    pub severity: Severity,
    /// The accesses; empty for a barrier.
    pub places: Vec<Place>,
    /// The command that runs a launch which has the fault, if one was found by running it.
    pub shown_by: Option<Replay>,
    /// Whether the fault depends on contents of memory, in addition to the ids of invocations and to what the contract can speak
    /// of.
    pub depends_on_contents: bool,
    /// Whether the launch has the fault whatever the host chooses for all that the flags do not give.
    pub is_certain: bool,
}

impl Violation {
    /// Returns whether a finding is of this kind and at these accesses.
    pub fn is_shown_by(&self, finding: &Finding) -> bool {
        let at = finding.places();
        finding.kind() == self.kind
            && self.places.iter().all(|place| at.contains(place))
            && at.iter().all(|place| self.places.contains(place))
    }
}

/// The inequality `left ≥ right` between sums of values that the host gives. Both are computed without wrapping.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inequality {
    /// The left side.
    pub left: Sum,
    /// The right side.
    pub right: Sum,
}

/// A sum of values that the host gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sum {
    /// The constant term.
    pub constant: i64,
    /// The other terms, each with its positive factor.
    pub terms: Vec<(i64, Term)>,
}

/// A term of a sum.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Term {
    /// The number of workgroups in this dimension.
    Workgroups(usize),
    /// The length of this runtime-sized array: `points`, `list.items`.
    Length(String),
    /// The number in this field of a buffer: `size`, `params.size.x`.
    Field(String),
    /// The product of two differences of sums.
    Product(Box<[Difference; 2]>),
}

/// The difference of two sums.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The sum of the terms that are added.
    pub plus: Sum,
    /// The sum of the terms that are subtracted.
    pub minus: Sum,
}

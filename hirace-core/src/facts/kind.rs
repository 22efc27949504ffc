//! Kinds of findings, how sure they are, and what may be concluded of them.

use serde::{Deserialize, Serialize};

/// What may be concluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Checked, nothing found.
    Clean,
    /// Something certain was found.
    Findings,
    /// Nothing may be concluded: sites that never ran, or findings that hang on guesses alone.
    Inconclusive,
}

/// What kind of bug. The rule codes are HR001 and so on, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// HR001
    DataRace,
    /// HR002
    BarrierDivergence,
    /// HR003
    OutOfBounds,
    /// HR004
    NoProgress,
    /// HR005
    #[serde(rename = "assertion-failed")]
    Assertion,
}

impl Kind {
    /// All of them, by code.
    pub const ALL: [Self; 5] = [
        Self::DataRace,
        Self::BarrierDivergence,
        Self::OutOfBounds,
        Self::NoProgress,
        Self::Assertion,
    ];

    /// `HR001` and so on.
    pub const fn code(self) -> &'static str {
        match self {
            Self::DataRace => "HR001",
            Self::BarrierDivergence => "HR002",
            Self::OutOfBounds => "HR003",
            Self::NoProgress => "HR004",
            Self::Assertion => "HR005",
        }
    }

    /// `data-race` and so on.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DataRace => "data-race",
            Self::BarrierDivergence => "barrier-divergence",
            Self::OutOfBounds => "out-of-bounds",
            Self::NoProgress => "no-progress",
            Self::Assertion => "assertion-failed",
        }
    }

    /// What `// hirace: allow(…)` calls it.
    pub const fn allow(self) -> &'static str {
        match self {
            Self::DataRace => "race",
            Self::BarrierDivergence => "divergence",
            Self::OutOfBounds => "bounds",
            Self::NoProgress => "no-progress",
            Self::Assertion => "assertion",
        }
    }

    /// The kind that goes by `name`, which is its code or one of its names, in any case.
    pub fn find(name: &str) -> Option<Self> {
        let named = |kind: &Self| {
            [kind.code(), kind.name(), kind.allow()]
                .iter()
                .any(|own| own.eq_ignore_ascii_case(name))
        };
        Self::ALL.into_iter().find(named)
    }
}

/// Whether a finding hangs on what was guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// It follows from the program and what was given.
    Certain,
    /// It needs contents, lengths or a grid that were guessed.
    Possible,
}

//! Kinds of findings, their certainty, and verdicts.

use serde::{Deserialize, Serialize};

/// The verdict of a check, from best to worst. The verdict on several launches is the worst of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Verdict {
    /// Every launch within WebGPU's limits is safe: it has no race, no divergent barrier and no access out of bounds, unless its
    /// value is not used.
    Proved,
    /// The given launch was checked completely, and nothing was found, or only warnings.
    Clean,
    /// Every launch that meets the conditions of the contract is safe.
    ProvedIf,
    /// Nothing was found in the guessed launches, and all sites ran. Other launches may have findings.
    NoFindings,
    /// No conclusion is possible: some sites never ran, or all findings depend on guesses.
    Inconclusive,
    /// At least one certain finding that is not a warning.
    Findings,
}

impl Verdict {
    /// All verdicts, from best to worst.
    pub const ALL: [Self; 6] = [
        Self::Proved,
        Self::Clean,
        Self::ProvedIf,
        Self::NoFindings,
        Self::Inconclusive,
        Self::Findings,
    ];

    /// Returns the name of the verdict in texts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Clean => "clean",
            Self::ProvedIf => "proved if",
            Self::NoFindings => "no findings",
            Self::Inconclusive => "inconclusive",
            Self::Findings => "findings",
        }
    }

    /// Returns whether a check with this verdict succeeds: nothing was found, and nothing is missing.
    pub const fn is_success(self) -> bool {
        matches!(self, Self::Proved | Self::Clean | Self::ProvedIf | Self::NoFindings)
    }
}

/// The kind of a bug. The rule codes are `HR001` and so on, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Kind {
    /// HR001: a data race.
    DataRace,
    /// HR002: a barrier that not all invocations reach.
    BarrierDivergence,
    /// HR003: an access out of bounds.
    OutOfBounds,
    /// HR004: a kernel that does not terminate.
    NoProgress,
    /// HR005: an assertion that failed.
    #[serde(rename = "assertion-failed")]
    Assertion,
    /// HR006: control flow that WGSL requires to be uniform and that is not provably so. It is a warning and not a finding: a
    /// browser refuses the module, but no run need be wrong.
    #[serde(rename = "non-uniform-control-flow")]
    NonUniform,
}

impl Kind {
    /// Returns whether a proof that an entry point is safe excludes findings of this kind.
    pub const fn is_covered_by_contracts(self) -> bool {
        matches!(self, Self::DataRace | Self::BarrierDivergence | Self::OutOfBounds)
    }

    /// Returns the position of the kind in the order of causes. An index out of bounds is clamped, and then leads to races; a
    /// barrier that not all invocations reach does not order accesses.
    pub(crate) const fn order_of_causes(self) -> u8 {
        match self {
            Self::OutOfBounds => 0,
            Self::BarrierDivergence => 1,
            Self::DataRace => 2,
            Self::NoProgress => 3,
            Self::Assertion => 4,
            Self::NonUniform => 5,
        }
    }

    /// All kinds, in the order of their codes.
    pub const ALL: &'static [Self] = &[
        Self::DataRace,
        Self::BarrierDivergence,
        Self::OutOfBounds,
        Self::NoProgress,
        Self::Assertion,
        Self::NonUniform,
    ];

    /// Returns the rule code: `HR001` and so on.
    pub const fn code(self) -> &'static str {
        match self {
            Self::DataRace => "HR001",
            Self::BarrierDivergence => "HR002",
            Self::OutOfBounds => "HR003",
            Self::NoProgress => "HR004",
            Self::Assertion => "HR005",
            Self::NonUniform => "HR006",
        }
    }

    /// Returns the rule name: `data-race` and so on.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DataRace => "data-race",
            Self::BarrierDivergence => "barrier-divergence",
            Self::OutOfBounds => "out-of-bounds",
            Self::NoProgress => "no-progress",
            Self::Assertion => "assertion-failed",
            Self::NonUniform => "non-uniform-control-flow",
        }
    }

    /// Returns the name used in `// hirace: allow(…)`.
    pub const fn directive_name(self) -> &'static str {
        match self {
            Self::DataRace => "race",
            Self::BarrierDivergence => "divergence",
            Self::OutOfBounds => "bounds",
            Self::NoProgress => "no-progress",
            Self::Assertion => "assertion",
            Self::NonUniform => "uniformity",
        }
    }

    /// Returns the kind whose code or name is `name`, ignoring case.
    pub fn find(name: &str) -> Option<Self> {
        let named = |kind: &Self| {
            [kind.code(), kind.name(), kind.directive_name()]
                .iter()
                .any(|own| own.eq_ignore_ascii_case(name))
        };
        Self::ALL.iter().copied().find(named)
    }
}

/// The severity of a finding, by its consequence. There are only these two cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The finding can change what the kernel does.
    Error,
    /// The finding breaks a rule and changes nothing: a read out of bounds whose value is not used, or a race in which all
    /// invocations write the same value in every launch. It does not count for the verdict.
    Warning,
}

/// Whether a finding depends on assumptions. There are only these two cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// The finding follows from the program and from what was given.
    Certain,
    /// The finding depends on contents, lengths or a grid that were guessed.
    Possible,
}

//! The results of the verb `contract`. Their JSON form is `hirace.contract/1`.

use super::words;
use crate::event::InputError;
use crate::facts::contract::{Contract, ContractOutcome, Violation};
use crate::report::words::{quote, replay_flags};
use serde::{Deserialize, Serialize};

/// The name of the JSON schema.
pub const SCHEMA: &str = "hirace.contract/1";

/// The contracts of all entry points of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Results {
    /// `hirace.contract/1`.
    pub schema: String,
    /// The worst of the entry points' verdicts; at best inconclusive if there are errors or no entry points.
    pub verdict: Verdict,
    /// The entry points, in the order of the inputs.
    pub entries: Vec<EntryReport>,
    /// The inputs that could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<InputError>,
    /// What differs between runs of the same command. Absent with `--no-timing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
}

/// The time that a run took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Timing {
    /// The duration of the run in seconds.
    pub seconds: f64,
}

/// What is known about all launches of an entry point, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Verdict {
    /// Every launch within WebGPU's limits is safe.
    Proved,
    /// Every launch that meets the conditions is safe.
    ProvedIf,
    /// Neither proved nor refuted.
    Inconclusive,
    /// A launch has a fault that no host avoids.
    Findings,
}

/// The contract of an entry point.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EntryReport {
    /// The file.
    pub file: String,
    /// The entry point.
    pub entry: String,
    /// The verdict on the entry point.
    pub verdict: Verdict,
    /// The values of overrides and const parameters that were chosen because they have neither a value nor a default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<AssumedValue>,
    /// The conditions under which every launch is safe.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<ContractReport>,
    /// The first fault that no condition was found to exclude.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<ViolationReport>,
}

/// The value of an override or a const parameter that was not given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AssumedValue {
    /// The name.
    pub name: String,
    /// The value.
    pub value: f64,
}

/// A condition of a contract.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ContractReport {
    /// The condition: `arrayLength(&out) >= 64 * dispatch.x`. Numbers do not wrap.
    pub condition: String,
    /// What may happen in a launch that does not meet the condition.
    pub otherwise: ViolationReport,
}

/// A fault that some launches may have.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ViolationReport {
    /// The rule code: `HR001`.
    pub rule: String,
    /// The fault, in words.
    pub message: String,
    /// The line of each access.
    pub lines: Vec<u32>,
    /// The flags of a launch that was run and has the fault. Absent if no such launch was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown_by: Option<String>,
}

impl Results {
    /// Creates the results of these entry points.
    pub fn new(entries: Vec<EntryReport>, errors: Vec<InputError>, timing: Option<Timing>) -> Self {
        let verdicts = entries.iter().map(|entry| entry.verdict);
        let worst = verdicts.max().unwrap_or(Verdict::Inconclusive);
        let verdict = if errors.is_empty() { worst } else { worst.max(Verdict::Inconclusive) };
        Self { schema: SCHEMA.to_owned(), verdict, entries, errors, timing }
    }

    /// Returns the results as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

impl EntryReport {
    /// Puts the contract of a program with these assumed values into words.
    pub fn new(contract: &Contract, assumed: &[(String, f64)]) -> Self {
        let violation = |of: &Violation| ViolationReport {
            rule: of.kind.code().to_owned(),
            message: words::violation(contract, of),
            lines: of.places.iter().map(|place| place.at.line).collect(),
            shown_by: of.shown_by.as_deref().map(replay_flags),
        };
        let (verdict, conditions, open) = match &contract.outcome {
            ContractOutcome::Proved(conditions) => {
                let reports = conditions.iter().map(|condition| ContractReport {
                    condition: words::condition(contract.language, &condition.inequality),
                    otherwise: violation(&condition.otherwise),
                });
                let is_free = conditions.is_empty();
                let verdict = if is_free { Verdict::Proved } else { Verdict::ProvedIf };
                (verdict, reports.collect(), None)
            }
            ContractOutcome::Open(open) => {
                let is_certain = open.is_certain;
                let verdict = if is_certain { Verdict::Findings } else { Verdict::Inconclusive };
                (verdict, Vec::new(), Some(violation(open)))
            }
            ContractOutcome::TooComplex => (Verdict::Inconclusive, Vec::new(), None),
        };
        let (file, entry) = (contract.source.name().to_owned(), contract.entry.clone());
        let assumed = assumed.iter();
        let assumed =
            assumed.map(|(name, value)| AssumedValue { name: name.clone(), value: *value });
        Self { file, entry, verdict, assumed: assumed.collect(), conditions, open }
    }

    /// Returns the command that repeats a launch.
    pub(super) fn command(&self, flags: &str) -> String {
        let assumed = self.assumed.iter().map(|AssumedValue { name, value }| {
            format!("--override {} ", quote(&format!("{name}={value}")))
        });
        let assumed: String = assumed.collect();
        let (file, entry) = (quote(&self.file), quote(&self.entry));
        format!("hirace check {file} --entry {entry} {assumed}{flags}")
    }
}

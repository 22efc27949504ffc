//! The results of the verb `contract`. Their JSON form is `hirace.contract/1`.

use crate::event::InputError;
use crate::facts::contract::{Contract, ContractOutcome};
use crate::facts::{Severity, Verdict};
use crate::finding::verdict::worst_verdict;
use crate::report::document;
use crate::report::words::{self, Context};
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
    /// What is known about every launch.
    pub contract: document::Contract,
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

impl Results {
    /// Creates the results of these entry points.
    pub fn new(entries: Vec<EntryReport>, errors: Vec<InputError>, timing: Option<Timing>) -> Self {
        let verdict = worst_verdict(entries.iter().map(|entry| entry.verdict), !errors.is_empty());
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
        let verdict = match &contract.outcome {
            ContractOutcome::Open(open) if open.is_certain && open.severity == Severity::Error => {
                Verdict::Findings
            }
            outcome => outcome.proved_verdict().unwrap_or(Verdict::Inconclusive),
        };
        let Contract { source, language, entry, outcome } = contract;
        let context = Context { source, language: *language, host: None };
        let assumed = assumed.iter();
        let assumed =
            assumed.map(|(name, value)| AssumedValue { name: name.clone(), value: *value });
        Self {
            file: source.name().to_owned(),
            entry: entry.clone(),
            verdict,
            assumed: assumed.collect(),
            contract: words::contract(context, outcome),
        }
    }
}

//! The tests: a line each, or as JSON.

use super::aligned;
use super::notation::{condition, threads};
use crate::results::Tested;
use crate::test::definition::{Definition, Thread};
use crate::test::{Memory, Mutator, Specification, Test, ThreadsIn};
use serde::Serialize;
use tabled::builder::Builder;

/// What a list says: `hirace.litmus-tests/1`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Listing {
    /// `hirace.litmus-tests/1`.
    pub schema: &'static str,
    /// The version of the specification that says which are conformance tests.
    pub specification: &'static str,
    /// The tests.
    pub tests: Vec<Listed>,
}

/// A test in a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// `conformance`, `mutant` or `observation`.
    pub kind: String,
    /// The conformance test that a mutant was made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// How it was made, if it was made of a happens-before cycle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mutator: Option<Mutator>,
    /// Whether its threads are in one workgroup.
    pub one_workgroup: bool,
    /// Whether its locations are in workgroup memory.
    pub workgroup_memory: bool,
    /// Whether its locations are atomics.
    pub atomic: bool,
    /// What each thread does, as definitions have it.
    pub threads: Vec<Thread>,
    /// What is looked for: registers by their names, locations are x, y and z.
    pub condition: String,
}

impl Listing {
    /// Of tests, by a version of the specification.
    pub fn new(tests: &[Test], specification: Specification) -> Self {
        let listed = |test: &Test| {
            let Tested { name, kind, of, mutator } = Tested::new(test, specification);
            let Memory { workgroup, atomic } = test.memory;
            Listed {
                name,
                kind,
                of,
                mutator,
                one_workgroup: test.threads_in == ThreadsIn::OneWorkgroup,
                workgroup_memory: workgroup,
                atomic,
                threads: Definition::from(test).threads,
                condition: condition(&test.condition),
            }
        };
        Self {
            schema: "hirace.litmus-tests/1",
            specification: specification.name(),
            tests: tests.iter().map(listed).collect(),
        }
    }

    /// As JSON.
    pub fn json(&self) -> String {
        // What has text and numbers alone is always written.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// A line a test.
pub fn list(tests: &[Test], specification: Specification) -> String {
    let mut records = Builder::new();
    records.push_record(["test", "kind", "made by", "threads", "looked for"]);
    for test in tests {
        let Tested { name, kind, mutator, .. } = Tested::new(test, specification);
        let looked_for = condition(&test.condition);
        // Of one location the model forbids much.
        let looked_for = match looked_for.len() {
            0..80 => looked_for,
            _ => "what the model forbids".to_owned(),
        };
        records.push_record([name, kind, made_by(mutator), threads(test), looked_for]);
    }
    aligned(records, 5..)
}

fn made_by(mutator: Option<Mutator>) -> String {
    match mutator {
        Some(Mutator::ReversingPoLoc) => "reversing po-loc",
        Some(Mutator::WeakeningPoLoc) => "weakening po-loc",
        Some(Mutator::WeakeningSw) => "weakening sw",
        None => "",
    }
    .to_owned()
}

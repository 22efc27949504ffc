//! Lists of litmus tests, as text with one line per test, or as JSON.

use super::aligned;
use super::notation::{condition, threads};
use crate::results::TestInfo;
use crate::test::definition::{Definition, Thread};
use crate::test::{Memory, Mutator, Specification, Test, ThreadPlacement};
use serde::Serialize;
use tabled::builder::Builder;

/// The JSON document of a list: `hirace.litmus-tests/1`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Listing {
    /// The schema: `hirace.litmus-tests/1`.
    pub schema: &'static str,
    /// The version of the specification that determines the kinds.
    pub specification: &'static str,
    /// The tests.
    pub tests: Vec<Listed>,
}

/// A test of a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Listed {
    /// The name.
    pub name: String,
    /// `conformance`, `mutant` or `observation`.
    pub kind: String,
    /// The conformance test from which a mutant was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conformance_test: Option<String>,
    /// The mutator, if the test was made from a happens-before cycle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mutator: Option<Mutator>,
    /// Whether its threads are in one workgroup.
    pub one_workgroup: bool,
    /// Whether its locations are in workgroup memory.
    pub workgroup_memory: bool,
    /// Whether its locations are atomics.
    pub atomic: bool,
    /// The operations of each thread, as in definitions.
    pub threads: Vec<Thread>,
    /// The condition on the outcome: registers by their names, locations are x, y and z.
    pub condition: String,
}

impl Listing {
    /// Creates a list of tests. The version of the specification determines their kinds.
    pub fn new(tests: &[Test], specification: Specification) -> Self {
        let listed = |test: &Test| {
            let TestInfo { name, kind, conformance_test: of, mutator } =
                TestInfo::new(test, specification);
            let Memory { workgroup, atomic } = test.memory;
            Listed {
                name,
                kind,
                conformance_test: of,
                mutator,
                one_workgroup: test.threads_in == ThreadPlacement::OneWorkgroup,
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

    /// Returns the list as JSON.
    pub fn json(&self) -> String {
        // Serialization cannot fail: the list has only text and numbers.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// Returns a table with a line per test.
pub fn list(tests: &[Test], specification: Specification) -> String {
    let mut records = Builder::new();
    records.push_record(["test", "kind", "mutator", "threads", "condition"]);
    for test in tests {
        let TestInfo { name, kind, mutator, .. } = TestInfo::new(test, specification);
        let looked_for = condition(&test.condition);
        // The conditions of conformance tests with one location are long.
        let looked_for = match looked_for.len() {
            0..80 => looked_for,
            _ => "every forbidden outcome".to_owned(),
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

//! Writing tests as JSON.

use super::condition::TARGET_NAME;
use super::names;
use crate::test::{self, Condition, Kind, Mutator, Test, ThreadPlacement};
use serde::Serialize;
use std::collections::BTreeMap;

/// A test in its JSON form.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Definition {
    /// The name.
    pub test_name: String,
    /// The placement of its threads: `inter_workgroup` or `intra_workgroup`.
    pub test_type: &'static str,
    /// The memory of its locations, for example `atomic_storage`.
    pub memory_type: &'static str,
    /// `conformance`, `mutant` or `observation`.
    pub kind: &'static str,
    /// The edges of a cycle that the mutants disrupt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mutator: Option<Mutator>,
    /// The conformance test from which the mutant was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mutant_of: Option<String>,
    /// The threads.
    pub threads: Vec<Thread>,
    /// The condition of the test, under the key `weak`.
    pub behaviors: BTreeMap<&'static str, Behavior>,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Thread {
    /// Its actions, in order.
    pub actions: Vec<Action>,
}

/// An operation of a thread.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Action {
    /// `read`, `write`, `add`, `fence` or `wait`.
    pub action: &'static str,
    /// The location.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_location: Option<String>,
    /// The variable that holds the value read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// The value that is written or added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<u8>,
    /// Whether the access is a read-modify-write.
    #[serde(rename = "useRMW", default, skip_serializing_if = "std::ops::Not::not")]
    pub use_rmw: bool,
}

/// A condition on the final values of registers and locations.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Behavior {
    /// A combination of conditions.
    Op {
        /// `and`, `or` or `not`.
        op: &'static str,
        /// The operands.
        conditions: Vec<Behavior>,
    },
    /// A variable has this value.
    Variable {
        /// The name of the variable.
        id: String,
        /// The value.
        value: u32,
    },
    /// A location has this value.
    Memory {
        /// The name of the location.
        id: String,
        /// The value.
        value: u32,
    },
}

impl Definition {
    /// Returns the definition as JSON.
    pub fn text(&self) -> String {
        // Serialization cannot fail: the definition has only text and numbers.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

impl From<&Test> for Definition {
    fn from(test: &Test) -> Self {
        let (kind, mutant_of) = match &test.kind {
            Kind::Conformance => ("conformance", None),
            Kind::Mutant { of } => ("mutant", Some(of.clone())),
            Kind::Observation => ("observation", None),
        };
        let threads = test.threads.iter();
        Self {
            test_name: test.name.clone(),
            test_type: match test.threads_in {
                ThreadPlacement::Workgroups => "inter_workgroup",
                ThreadPlacement::OneWorkgroup => "intra_workgroup",
            },
            memory_type: match (test.memory.atomic, test.memory.workgroup) {
                (true, false) => "atomic_storage",
                (false, false) => "non_atomic_storage",
                (true, true) => "atomic_workgroup",
                (false, true) => "non_atomic_workgroup",
            },
            kind,
            mutator: test.mutator,
            mutant_of,
            threads: threads
                .map(|actions| Thread { actions: actions.iter().map(Action::from).collect() })
                .collect(),
            behaviors: BTreeMap::from([(TARGET_NAME, Behavior::from(&test.condition))]),
        }
    }
}

impl From<&test::Action> for Action {
    fn from(action: &test::Action) -> Self {
        let (action_name, value, use_rmw) = match *action {
            test::Action::Read { update, .. } => ("read", None, update),
            test::Action::Write { value, update, .. } => ("write", Some(value), update),
            test::Action::Add { value, .. } => ("add", Some(value), false),
            test::Action::Fence => ("fence", None, false),
            test::Action::Barrier => ("wait", None, false),
        };
        Self {
            action: action_name,
            memory_location: action.location().map(names::location),
            variable: action.register().map(names::variable),
            value,
            use_rmw,
        }
    }
}

impl From<&Condition> for Behavior {
    fn from(condition: &Condition) -> Self {
        let op =
            |op, of: &[Condition]| Self::Op { op, conditions: of.iter().map(Self::from).collect() };
        match condition {
            Condition::Register(register, value) => {
                Self::Variable { id: names::variable(*register), value: *value }
            }
            Condition::Memory(location, value) => {
                Self::Memory { id: names::location(*location), value: *value }
            }
            Condition::All(of) => op("and", of),
            Condition::Any(of) => op("or", of),
            Condition::Not(of) => op("not", std::slice::from_ref(of)),
        }
    }
}

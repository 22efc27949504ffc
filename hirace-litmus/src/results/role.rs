//! What tests are, as far as scores ask.

use crate::test::{self, Kind, Mutator, Test};

/// What a test is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// A mutant.
    Mutant(Mutator),
    /// A conformance test, and which mutator makes its mutants.
    Conformance(Mutator),
    /// Not known, or neither.
    Other,
}

/// The roles of all tests that are known by our names.
pub fn roles() -> impl Fn(&str) -> Role {
    let tests: Vec<Test> = test::all();
    move |name| {
        let test = tests.iter().find(|test| test.name == name);
        match test.and_then(|test| Some((&test.kind, test.mutator?))) {
            Some((Kind::Mutant { .. }, mutator)) => Role::Mutant(mutator),
            Some((Kind::Conformance, mutator)) => Role::Conformance(mutator),
            _ => Role::Other,
        }
    }
}

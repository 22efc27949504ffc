//! What tests are, as far as scores ask.

use crate::test::{self, Kind, Mutator, Specification, Test};

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

/// The roles that a version of the specification gives all tests that are known by our names.
pub fn roles(specification: Specification) -> impl Fn(&str) -> Role {
    let tests: Vec<Test> = test::all();
    move |name| {
        let test = tests.iter().find(|test| test.name == name);
        match test.and_then(|test| Some((test.kind_by(specification), test.mutator?))) {
            Some((Kind::Mutant { .. }, mutator)) => Role::Mutant(mutator),
            Some((Kind::Conformance, mutator)) => Role::Conformance(mutator),
            _ => Role::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fence between workgroups orders by one version alone.
    #[test]
    fn what_is_a_conformance_test_hangs_on_the_version() {
        let [by_2022, today] = [Specification::Wgsl2022, Specification::Today].map(roles);
        let fences = "mp-fences";
        assert_eq!(by_2022(fences), Role::Conformance(Mutator::WeakeningSw));
        assert_eq!(today(fences), Role::Other);
        for same in [&by_2022, &today] {
            assert_eq!(same("rr"), Role::Conformance(Mutator::ReversingPoLoc));
            assert_eq!(same("rr-reversed"), Role::Mutant(Mutator::ReversingPoLoc));
            assert_eq!(same("no-such-test"), Role::Other);
        }
    }
}

//! The roles of tests, as scores distinguish them.

use crate::test::{self, Kind, Mutator, Specification, Test};

/// The role of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// A mutant.
    Mutant(Mutator),
    /// A conformance test, and the mutator that makes its mutants.
    Conformance(Mutator),
    /// Any other test, or an unknown one.
    Other,
}

/// Returns a function from names of tests to their roles under a version of the specification.
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

    /// Only one version lets a fence between workgroups order accesses.
    #[test]
    fn role_depends_on_the_version_of_the_specification() {
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

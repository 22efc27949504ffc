//! Selection of tests by name.

use super::{Kind, Specification, Test};

/// Returns the tests that `name` selects: the test of this name, or with `all`, `conformance`, `mutants` and
/// `observations` all tests of a kind under a version of the specification.
pub fn named(name: &str, tests: &[Test], specification: Specification) -> Vec<Test> {
    let is_meant = |test: &&Test| match (name, test.kind_by(specification)) {
        ("all", _)
        | ("conformance", Kind::Conformance)
        | ("mutants", Kind::Mutant { .. })
        | ("observations", Kind::Observation) => true,
        _ => test.name == name,
    };
    tests.iter().filter(is_meant).cloned().collect()
}

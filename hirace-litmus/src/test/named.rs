//! Which tests a name means.

use super::{Kind, Specification, Test};

/// Those of `tests` that a name means, by a version of the specification: the one that is called so, or with `all`, `conformance`,
/// `mutants` and `observations` all of a kind.
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

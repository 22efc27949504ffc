mod fixture;
mod schema;
mod text;

use super::json;
use crate::mutate::results::{Mutant, Results};
use fixture::several;
use insta::assert_snapshot;

/// Such mutants alone.
fn only(keep: impl Fn(&Mutant) -> bool) -> Results {
    let mut results = several();
    results.mutants.retain(keep);
    results.stopped = false;
    results.summarise();
    results
}

#[test]
fn json_of_everything() {
    assert_snapshot!(json::report(&several()));
}

#[test]
fn what_is_written_is_read_again() {
    assert_eq!(serde_json::from_str::<Results>(&json::report(&several())).unwrap(), several());
}

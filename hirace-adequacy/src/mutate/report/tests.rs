pub(crate) mod fixture;
mod schema;
mod stryker;
mod text;

use super::{github, html, json, junit, sarif};
use crate::mutate::results::{Mutant, Results, Status};
use fixture::{RACY_FILE, several, source};
use insta::assert_snapshot;
use serde_json::Value;

/// Returns results with only these mutants.
fn only(keep: impl Fn(&Mutant) -> bool) -> Results {
    let mut results = several();
    results.mutants.retain(keep);
    results.stopped = false;
    results.summarize();
    results
}

#[test]
fn json_of_everything() {
    assert_snapshot!(json::report(&several()));
}

#[test]
fn what_is_written_is_read_again() {
    assert_eq!(Results::read(&json::report(&several())).unwrap(), several());
}

#[test]
fn annotations() {
    assert_snapshot!(github::report(&several()));
}

#[test]
fn annotations_state_that_no_mutants_were_found() {
    let said = "hirace: no mutants were found\n";
    assert_eq!(github::report(&Results::default()), said);
}

#[test]
fn detected_mutants_have_no_annotation() {
    let found = only(|of| of.status.is_some_and(Status::is_found) && of.directive.is_none());
    assert!(found.mutants.len() > 3);
    assert!(!github::report(&found).contains("::"));
}

#[test]
fn a_sarif_log() {
    assert_snapshot!(sarif::report(&several()));
}

#[test]
fn sarif_names_rules_by_their_index() {
    let log: Value = serde_json::from_str(&sarif::report(&several())).unwrap();
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 7);
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    }
}

#[test]
fn a_run_that_ended_is_a_success_in_sarif() {
    let log: Value = serde_json::from_str(&sarif::report(&only(|_| true))).unwrap();
    let [invocation] = log["runs"][0]["invocations"].as_array().unwrap().as_slice() else {
        panic!("one invocation");
    };
    assert_eq!(*invocation, serde_json::json!({ "executionSuccessful": true }));
}

#[test]
fn xml_of_junit() {
    assert_snapshot!(junit::report(&several()));
}

#[test]
fn invalid_durations_are_written_as_zero() {
    let mut results = several();
    let odd = [f64::NAN, -1.0, f64::INFINITY, 1e19, 1e19];
    results
        .mutants
        .iter_mut()
        .zip(odd)
        .for_each(|(mutant, seconds)| mutant.seconds = Some(seconds));
    let xml = junit::report(&results);
    let none = xml.lines().filter(|line| line.contains("<testcase") && line.contains("\"0.000\""));
    assert_eq!(none.count(), 3, "{xml}");
}

#[test]
fn a_page() {
    let page = html::report(&several(), &source);
    let component = include_str!("html/mutation-test-elements.js");
    assert!(page.contains(component), "the component is not as it was published");
    let page = page.replace(component, "");
    assert_snapshot!(page.replace(include_str!("html/style.css"), ""));
}

#[test]
fn source_text_cannot_close_the_script_element() {
    let page = html::report(&several(), &source);
    let page = page.replace(include_str!("html/mutation-test-elements.js"), "");
    let (_, report) = page.split_once("id=\"report\">").unwrap();
    let (report, _) = report.split_once("</script>").unwrap();
    let report: Value = serde_json::from_str(report).unwrap();
    assert_eq!(report["files"][RACY_FILE]["source"], source(RACY_FILE).unwrap());
    assert_eq!(page.matches("<script").count(), 3);
    assert!(!page.contains("<b>") && !page.contains("<i>"));
}

#[test]
fn a_page_of_nothing_says_so() {
    let page = html::report(&Results::default(), &|_| None);
    assert!(page.contains("<p>No mutants were found.</p>"));
    assert!(!page.contains("<script"));
}

/// The page fetches nothing: its only addresses are XML names and links for the reader.
#[test]
fn a_page_fetches_nothing() {
    let page = html::report(&several(), &source);
    for from in ["src=\"http", "src=\"//", "@import", "<link", "url(http"] {
        assert!(!page.contains(from), "{from}");
    }
    assert!(page.contains("default-src 'none'"));
}

mod fixture;
mod schema;
mod stryker;
mod text;

use super::{html, json};
use crate::mutate::results::{Mutant, Results};
use fixture::{RACY_FILE, several, source};
use insta::assert_snapshot;
use serde_json::Value;

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

#[test]
fn a_page() {
    let page = html::report(&several(), &source);
    let component = include_str!("../html/mutation-test-elements.js");
    assert!(page.contains(component), "the component is not as it was published");
    let page = page.replace(component, "");
    assert_snapshot!(page.replace(include_str!("../html/style.css"), ""));
}

#[test]
fn what_stands_in_a_source_ends_no_element() {
    let page = html::report(&several(), &source);
    let page = page.replace(include_str!("../html/mutation-test-elements.js"), "");
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
    assert!(page.contains("<p>Nothing is mutated: no mutant was found.</p>"));
    assert!(!page.contains("<script"));
}

/// Nothing on the page is fetched: what looks like an address is a name of XML or a link that a reader may follow.
#[test]
fn a_page_fetches_nothing() {
    let page = html::report(&several(), &source);
    for from in ["src=\"http", "src=\"//", "@import", "<link", "url(http"] {
        assert!(!page.contains(from), "{from}");
    }
    assert!(page.contains("default-src 'none'"));
}

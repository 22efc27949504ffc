use super::*;
use crate::campaign::{Campaign, Watcher};
use crate::environment::Environment;
use crate::environment::{Layout, Parameters, Preset};
use crate::results::{ObservedOutcome, Settings, Verb};
use crate::run::RunResult;
use crate::simulated::SimulatedDevice;
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;

struct NoObserver;

impl Watcher for NoObserver {
    fn begins(&mut self, _: &Environment, _: &Test, _: &[Class]) {}
    fn counted(&mut self, _: &Test, _: &RunResult) {}
    fn ended(&mut self, _: &Run) -> hirace_core::diagnostic::Result<()> {
        Ok(())
    }
}

/// Returns the results of a weak device.
fn document(layout: Layout) -> Document {
    let names = ["mp-two-locations", "rr", "mp-fences"];
    let tests: Vec<Test> =
        test::all().into_iter().filter(|test| names.contains(&test.name.as_str())).collect();
    let basic = Preset::Basic.parameters();
    let parameters = Parameters { workgroup_size: 8, max_workgroups: 3, ..basic };
    let campaign = Campaign {
        verb: Verb::Run,
        pieces: Campaign::product(tests.len(), 1),
        tests,
        environments: vec![Environment { layout, parameters }],
        settings: Settings::new("seed", 20, None),
        specification: Specification::default(),
        shard: None,
        budget: None,
    };
    let mut device = SimulatedDevice::new("simulated:relaxed,quiet=0.3".parse().unwrap());
    let stop = AtomicBool::new(false);
    let (runs, _) = campaign.run(&mut device, &|_| None, &mut NoObserver, &stop).unwrap();
    campaign.document(crate::run::Target::about(&device).into(), runs, false)
}

#[test]
fn documents_of_runs_are_consistent() {
    for layout in [Layout::Parallel, Layout::Single] {
        let document = document(layout);
        assert!(document.runs.iter().all(|run| run.instances > 0));
        assert!(document.runs.iter().any(|run| run.outcomes.len() > 1));
        assert_eq!(Checker::default().check(&document), Ok(()));
    }
}

/// Each change of a document that makes one number or word wrong is refused at its location.
#[test]
fn what_was_changed_is_refused_where_it_stands() {
    let honest = serde_json::to_value(document(Layout::Parallel)).unwrap();
    let changes: &[(&str, Value, &str)] = &[
        ("/schema", json!("hirace.litmus/2"), "schema"),
        ("/specification", json!("wgsl-2099"), "specification"),
        ("/target/name", json!("x".repeat(201)), "target.name"),
        ("/target/vendor", json!("a\u{0}b"), "target.vendor"),
        ("/target/operating_system/name", json!("\n"), "target.operating_system.name"),
        ("/target/browser", json!({"name": "x", "version": "\n"}), "target.browser.version"),
        ("/settings/seconds", json!(-1.0), "settings.seconds"),
        ("/shards", json!(["3/2"]), "shards[0]"),
        ("/tests/0/kind", json!("observation"), "tests[0]"),
        ("/tests/0/name", json!("no-such-test"), "tests[0].name"),
        ("/environments/0/parameters/memStride", json!(99), "runs[0].environment"),
        ("/settings/permutation/first", json!(4), "runs[0].environment"),
        ("/runs/0/test", json!("sb-fences"), "runs[0].test"),
        ("/runs/0/environment", json!(1), "runs[0].environment"),
        ("/runs/1/test", json!("rr"), "runs[1]"),
        ("/runs/0/seconds", json!(0.5), "runs[0].seconds"),
        ("/timing/runs", json!([]), "timing.runs"),
        ("/timing/runs/0", json!(-0.5), "timing.runs[0]"),
        ("/timing/runs/0", json!(5e-324), "timing.runs[0]"),
        ("/timing/runs/0", json!(1e300), "timing.runs[0]"),
        ("/timing/death_rate", json!(1e6), "timing"),
        ("/runs/0/iterations", json!(21), "runs[0].iterations"),
        ("/runs/0/iterations", json!(19), "runs[0].instances"),
        ("/runs/0/instances", json!(1), "runs[0].instances"),
        ("/runs/0/found", json!(1_000_000), "runs[0].found"),
        ("/runs/0/classes/weak", json!(1_000_000), "runs[0].classes"),
        ("/runs/0/other", json!(1), "runs[0].outcomes"),
        ("/runs/0/other", json!(u64::MAX), "runs[0].outcomes"),
        ("/runs/0/outcomes/0/count", json!(1_000_000), "runs[0].outcomes"),
        ("/runs/0/outcomes/0/count", json!(0), "runs[0].outcomes[0]"),
        ("/runs/0/outcomes/0/registers", json!([0]), "runs[0].outcomes[0]"),
        ("/runs/0/outcomes/0/registers", json!([u32::MAX, 0]), "runs[0].outcomes[0]"),
        ("/runs/0/outcomes/0/class", json!("other"), "runs[0].outcomes[0].class"),
        (
            "/runs/0/failure",
            json!({"kind": "lost", "reason": "x".repeat(10_001)}),
            "runs[0].failure.why",
        ),
        ("/summary/killed", json!(77), "summary"),
        ("/summary/violations", json!(["rr"]), "summary"),
    ];
    let checker = Checker::default();
    let mut not_refused = Vec::new();
    for (place, value, at) in changes {
        let mut changed = honest.clone();
        // This change adds a field that was not there.
        let (parent, key) = place.rsplit_once('/').unwrap();
        match changed.pointer_mut(parent).unwrap() {
            Value::Object(fields) => _ = fields.insert(key.to_owned(), value.clone()),
            other => other[key.parse::<usize>().unwrap()] = value.clone(),
        }
        let document: Document = serde_json::from_value(changed).unwrap();
        match checker.check(&document) {
            Err(wrong) if wrong.at == *at => {}
            other => not_refused.push((place, value, other)),
        }
    }
    assert!(not_refused.is_empty(), "{not_refused:#?}");
}

#[test]
fn an_outcome_stands_there_once_and_is_found_if_the_test_says_so() {
    let mut twice = document(Layout::Parallel);
    let first: ObservedOutcome = twice.runs[0].outcomes[0].clone();
    twice.runs[0].outcomes.push(first);
    let refused = |document: &Document| Checker::default().check(document).unwrap_err().at;
    let last = twice.runs[0].outcomes.len() - 1;
    assert_eq!(refused(&twice), format!("runs[0].outcomes[{last}]"));
    let mut found = document(Layout::Parallel);
    let observed = &mut found.runs[0].outcomes[0];
    observed.found = !observed.found;
    assert_eq!(refused(&found), "runs[0].outcomes[0].found");
}

/// A violation is found however large the numbers are.
#[test]
fn what_is_forbidden_is_a_violation() {
    let mut document = document(Layout::Parallel);
    let tested = document.tests[0].clone();
    let run = &mut document.runs[0];
    run.found = 1 << 63;
    run.classes.forbidden = 1 << 63;
    run.classes.other = 1 << 63;
    assert!(run.violates(&tested));
}

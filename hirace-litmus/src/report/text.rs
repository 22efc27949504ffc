//! Campaigns as text: the outcomes of each test for `run`, a table for the other verbs; then failures and a summary.

use super::{aligned, histogram};
use crate::campaign::EarlyEnd;
use crate::environment::Environment;
use crate::environment::{Layout, Parameters};
use crate::results::{Classes, Document, Run, Summary, TestInfo, Verb};
use std::fmt::Write as _;
use tabled::builder::Builder;

/// The maximum number of failed runs that are named.
const NAMED: usize = 8;

/// Returns the report of a campaign.
pub fn report(document: &Document) -> String {
    let mut text = String::new();
    match document.verb {
        Verb::Run => document.runs.iter().for_each(|run| one(&mut text, document, run)),
        Verb::Tune | Verb::Conform | Verb::Explore => table(&mut text, document),
    }
    failures(&mut text, document);
    summary(&mut text, document);
    text
}

/// Returns a message for the reason why a campaign ended early.
pub fn early_end_message(early: EarlyEnd) -> String {
    match early {
        EarlyEnd::Stopped => "stopped before the campaign was complete".to_owned(),
        EarlyEnd::Budget => "the time budget ran out before the campaign was complete".to_owned(),
        EarlyEnd::Lost(times) => {
            format!("gave up after the device was lost {times} times in a row")
        }
    }
}

fn one(text: &mut String, document: &Document, run: &Run) {
    let Run { test, instances, seconds, found, iterations, .. } = run;
    let _ = writeln!(
        text,
        "{test}: {instances} instances in {iterations} dispatches, {seconds:.3} s; condition met: {found}{}",
        per_second(run)
    );
    text.push_str(&histogram(run));
    if let Some(environment) = document.environments.get(run.environment) {
        let _ = writeln!(text, "  {}", described(environment));
    }
    text.push('\n');
}

fn per_second(run: &Run) -> String {
    match run.found {
        0 => String::new(),
        _ => format!(", {:.1} per second", run.rate()),
    }
}

fn described(environment: &Environment) -> String {
    let Parameters { testing_workgroups, max_workgroups, workgroup_size, .. } =
        environment.parameters;
    let layout = match environment.layout {
        Layout::Parallel => "parallel",
        Layout::Single => "single instance",
    };
    format!("{layout}, {testing_workgroups} to {max_workgroups} workgroups of {workgroup_size}")
}

/// Writes a table with a row per test: the sums over all environments.
fn table(text: &mut String, document: &Document) {
    let mut records = Builder::new();
    records.push_record([
        "test",
        "kind",
        "instances",
        "sequential",
        "interleaved",
        "weak",
        "forbidden",
        "found",
        "best/s",
        "in",
    ]);
    for tested in &document.tests {
        let runs = || document.runs.iter().filter(|run| run.test == tested.name);
        if runs().next().is_none() {
            continue;
        }
        let mut all = Classes::default();
        let (mut instances, mut found) = (0, 0);
        for run in runs() {
            instances += run.instances;
            found += run.found;
            all.sequential += run.classes.sequential;
            all.interleaved += run.classes.interleaved;
            all.weak += run.classes.weak;
            all.forbidden += run.classes.against_the_model();
        }
        let best = document.summary.best.iter().find(|best| best.test == tested.name);
        let (rate, environment) = best.map_or((String::new(), String::new()), |best| {
            (format!("{:.1}", best.rate), best.environment.to_string())
        });
        let counts = [instances, all.sequential, all.interleaved, all.weak, all.forbidden, found];
        let cells = [tested.name.clone(), tested.kind.clone()].into_iter();
        records.push_record(cells.chain(counts.map(|n| n.to_string())).chain([rate, environment]));
    }
    text.push_str(&aligned(records, 2..));
    text.push('\n');
}

fn failures(text: &mut String, document: &Document) {
    let failed = document.runs.iter().filter_map(|run| Some((run, run.failure.as_ref()?)));
    for (run, failure) in failed.clone().take(NAMED) {
        let _ = writeln!(
            text,
            "failed: {} in environment {}: {}",
            run.test, run.environment, failure.why
        );
    }
    let more = failed.count().saturating_sub(NAMED);
    if more > 0 {
        let _ = writeln!(text, "failed: {more} more");
    }
}

fn summary(text: &mut String, document: &Document) {
    let Summary { killed, of, score, death_rate, violations, .. } = &document.summary;
    let Document { target, specification, environments, tests, .. } = document;
    let _ = writeln!(text, "{}, {}: classified by {specification}", target.name, target.driver);
    if let (Some(score), Some(rate)) = (score, death_rate) {
        let _ = writeln!(
            text,
            "mutants: {killed} of {of} killed ({:.1} %) in {} environments; mean death rate {rate:.1} per second",
            score * 100.0,
            environments.len()
        );
        if let Some(best) = document.summary.environments.iter().max_by_key(|one| one.killed) {
            let _ = writeln!(
                text,
                "best environment: {} of {} killed, in environment {}",
                best.killed, best.of, best.environment
            );
        }
    }
    let was_judged = |tested: &&TestInfo| {
        tested.kind == "conformance"
            && document.runs.iter().any(|run| run.test == tested.name && run.instances > 0)
    };
    let judged = tests.iter().filter(was_judged).count();
    match violations.as_slice() {
        [] if judged > 0 => {
            let _ = writeln!(text, "conformance: no forbidden outcomes in {judged} tests");
        }
        [] => {}
        some => {
            let _ = writeln!(text, "FORBIDDEN outcomes in {}", some.join(", "));
        }
    }
    if !document.shards.is_empty() {
        let _ = writeln!(text, "shards: {}", document.shards.join(", "));
    }
}

//! Campaigns as text: the outcomes of each test for `run`, a table for the other verbs; then failures and a summary.

use super::{aligned, histogram};
use crate::campaign::EarlyEnd;
use crate::environment::Environment;
use crate::environment::{Layout, Parameters};
use crate::results::{Classes, Document, Run, Summary, TestInfo, Verb, rate};
use std::fmt::Write as _;
use tabled::builder::Builder;

/// The maximum number of failed runs that are named.
const NAMED: usize = 8;

/// Returns the report of a campaign.
pub fn report(document: &Document) -> String {
    let mut text = String::new();
    match document.verb {
        Verb::Run => {
            document.timed_runs().for_each(|(run, seconds)| one(&mut text, document, run, seconds))
        }
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
        EarlyEnd::DeviceLost(times) => {
            format!("gave up after the device was lost {times} times in a row")
        }
    }
}

fn one(text: &mut String, document: &Document, run: &Run, seconds: Option<f64>) {
    let Run { test, instances, found, iterations, .. } = run;
    let time = seconds.map_or_else(String::new, |seconds| format!(", {seconds:.3} s"));
    let _ = writeln!(
        text,
        "{test}: {instances} instances in {iterations} dispatches{time}; condition met: {found}{}",
        per_second(run, seconds)
    );
    text.push_str(&histogram(run));
    if let Some(environment) = document.environments.get(run.environment) {
        let _ = writeln!(text, "  {}", described(environment));
    }
    text.push('\n');
}

fn per_second(run: &Run, seconds: Option<f64>) -> String {
    match seconds {
        Some(seconds) if run.found > 0 => {
            format!(", {:.1} per second", rate(run.found, seconds))
        }
        _ => String::new(),
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
    let counted = ["instances", "sequential", "interleaved", "weak", "forbidden", "found"];
    let rated: &[&str] = if document.timing.is_some() { &["best/s", "in"] } else { &[] };
    records.push_record(["test", "kind"].iter().chain(&counted).chain(rated).copied());
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
            all.forbidden += run.classes.violation_count();
        }
        let best = document.best().iter().find(|best| best.test == tested.name);
        let rate = best.map_or([String::new(), String::new()], |best| {
            [format!("{:.1}", best.rate), best.environment.to_string()]
        });
        let counts = [instances, all.sequential, all.interleaved, all.weak, all.forbidden, found];
        let cells = [tested.name.clone(), tested.kind.clone()].into_iter();
        let rate = rate.into_iter().take(rated.len());
        records.push_record(cells.chain(counts.map(|n| n.to_string())).chain(rate));
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
            run.test, run.environment, failure.reason
        );
    }
    let more = failed.count().saturating_sub(NAMED);
    if more > 0 {
        let _ = writeln!(text, "failed: {more} more");
    }
}

fn summary(text: &mut String, document: &Document) {
    let Summary { killed, total: of, score, violations, .. } = &document.summary;
    let Document { target, specification, environments, tests, .. } = document;
    let _ = writeln!(text, "{}, {}: classified by {specification}", target.name, target.driver);
    if let Some(score) = score {
        let rate = document.timing.as_ref().and_then(|timing| timing.death_rate);
        let rate =
            rate.map_or_else(String::new, |rate| format!("; mean death rate {rate:.1} per second"));
        let _ = writeln!(
            text,
            "mutants: {killed} of {of} killed ({:.1} %) in {} environments{rate}",
            score * 100.0,
            environments.len()
        );
        if let Some(best) = document.summary.environments.iter().max_by_key(|one| one.killed) {
            let _ = writeln!(
                text,
                "best environment: {} of {} killed, in environment {}",
                best.killed, best.total, best.environment
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

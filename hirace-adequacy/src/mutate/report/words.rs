//! The wording of mutation results in all formats for people.

use super::missed::{MissReason, is_expected, missed};
use crate::mutate::results::{
    Directive, DirectiveKind, KillCause, KnownFinding, Mutant, Results, Status, Summary,
};
use crate::report::words::{count, shown};
use std::collections::BTreeSet;

/// The text when there is nothing to show.
pub(super) const EMPTY: &str = "no mutants were found";

/// The text for a stopped run.
pub(super) const STOPPED: &str = "the run was stopped before all mutants were judged";

/// The text above Stryker's component.
pub(super) const BELOW: &str = "The scores below are Stryker\u{2019}s: they count the mutants of all kernels, except those \
    for which a test ran out of memory. Undecided mutants count as survived.";

/// The description of a mutant as a rule of code scanning.
pub(super) const RULE: &str = "a change of the kernel that its tests do not detect";

/// The help for such a mutant.
pub(super) const HELP: &str = "The tests of the kernel pass with this change as they do without it. Write a test that \
    fails with it, or add a directive that it is expected to survive, with the reason.";

/// The heading for findings of the tests without a mutant.
pub(super) const KNOWN: &str = "also found without a mutant, so it kills none";

/// The heading for mutants that cannot run.
pub(super) const UNVIABLE: &str = "cannot run here, so in no score";

/// Returns the name of a status.
pub(crate) fn status(status: Option<Status>) -> &'static str {
    match status {
        Some(Status::OutOfMemory) => "out of memory",
        Some(Status::NoCoverage) => "no coverage",
        Some(other) => other.name(),
        None => "not judged",
    }
}

/// Returns the heading for mutants that need attention for this reason.
pub(super) fn heading(why: MissReason) -> &'static str {
    match why {
        MissReason::Survived => "survived",
        MissReason::Undecided => "undecided",
        MissReason::NotRun => "not covered by tests",
        MissReason::Directive => "contradicts a directive in the source",
    }
}

/// Returns how tests failed.
fn describe_cause(how: KillCause) -> &'static str {
    match how {
        KillCause::Assertion => "by an assertion",
        KillCause::Finding => "by a finding",
        KillCause::Hang => "by a hang",
        KillCause::Crash => "by a crash",
    }
}

/// Formats an operator: `relational.less-to-less-equal`.
pub(super) fn rule(mutant: &Mutant) -> String {
    format!("{}.{}", mutant.class.name(), mutant.operator)
}

/// Formats a mutation: `replace < with <=`.
pub(crate) fn change(mutant: &Mutant) -> String {
    changed(&mutant.original, &mutant.replacement)
}

/// Describes the replacement of a text by another.
pub(crate) fn changed(from: &str, to: &str) -> String {
    let [from, to] = [from, to].map(on_one_line);
    match (from.is_empty(), to.is_empty()) {
        (_, true) => format!("delete {}", from.trim_end_matches(';')),
        (true, false) => format!("insert {to}"),
        (false, false) => format!("replace {from} with {to}"),
    }
}

/// Formats a mutation with its function: `replace < with <= in spmv`.
pub(super) fn change_in(mutant: &Mutant) -> String {
    match &mutant.function {
        Some(function) => format!("{} in {}", change(mutant), shown(function)),
        None => change(mutant),
    }
}

fn on_one_line(text: &str) -> String {
    shown(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Describes the outcome of a mutant.
pub(crate) fn describe_outcome(mutant: &Mutant) -> String {
    let said = match mutant.status {
        None => "not judged".to_owned(),
        Some(Status::Killed) => killed(mutant),
        Some(Status::Survived) => survived(mutant),
        Some(Status::Undecided) => match mutant.failed_runs {
            Some(of) => format!("a test fails in {} of {} runs", of.failed, of.runs),
            None => "a test fails in some of its runs".to_owned(),
        },
        Some(Status::Equivalent) => match &mutant.reason {
            Some(reason) => shown(reason),
            None => "the compiled code is the same as without it".to_owned(),
        },
        Some(Status::Unviable) => match &mutant.reason {
            Some(reason) => shown(reason),
            None => "it cannot run".to_owned(),
        },
        Some(Status::Timeout) => format!("{} exceeds its time limit", killer(mutant)),
        Some(Status::OutOfMemory) => format!("{} runs out of memory", killer(mutant)),
        Some(Status::NoCoverage) => "no test covers it".to_owned(),
        Some(Status::Skipped) => "not run".to_owned(),
    };
    match directive(mutant) {
        Some(directive) => format!("{said}; {directive}"),
        None => said,
    }
}

/// Describes a finding of the tests without a mutant: `k.wgsl:3: HR001 of out in main`.
pub(super) fn known(finding: &KnownFinding) -> String {
    let KnownFinding { file, line, rule, kernel, variable, only_by_clamping, tests } = finding;
    let variable = variable.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
    let clamped = if *only_by_clamping { ", only because an index is clamped" } else { "" };
    shown(&format!("{file}:{line}: {rule}{variable} in {kernel}{clamped} ({})", tests.join(", ")))
}

fn survived(mutant: &Mutant) -> String {
    let hiding: Vec<String> = mutant.hidden_by.iter().map(known).collect();
    match hiding.is_empty() {
        true => "no test fails".to_owned(),
        false => format!(
            "no test fails; it makes a finding worse that is also found without it: {}",
            hiding.join("; ")
        ),
    }
}

fn killer(mutant: &Mutant) -> String {
    mutant.killed_by.as_ref().map_or_else(|| "a test".to_owned(), |by| shown(&by.test))
}

fn killed(mutant: &Mutant) -> String {
    let Some(by) = &mutant.killed_by else { return "a test fails".to_owned() };
    let mut said = format!("{} fails {}", shown(&by.test), describe_cause(by.cause));
    if !by.rules.is_empty() {
        said += &format!(", {}", shown(&by.rules.join(", ")));
    }
    // If an assertion or a crash killed the mutant, this adds nothing.
    match mutant.by_outputs {
        Some(true) if !matches!(by.cause, KillCause::Assertion | KillCause::Crash) => {
            said += "; an assertion on outputs fails too"
        }
        Some(false) if by.cause == KillCause::Finding => said += "; no assertion on outputs fails",
        _ => {}
    }
    said
}

/// Describes the directive for a mutant.
fn directive(mutant: &Mutant) -> Option<String> {
    let Directive { kind: says, reason, holds } = mutant.directive.as_ref()?;
    let says = match says {
        DirectiveKind::Skip => "to be skipped",
        DirectiveKind::ExpectSurvived => "expected to survive",
        DirectiveKind::ExpectKilled => "expected to be killed",
    };
    let reason = reason.as_ref().map(|reason| format!(" ({})", on_one_line(reason)));
    let but = if *holds || mutant.status.is_none() { "" } else { ", which does not hold" };
    Some(format!("the source says: {says}{}{but}", reason.unwrap_or_default()))
}

/// Returns the percentage: 100 only if the score is perfect, 0 only if it is zero.
pub(crate) fn percent(score: f64) -> u64 {
    match score {
        score if score <= 0.0 => 0,
        score if score >= 100.0 => 100,
        score => score.round().clamp(1.0, 99.0) as u64,
    }
}

/// Returns the scores with their names and components.
pub(super) fn scores(results: &Results) -> Vec<(&'static str, String)> {
    let Results { summary, mutants, .. } = results;
    let counts = results.counted();
    let counted = summary.by_status.iter().filter(|(status, _)| counts(*status));
    let counted: u64 = counted.map(|(_, count)| count).sum();
    let some = |statuses: &[Status]| {
        let some = statuses.iter().map(|of| (summary.count(*of), status(Some(*of))));
        some.filter(|(count, _)| *count > 0).collect::<Vec<_>>()
    };
    let mut said = Vec::new();
    let found = some(&[Status::Killed, Status::Timeout, Status::OutOfMemory]);
    let total: u64 = found.iter().map(|(count, _)| count).sum();
    let parts = if found.len() > 1 { format!(": {}", list(&found)) } else { String::new() };
    said.push(match summary.score {
        Some(score) => {
            ("score", format!("{} %: tests detect {total} of {counted}{parts}", percent(score)))
        }
        None => ("score", "none: there are no mutants that count".to_owned()),
    });
    if let Some(score) = summary.strict_score {
        said.push(("strict score", strict(score, counted, mutants, counts)));
    }
    let by: Vec<_> = summary
        .by_cause
        .iter()
        .map(|(of, count)| (*count, describe_cause_with_rules(*of, mutants)))
        .collect();
    if !by.is_empty() {
        said.push(("killed", list(&by)));
    }
    let left = [Status::Equivalent, Status::Unviable, Status::Skipped];
    let left = some(&left.into_iter().filter(|of| !counts(*of)).collect::<Vec<_>>());
    if !left.is_empty() {
        said.push(("not counted", list(&left)));
    }
    let expected = mutants.iter().filter(|mutant| is_expected(mutant)).count();
    if expected > 0 {
        said.push(("expected", format!("{expected} survive as the source expects")));
    }
    let judged: u64 = summary.by_status.iter().map(|(_, count)| count).sum();
    if let Some(open @ 1..) = summary.total.checked_sub(judged) {
        said.push(("not judged", open.to_string()));
    }
    said
}

fn strict(score: f64, counted: u64, mutants: &[Mutant], counts: fn(Status) -> bool) -> String {
    let counts = |mutant: &&Mutant| mutant.status.is_some_and(counts);
    let by = mutants.iter().filter(counts).filter(|mutant| mutant.by_outputs == Some(true));
    let killed = mutants.iter().filter(|mutant| mutant.status == Some(Status::Killed));
    let (killed, open) = killed.fold((0, 0), |(all, open), mutant| {
        (all + 1, open + u64::from(mutant.by_outputs.is_none()))
    });
    match open {
        _ if open > 0 && open == killed => "unknown".to_owned(),
        0 => format!(
            "{} %: assertions on outputs detect {} of {counted}",
            percent(score),
            by.count()
        ),
        _ => format!(
            "at least {} %: assertions on outputs detect {} of {counted}, for {open} this is unknown",
            percent(score),
            by.count()
        ),
    }
}

/// Formats a cause of kills with its rules: `by a finding (HR001, HR003)`.
fn describe_cause_with_rules(of: KillCause, mutants: &[Mutant]) -> String {
    let killed = mutants.iter().filter_map(|mutant| mutant.killed_by.as_ref());
    let rules = killed.filter(|by| by.cause == of).flat_map(|by| &by.rules);
    let rules: Vec<&str> = rules.map(String::as_str).collect::<BTreeSet<_>>().into_iter().collect();
    match rules.is_empty() {
        true => describe_cause(of).to_owned(),
        false => format!("{} ({})", describe_cause(of), shown(&rules.join(", "))),
    }
}

/// Formats counts: `3 killed, 1 timeout`.
fn list(counts: &[(u64, impl std::fmt::Display)]) -> String {
    counts.iter().map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
}

/// Returns the next step for the user.
pub(super) fn next_step(mutants: &[Mutant]) -> &'static str {
    let any = |why| mutants.iter().any(|mutant| missed(mutant) == Some(why));
    let by_findings_alone =
        |mutant: &Mutant| mutant.status == Some(Status::Killed) && mutant.by_outputs == Some(false);
    if any(MissReason::Survived) {
        "write a test that fails with a surviving mutant, or add a directive that it is expected to survive, with the reason"
    } else if any(MissReason::NotRun) {
        "write a test that covers the mutants that no test covers"
    } else if any(MissReason::Undecided) {
        "make a test fail in all its runs with an undecided mutant"
    } else if any(MissReason::Directive) {
        "remove the directives that do not hold"
    } else if mutants.iter().any(|mutant| mutant.status.is_none()) {
        "complete this run: not all mutants are judged"
    } else if mutants.iter().any(by_findings_alone) {
        "assert outputs that differ with the mutants that only findings kill: without hirace no test detects them"
    } else {
        "nothing: no mutant needs attention"
    }
}

/// Formats a summary: `12 mutants: 8 killed, 4 survived; score 66 %, strict score 50 %`.
pub(crate) fn total(summary: &Summary) -> String {
    let mutants = count(summary.total, "mutant", "mutants");
    let counts: Vec<_> =
        summary.by_status.iter().map(|(of, count)| (*count, status(Some(*of)))).collect();
    let mut said = format!("{mutants}: {}", list(&counts));
    let scores = [("score", summary.score), ("strict score", summary.strict_score)];
    for (index, (name, score)) in scores.into_iter().enumerate() {
        if let Some(score) = score {
            said += &format!("{} {name} {} %", if index == 0 { ";" } else { "," }, percent(score));
        }
    }
    said
}

//! The wording of schedule amplification results.

use crate::report::words::count;
use hirace_core::amplify::results::{
    Access, AccessKind, AmplifiedDispatch, AmplifiedLaunch, Finding, FindingFacts, InvocationIds,
    Judgement, Place, Results, SkipReason,
};
use hirace_core::exec::EMBEDDED;
use hirace_core::report::words::quote;

/// The text when there is nothing to show.
pub const EMPTY: &str = "nothing was launched";

/// The text for a stopped run.
pub const STOPPED: &str = "stopped before all tests were done";

/// Returns the message of a finding in one line.
pub fn message(finding: &Finding, launched: &AmplifiedLaunch) -> String {
    let possibly = if launched.guessed.is_empty() { "" } else { "possibly, " };
    let said = match &finding.what {
        FindingFacts::OutputsDiffer(differs) => {
            format!("the value of `{}` depends on the order of invocations", differs.element)
        }
        FindingFacts::Race { element, .. } => format!("`{element}` races under some schedules"),
        FindingFacts::Divergence(_) => {
            "not all invocations of a workgroup reach a barrier under some schedules".to_owned()
        }
        FindingFacts::NoProgress(_) => {
            "the kernel does not terminate under some schedules".to_owned()
        }
    };
    format!("{possibly}{said}")
}

/// Returns the kind of a finding, as in the JSON.
pub fn kind(finding: &Finding) -> &'static str {
    match finding.what {
        FindingFacts::OutputsDiffer(_) => "outputs-differ",
        FindingFacts::Race { .. } => "race",
        FindingFacts::Divergence(_) => "divergence",
        FindingFacts::NoProgress(_) => "no-progress",
    }
}

/// Returns the source locations of a finding with their labels, the primary one first.
pub fn labels(finding: &Finding, dispatched: &AmplifiedDispatch) -> Vec<(Place, String)> {
    let label = |access: &Access, more: &str| {
        let said = format!(
            "{} by {}{more}",
            does(access.kind),
            invocation_phrase(access.invocation, dispatched)
        );
        (access.place.clone(), said)
    };
    match &finding.what {
        FindingFacts::OutputsDiffer(_) => finding
            .reordered
            .iter()
            .flat_map(|pair| {
                let here = ", first in this schedule";
                [label(&pair.first, ", first in the serial schedule"), label(&pair.second, here)]
            })
            .collect(),
        FindingFacts::Race { accesses: [one, other], .. } => vec![label(one, ""), label(other, "")],
        FindingFacts::Divergence(found) => {
            let [_, y, z] = dispatched.workgroups;
            let workgroup = id(found.workgroup, y <= 1 && z <= 1);
            let all = found.arrived + found.missing;
            let said = format!(
                "{} of {all} invocations of workgroup {workgroup} reach this",
                found.arrived
            );
            vec![(found.place.clone(), said)]
        }
        FindingFacts::NoProgress(stuck) => {
            let first =
                format!("{} loops here forever", invocation_phrase(stuck.invocation, dispatched));
            let mut labels = vec![(stuck.place.clone(), first)];
            if let Some(awaits) = &stuck.awaits {
                let by = invocation_phrase(awaits.write.invocation, dispatched);
                let said = format!("it waits for `{}`, which {by} writes here", awaits.element);
                labels.push((awaits.write.place.clone(), said));
            }
            if let Some(pair) = &finding.reordered {
                let here = ", first in this schedule";
                labels.push(label(&pair.first, ", first in the serial schedule"));
                labels.push(label(&pair.second, here));
            }
            labels
        }
    }
}

/// Returns further facts, one per line.
pub fn notes(
    finding: &Finding,
    launched: &AmplifiedLaunch,
    dispatched: &AmplifiedDispatch,
) -> Vec<String> {
    let mut notes = Vec::new();
    match &finding.what {
        FindingFacts::OutputsDiffer(differs) => {
            let others = match differs.differing {
                0 | 1 => String::new(),
                n => format!(
                    "; {} of `{}` differ",
                    count(n - 1, "more number", "more numbers"),
                    differs.variable
                ),
            };
            let expected = match finding.test {
                Judgement::Fails => "as the test expects",
                _ if launched.device != EMBEDDED => "in the first run on the device",
                _ => "in the serial schedule",
            };
            notes.push(format!(
                "it is {} {expected}, but {} in this schedule{others}",
                differs.expected, differs.actual
            ));
            if let Some(pair) = &finding.reordered {
                notes.push(format!(
                    "the two accesses are to `{}` and are not ordered",
                    pair.element
                ));
            }
        }
        FindingFacts::Race { .. } => {
            notes.push("it does not race in the serial schedule".to_owned())
        }
        FindingFacts::Divergence(_) => {
            notes.push("all of them do in the serial schedule".to_owned())
        }
        FindingFacts::NoProgress(stuck) => {
            if stuck.awaits.as_ref().is_some_and(|awaits| awaits.workgroup_not_started) {
                notes.push(
                    "the workgroup that it waits for has not started, and starts when this one ends: nothing guarantees \
                     that workgroups run side by side"
                        .to_owned(),
                );
            }
            let unfinished = count(stuck.unfinished, "invocation was", "invocations were");
            notes.push(format!("{unfinished} not finished"));
        }
    }
    match finding.test {
        Judgement::Fails => notes.push("the test fails under this schedule".to_owned()),
        Judgement::Passes => notes.push("the test reads it and passes with both values".to_owned()),
        Judgement::Silent => {}
    }
    notes.extend(seen(dispatched));
    notes.extend(finding.found_by.iter().map(|by| format!("found by {by}, then shortened")));
    notes
}

/// Returns how often the same cause was found elsewhere.
pub fn same_cause_elsewhere(more: u64) -> Option<String> {
    (more > 0).then(|| format!("also in {}", count(more, "more dispatch", "more dispatches")))
}

/// Returns the strategies that found something, with the first run that did.
fn seen(dispatched: &AmplifiedDispatch) -> Option<String> {
    let found = dispatched.strategies.iter().filter_map(|tried| {
        let first = tried.first?;
        Some(format!(
            "{} of {} runs of {} (first: {first})",
            tried.found, tried.runs, tried.strategy
        ))
    });
    let found: Vec<String> = found.collect();
    (!found.is_empty()).then(|| format!("seen in {}", found.join(", ")))
}

/// Returns a suggestion for a finding.
pub fn help(finding: &Finding) -> Option<String> {
    match &finding.what {
        FindingFacts::OutputsDiffer(differs) if finding.test == Judgement::Silent => Some(format!(
            "if the order of the elements does not matter: --as-set {}; for rounding: --tolerance; otherwise order the accesses",
            differs.variable
        )),
        FindingFacts::NoProgress(_) => Some(
            "let workgroups wait for none, or only for those that have started: assign their order with \
             an atomic counter"
                .to_owned(),
        ),
        _ => None,
    }
}

/// Returns the command that reproduces a finding.
pub fn replay(finding: &Finding, launched: &AmplifiedLaunch, test: &str) -> String {
    let schedule = &finding.schedule;
    match &launched.command {
        // A device chooses its own schedule, which cannot be replayed.
        Some(command) if schedule == "plain" => format!("{command} --strategy plain"),
        Some(command) => format!("{command} --replay {schedule}"),
        None => {
            format!("hirace amplify --test {} --replay {schedule} -- …", quote(test))
        }
    }
}

pub fn does(does: AccessKind) -> &'static str {
    match does {
        AccessKind::Read => "read",
        AccessKind::Write => "written",
        AccessKind::Atomic => "accessed atomically",
    }
}

/// Formats an invocation: `invocation 0 of workgroup 3`.
pub fn invocation_phrase(who: InvocationIds, dispatched: &AmplifiedDispatch) -> String {
    let [_, y, z] = dispatched.workgroups;
    let workgroup = id(who.workgroup, y <= 1 && z <= 1);
    let invocation = id(who.invocation, who.invocation[1] == 0 && who.invocation[2] == 0);
    format!("invocation {invocation} of workgroup {workgroup}")
}

/// Formats an id; if `plain`, only its first component.
fn id([x, y, z]: [u32; 3], plain: bool) -> String {
    if plain { x.to_string() } else { format!("({x}, {y}, {z})") }
}

/// Returns why a strategy was not run.
pub fn left_out(why: &SkipReason) -> String {
    match why {
        SkipReason::OneWorkgroup => "not run: there is only one workgroup".to_owned(),
        SkipReason::TooLong => "not run: too many steps to choose each one".to_owned(),
        SkipReason::TooMany { schedules: Some(schedules), most } => {
            format!("not run: up to {schedules} schedules, but the limit is {most}")
        }
        SkipReason::TooMany { schedules: None, most } => {
            format!("not run: up to 2^128 schedules or more, but the limit is {most}")
        }
        SkipReason::AllWereRun => "not run: all schedules were run".to_owned(),
        SkipReason::Refused { reason } => format!("not run: {reason}"),
    }
}

/// Returns an upper bound on the number of schedules, and whether all were run.
pub fn bound(bound: &str, all: bool) -> String {
    match all {
        true => format!("all, of at most {bound}"),
        false => format!("not all, of at most {bound}"),
    }
}

/// Returns the summary line.
pub fn total(results: &Results) -> String {
    let launches: Vec<&AmplifiedLaunch> =
        results.tests.iter().flat_map(|test| &test.launches).collect();
    let tried = launches.iter().flat_map(|launched| &launched.dispatches);
    let tried = tried.flat_map(|dispatched| &dispatched.strategies);
    let runs: u64 = tried.clone().map(|tried| tried.runs).sum();
    let cut_off: u64 = tried.map(|tried| tried.cut_off).sum();
    let (mut counted, mut possible, mut accepted) = (0, 0, 0);
    for (_, launched, _, finding) in results.findings() {
        match (finding.counts(), launched.guessed.is_empty()) {
            (false, _) => accepted += 1,
            (true, false) => possible += 1,
            (true, true) => counted += 1,
        }
    }
    let mut said = format!(
        "{} of {} in {}: ",
        count(launches.len() as u64, "launch", "launches"),
        count(results.tests.len() as u64, "test", "tests"),
        count(runs, "schedule", "schedules")
    );
    let mut parts = Vec::new();
    if counted > 0 {
        parts.push(count(
            counted,
            "result depends on the schedule",
            "results depend on the schedule",
        ));
    }
    if possible > 0 {
        let may = count(possible, "result may depend on it", "results may depend on it");
        parts.push(format!("{may}, because of guessed values"));
    }
    let unknown = launches.iter().filter(|launched| !launched.is_known()).count() as u64;
    if unknown > 0 {
        let of = count(unknown, "launch", "launches");
        parts.push(format!("nothing is known about {of}: no other schedule ran to completion"));
    } else if parts.is_empty() {
        parts.push("nothing depends on the schedule".to_owned());
    }
    if cut_off > 0 {
        parts.push(format!("{} stopped by a limit", count(cut_off, "run was", "runs were")));
    }
    if accepted > 0 {
        parts.push(format!("{accepted} accepted by tests"));
    }
    said += &parts.join(", ");
    said
}

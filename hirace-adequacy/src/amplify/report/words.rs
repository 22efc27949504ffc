//! How it is said what the order of things changes.

use crate::report::words::count;
use hirace_core::amplify::results::{
    Access, Dispatched, Does, Finding, Judgement, Launched, LeftOut, Place, Results, What, Who,
};
use hirace_core::exec::EMBEDDED;
use hirace_core::report::words::quoted;

/// Where there is nothing to show.
pub const EMPTY: &str = "nothing was launched";

/// That a run was stopped.
pub const STOPPED: &str = "stopped before all tests were done";

/// What is wrong, in one line.
pub fn message(finding: &Finding, launched: &Launched) -> String {
    let possibly = if launched.guessed.is_empty() { "" } else { "possibly, " };
    let said = match &finding.what {
        What::OutputsDiffer(differs) => {
            format!("what `{}` holds hangs on the order of invocations", differs.element)
        }
        What::Race { element, .. } => format!("`{element}` races in some orders of invocations"),
        What::Divergence(_) => {
            "not all invocations of a workgroup reach a barrier in some orders of invocations"
                .to_owned()
        }
        What::NoProgress(_) => "the kernel does not end in some orders of invocations".to_owned(),
    };
    format!("{possibly}{said}")
}

/// The kind of a finding, as JSON has it.
pub fn kind(finding: &Finding) -> &'static str {
    match finding.what {
        What::OutputsDiffer(_) => "outputs-differ",
        What::Race { .. } => "race",
        What::Divergence(_) => "divergence",
        What::NoProgress(_) => "no-progress",
    }
}

/// The places of a finding with what is said there, the one to look at first in front.
pub fn labels(finding: &Finding, dispatched: &Dispatched) -> Vec<(Place, String)> {
    let label = |access: &Access, more: &str| {
        let said = format!("{} by {}{more}", does(access.does), who(access.who, dispatched));
        (access.place.clone(), said)
    };
    match &finding.what {
        What::OutputsDiffer(_) => finding
            .reordered
            .iter()
            .flat_map(|pair| {
                let here = ", and here it is first";
                [label(&pair.first, ", first in the serial order"), label(&pair.second, here)]
            })
            .collect(),
        What::Race { accesses: [one, other], .. } => vec![label(one, ""), label(other, "")],
        What::Divergence(found) => {
            let [_, y, z] = dispatched.workgroups;
            let workgroup = id(found.workgroup, y <= 1 && z <= 1);
            let all = found.arrived + found.missing;
            let said = format!(
                "{} of {all} invocations of workgroup {workgroup} come here",
                found.arrived
            );
            vec![(found.place.clone(), said)]
        }
        What::NoProgress(stuck) => {
            let first = format!("{} goes on here without end", who(stuck.who, dispatched));
            let mut labels = vec![(stuck.place.clone(), first)];
            if let Some(awaits) = &stuck.awaits {
                let by = who(awaits.by.who, dispatched);
                let said = format!("it waits for `{}`, which {by} changes here", awaits.element);
                labels.push((awaits.by.place.clone(), said));
            }
            if let Some(pair) = &finding.reordered {
                let here = ", and here it is first";
                labels.push(label(&pair.first, ", first in the serial order"));
                labels.push(label(&pair.second, here));
            }
            labels
        }
    }
}

/// More facts, a line each.
pub fn notes(finding: &Finding, launched: &Launched, dispatched: &Dispatched) -> Vec<String> {
    let mut notes = Vec::new();
    match &finding.what {
        What::OutputsDiffer(differs) => {
            let others = match differs.numbers {
                0 | 1 => String::new(),
                n => format!(
                    "; {} of `{}` differ",
                    count(n - 1, "more number", "more numbers"),
                    differs.variable
                ),
            };
            let expected = match finding.test {
                Judgement::Fails => "as the test has it",
                _ if launched.device != EMBEDDED => "in the first run on the device",
                _ => "in the serial order",
            };
            notes.push(format!(
                "it is {} {expected}, and {} in this order{others}",
                differs.expected, differs.is
            ));
            if let Some(pair) = &finding.reordered {
                notes.push(format!(
                    "the two accesses are to `{}`, and come in either order",
                    pair.element
                ));
            }
        }
        What::Race { .. } => notes.push("in the serial order it does not race".to_owned()),
        What::Divergence(_) => notes.push("in the serial order all of them do".to_owned()),
        What::NoProgress(stuck) => {
            if stuck.awaits.as_ref().is_some_and(|awaits| awaits.not_started) {
                notes.push(
                    "the workgroup that it waits for has not started, and starts when this one ends: nothing promises \
                     that workgroups run side by side"
                        .to_owned(),
                );
            }
            let unfinished = count(stuck.unfinished, "invocation was", "invocations were");
            notes.push(format!("{unfinished} not done"));
        }
    }
    match finding.test {
        Judgement::Fails => notes.push("the test fails in this order".to_owned()),
        Judgement::Passes => notes.push("the test looks at it, and passes with either".to_owned()),
        Judgement::Silent => {}
    }
    notes.extend(seen(dispatched));
    notes.extend(finding.found_by.iter().map(|by| format!("found by {by}, and made shorter")));
    notes
}

/// How often the same cause was found elsewhere.
pub fn likewise(more: u64) -> Option<String> {
    (more > 0).then(|| format!("likewise in {}", count(more, "more dispatch", "more dispatches")))
}

/// By which strategies something was found, and how soon.
fn seen(dispatched: &Dispatched) -> Option<String> {
    let found = dispatched.tried.iter().filter_map(|tried| {
        let first = tried.first?;
        Some(format!(
            "{} of {} runs of {} (the first: {first})",
            tried.found, tried.runs, tried.strategy
        ))
    });
    let found: Vec<String> = found.collect();
    (!found.is_empty()).then(|| format!("seen in {}", found.join(", ")))
}

/// What to do about it.
pub fn help(finding: &Finding) -> Option<String> {
    match &finding.what {
        What::OutputsDiffer(differs) if finding.test == Judgement::Silent => Some(format!(
            "if the order of the elements is no matter: --as-set {}; if it is rounding: --tolerance; else order the accesses",
            differs.variable
        )),
        What::NoProgress(_) => Some(
            "let no workgroup wait for another, or for those alone that have started: give out the order of workgroups by \
             an atomic counter"
                .to_owned(),
        ),
        _ => None,
    }
}

/// Flags that show it once more, behind those of the launch.
pub fn replay(finding: &Finding, launched: &Launched, test: &str) -> String {
    let schedule = &finding.schedule;
    match &launched.command {
        // Nobody chooses the order there.
        Some(command) if schedule == "plain" => format!("{command} --strategy plain"),
        Some(command) => format!("{command} --replay {schedule}"),
        None => {
            format!("hirace amplify --test {} --replay {schedule} -- …", quoted(test))
        }
    }
}

pub fn does(does: Does) -> &'static str {
    match does {
        Does::Read => "read",
        Does::Write => "written",
        Does::Atomic => "accessed atomically",
    }
}

/// `invocation 0 of workgroup 3`
pub fn who(who: Who, dispatched: &Dispatched) -> String {
    let [_, y, z] = dispatched.workgroups;
    let workgroup = id(who.workgroup, y <= 1 && z <= 1);
    let invocation = id(who.invocation, who.invocation[1] == 0 && who.invocation[2] == 0);
    format!("invocation {invocation} of workgroup {workgroup}")
}

/// An id, of which the first component says all where it is `plain`.
fn id([x, y, z]: [u32; 3], plain: bool) -> String {
    if plain { x.to_string() } else { format!("({x}, {y}, {z})") }
}

/// Why a strategy was not run.
pub fn left_out(why: &LeftOut) -> String {
    match why {
        LeftOut::OneWorkgroup => "not run: there is one workgroup".to_owned(),
        LeftOut::TooLong => "not run: too many steps to choose each".to_owned(),
        LeftOut::TooMany { schedules: Some(schedules), most } => {
            format!("not run: up to {schedules} schedules, and {most} may be run")
        }
        LeftOut::TooMany { schedules: None, most } => {
            format!("not run: up to 2^128 schedules or more, and {most} may be run")
        }
        LeftOut::AllWereRun => "not run: all schedules were run".to_owned(),
        LeftOut::Refused { reason } => format!("not run: {reason}"),
    }
}

/// How many schedules there are at most, and whether all that there are were run.
pub fn bound(bound: &str, all: bool) -> String {
    match all {
        true => format!("all, of at most {bound}"),
        false => format!("not all, of at most {bound}"),
    }
}

/// All in one line.
pub fn total(results: &Results) -> String {
    let launches: Vec<&Launched> = results.tests.iter().flat_map(|test| &test.launches).collect();
    let tried = launches.iter().flat_map(|launched| &launched.dispatches);
    let tried = tried.flat_map(|dispatched| &dispatched.tried);
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
        parts.push(count(counted, "thing hangs on the order", "things hang on the order"));
    }
    if possible > 0 {
        let may = count(possible, "thing may hang on it", "things may hang on it");
        parts.push(format!("{may}, by what was guessed"));
    }
    let unknown = launches.iter().filter(|launched| !launched.is_known()).count() as u64;
    if unknown > 0 {
        let of = count(unknown, "launch", "launches");
        parts.push(format!("nothing is known of {of}: no other order was run to its end"));
    } else if parts.is_empty() {
        parts.push("nothing that hangs on the order".to_owned());
    }
    if cut_off > 0 {
        parts.push(format!("{} cut off by a limit", count(cut_off, "run was", "runs were")));
    }
    if accepted > 0 {
        parts.push(format!("{accepted} that tests pass with either way"));
    }
    said += &parts.join(", ");
    said
}

//! Converts the outcome of a launch to facts.

use super::coverage::Coverage;
use super::executed_launch::ExecutedLaunch;
use super::explain::{self, ExplainFn};
use super::log::Log;
use super::trial::{TrialSettings, Trials};
use super::{causes, consequences, engine, group, picture, progress, race, suggest};
use crate::analysis::uniformity::NonUniformPointsByEntry;
use crate::diagnostic::Result;
use crate::exec::Outcome;
use crate::facts::place::span_of;
use crate::facts::{
    Assumption, Device, Doubt, Finding, LaunchFacts, Place, Stats, Suggestion, Warning,
    launch_shard,
};
use crate::program::UnmodeledOrdering;
use crate::vm::run::NoProgress;
use crate::watch::UnwatchedVariable;

/// Returns the facts about a launch; uses `explain` for its races and includes its coverage. With `trials`, suggestions are tried.
pub fn judge(
    ran: &ExecutedLaunch<'_>,
    explain: &mut ExplainFn<'_>,
    trials: Option<TrialSettings<'_>>,
) -> Result<LaunchFacts> {
    let ExecutedLaunch { program, launch, outcome, .. } = *ran;
    let explained = explain::explain(outcome, explain)?;
    let grouped = group::group(&explained, |site| {
        program.source.line_over_all(span_of(program.sites.get(site)).start)
    });
    let points = NonUniformPointsByEntry::new(program);
    let log = Log::of(&explained);
    let leads = consequences::find_consequences(ran, &log, &grouped);
    let groups = grouped.groups.iter().zip(leads);
    let mut trials = trials.map(|settings| Trials::new(ran, settings, &grouped.groups));
    let of = |(group, leads_to)| {
        let picture = picture::build_picture(ran, &log, group);
        let mut finding = race::race(ran, group, leads_to, picture);
        if finding.suggestion.is_none()
            && let Some(candidates) =
                suggest::race(program, launch, &points, group, &grouped.groups)
        {
            match &mut trials {
                Some(trials) if !trials.is_known(&finding) => {
                    trials.choose_for_race(group, &mut finding, candidates);
                }
                _ => finding.suggestion = Some(candidates.untried),
            }
            // Updates that become atomic are not lost.
            let is_atomic = finding.suggestion.as_ref().is_some_and(Suggestion::is_atomic);
            if !is_atomic && suggest::may_lose_updates(program, group, &grouped.groups) {
                finding.fix = None;
            }
        }
        finding
    };
    let mut findings: Vec<Finding> = groups.map(of).collect();
    let races = findings.len();
    findings
        .extend(grouped.unidentified.iter().map(|words| race::unidentified_finding(ran, words)));
    let may_be_ordered = |finding: &Finding| match (program.unmodeled_ordering, finding.race()) {
        (None, _) => false,
        (Some(UnmodeledOrdering::OrderByAtomics), _) => true,
        (Some(UnmodeledOrdering::OrderBetweenWorkgroups), race) => {
            race.is_none_or(|race| race.other.is_none() || race.is_shown_across_workgroups())
        }
    };
    let in_doubt = findings.iter_mut().filter(|finding| may_be_ordered(finding));
    in_doubt.for_each(|race| race.doubts.push(Doubt::OrderByAtomics));
    let others = engine::findings(ran, &mut trials);
    if let Some(trials) = &mut trials {
        for (group, race) in grouped.groups.iter().zip(&mut findings[..races]) {
            causes::attach_to_cause(race, group, &others, trials);
        }
    }
    findings.extend(others);
    causes::resolve_chains(&mut findings);
    if let Some(guess) = program.guessed.as_ref().filter(|guess| guess.affects_findings) {
        let doubt = Doubt::Host(guess.values.clone());
        findings.iter_mut().for_each(|finding| finding.doubts.push(doubt.clone()));
    }
    findings.sort_by_key(launch_shard::sort_key);
    let mut warnings = each_once(outcome.dispatches.iter().flat_map(|d| &d.warnings));
    let dropped: u64 = explained.iter().map(|dispatch| dispatch.explanation.dropped).sum();
    if dropped > 0 {
        warnings.push(Warning::TraceFull(dropped));
    }
    warnings.extend(left_in_loops(ran));
    if outcome.dispatches.iter().any(|dispatched| dispatched.run.reached_total_limit) {
        let steps = outcome.dispatches.iter().map(|dispatched| dispatched.run.steps).sum();
        warnings.push(Warning::StepsSpent(steps));
    }
    if grouped.unexplained > 0 {
        warnings.push(Warning::Unexplained(grouped.unexplained));
    }
    Ok(LaunchFacts {
        source: program.source.clone(),
        language: program.language,
        guessed: ran.inferred.grid
            || launch.inferred_contents.contains(&true)
            || program.guessed.is_some(),
        entries: entries(ran),
        device: Device {
            about: ran.device.clone(),
            subgroup_size: launch.subgroup_size,
            shadow: each_once(outcome.dispatches.iter().filter_map(|d| d.shadow.as_ref())),
        },
        grid: ran.grid(0),
        assumptions: assumptions(ran),
        contract: None,
        findings,
        suppressed: Vec::new(),
        excluded: Vec::new(),
        stats: stats(ran, grouped.unexplained),
        unwatched: unwatched(outcome),
        warnings,
        notes: Vec::new(),
        exceeded_limits: Vec::new(),
        wanted: None,
        host: None,
        part: None,
    })
}

/// Returns what was guessed about the launch and the program.
fn assumptions(ran: &ExecutedLaunch<'_>) -> Vec<Assumption> {
    let of_program = ran.program.guessed.iter();
    let of_program = of_program.map(|guess| Assumption::Host(guess.values.clone()));
    ran.launch.assumptions.iter().cloned().chain(of_program).collect()
}

fn each_once<'a, T: Clone + PartialEq + 'a>(all: impl Iterator<Item = &'a T>) -> Vec<T> {
    let mut list: Vec<T> = Vec::new();
    for item in all {
        if !list.contains(item) {
            list.push(item.clone());
        }
    }
    list
}

/// Returns warnings for the loops in which dispatches were abandoned although the loops may terminate.
fn left_in_loops(ran: &ExecutedLaunch<'_>) -> Vec<Warning> {
    let limited = ran.outcome.dispatches.iter().filter_map(|d| d.run.no_progress.as_ref());
    let unsure = limited.filter(|found| !progress::is_sure(ran.program, found));
    let left = |found: &NoProgress| Warning::AbandonedInLoop {
        place: Place::of(ran.program, found.stuck.1),
        steps: found.steps,
        depends_on: ran.inferred.judge([found.stuck.1]).into_iter().next(),
    };
    unsure.map(left).collect()
}

fn unwatched(outcome: &Outcome) -> Vec<UnwatchedVariable> {
    each_once(outcome.dispatches.iter().flat_map(|dispatched| &dispatched.unwatched))
}

fn entries(ran: &ExecutedLaunch<'_>) -> Vec<String> {
    let entry = |dispatch: usize| ran.program.module.entry_points.get(dispatch);
    let dispatched = ran.launch.dispatches.iter().filter_map(|dispatch| entry(dispatch.entry));
    each_once(dispatched.map(|entry| &entry.name))
}

fn stats(ran: &ExecutedLaunch<'_>, unexplained: u64) -> Stats {
    let ExecutedLaunch { program, launch, outcome, .. } = *ran;
    let mut stats = Stats {
        words_watched: outcome.dispatches.iter().map(|d| d.watched).max().unwrap_or(0),
        accesses_checked: outcome.dispatches.iter().map(|d| d.checked).sum(),
        racy_words: outcome.dispatches.iter().map(|d| d.racy.len() as u64).sum(),
        racy_words_unexplained: unexplained,
        cut_short: outcome.dispatches.iter().any(|d| d.run.stopped || d.run.reached_total_limit)
            || left_in_loops(ran).iter().any(Warning::leaves_unchecked),
        steps: outcome.dispatches.iter().map(|d| d.run.steps).max().unwrap_or(0),
        ..Stats::default()
    };
    Coverage::of(program, launch, outcome).write_to(&mut stats, program);
    stats
}

#[cfg(test)]
mod tests {
    use crate::ir::access::Action::Write;
    use crate::tests::fixture::{Fixture, by};

    const TEXT: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    data[lane / 2u] = lane; data[63u - lane] = lane;
}
";

    #[test]
    fn one_race_in_several_dispatches_is_one_finding() {
        let mut fixture = Fixture::dispatches(TEXT, &[[1, 1, 1], [1, 1, 1], [2, 1, 1]]);
        let write = fixture.access(Write, 4, 0);
        fixture.race_in(1, 0..4, by(0, 0, write), by(0, 1, write));
        fixture.race_in(2, 0..2, by(0, 0, write), by(0, 1, write));
        let launch = fixture.report().launches.remove(0);
        assert_eq!(launch.findings.len(), 1);
        let finding = &launch.findings[0];
        assert_eq!((finding.count, launch.stats.racy_words), (6, 6));
        let last = &finding.notes[finding.notes.len() - 2..];
        assert_eq!(
            last,
            ["5 more words at this site", "in 2 of 3 dispatches, first in dispatch 2"]
        );
    }

    #[test]
    fn other_columns_of_the_same_lines_are_noted() {
        let mut fixture = Fixture::new(TEXT, [1, 1, 1]);
        let (a, b) = (fixture.access(Write, 4, 0), fixture.access(Write, 4, 1));
        fixture.race(0..4, by(0, 0, a), by(0, 1, a));
        fixture.race([9], by(0, 18, a), by(0, 54, b));
        let findings = fixture.report().launches.remove(0).findings;
        assert_eq!(findings.len(), 1);
        let note = "on the same lines, `data[63u - lane]` at 4:29 races too".to_owned();
        assert!(findings[0].notes.contains(&note), "{:?}", findings[0].notes);
    }
}

//! From what a launch did to what the user is told.

use super::certainty::Guesses;
use super::coverage::Coverage;
use super::explain::{self, Explain};
use super::place::span_of;
use super::who::{Grid, count};
use super::{
    Device, Finding, LaunchReport, Stats, Unwatched, Verdict, engine, group, race, verdict,
};
use crate::diagnostic::Result;
use crate::exec::{About, Outcome};
use crate::launch::Launch;
use crate::program::Program;
use crate::report::words;

/// A launch that ran, and what its findings hang on.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    /// The program.
    pub program: &'a Program,
    /// The launch.
    pub launch: &'a Launch,
    /// What came of it.
    pub outcome: &'a Outcome,
    /// What it ran on.
    pub device: &'a About,
    /// The flags that choose that.
    pub flags: &'a [String],
    /// What was guessed.
    pub guesses: &'a Guesses<'a>,
}

impl Case<'_> {
    /// The command that runs this launch again.
    pub(crate) fn replay(&self) -> Option<String> {
        let flags = self.launch.replay.as_ref()?;
        let words = ["hirace", "check", self.program.source.name()].into_iter();
        let words = words.chain(flags.iter().chain(self.flags).map(String::as_str));
        Some(words.map(quoted).collect::<Vec<_>>().join(" "))
    }
}

/// `word`, in quotes if a shell would take it apart.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,@+%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// The report of a launch: explains its races with `explain` and says what it covered.
pub fn judge(case: &Case<'_>, explain: &mut Explain<'_>) -> Result<LaunchReport> {
    let Case { program, launch, outcome, .. } = *case;
    let explained = explain::explain(outcome, explain)?;
    let grouped = group::group(&explained, |site| {
        program.source.line_over_all(span_of(program.sites.get(site)).start)
    });
    let mut findings: Vec<Finding> = grouped.groups.iter().map(|g| race::race(case, g)).collect();
    findings.extend(grouped.unidentified.iter().map(|words| race::unidentified(case, words)));
    if let Some(doubt) = &program.doubt {
        findings.iter_mut().for_each(|race| race.question(doubt.clone()));
    }
    findings.extend(engine::findings(case));
    if let Some(guess) = program.guessed.as_ref().filter(|guess| guess.is_doubt) {
        findings.iter_mut().for_each(|finding| finding.question(guess.what.clone()));
    }
    findings.sort_by_key(|finding| {
        let at = finding.accesses.first().map(|place| (place.line, place.column));
        (finding.kind, at, finding.fingerprint.clone())
    });
    let mut warnings: Vec<String> = Vec::new();
    for dispatched in &outcome.dispatches {
        for warning in &dispatched.warnings {
            if !warnings.contains(warning) {
                warnings.push(warning.clone());
            }
        }
    }
    let dropped: u64 = explained.iter().map(|dispatch| dispatch.explanation.dropped).sum();
    if dropped > 0 {
        let accesses = count(dropped, "access", "accesses");
        warnings
            .push(format!("{accesses} to racy words did not fit in the log that explains them"));
    }
    if grouped.unexplained > 0 {
        let words = count(grouped.unexplained, "more racy word", "more racy words");
        warnings
            .push(format!("{words} not explained: more than one of the findings may be the cause"));
    }
    let first = Grid::of(program, launch, 0);
    let mut report = LaunchReport {
        source: program.source.name().to_owned(),
        source_map: program.source.clone(),
        verdict: Verdict::Clean,
        guessed: case.guesses.grid
            || launch.guessed_contents.contains(&true)
            || program.guessed.is_some(),
        entry: entry_names(case),
        device: device(case),
        workgroups: first.workgroups,
        workgroup_size: first.workgroup_size,
        inferred: inferred(case),
        findings,
        allowed: Vec::new(),
        stats: stats(case, grouped.unexplained),
        unwatched: unwatched(outcome),
        warnings,
    };
    report.verdict = verdict::of_launch(&report);
    Ok(report)
}

/// What was guessed, of the launch and of the program.
fn inferred(case: &Case<'_>) -> Vec<String> {
    let of_program = case.program.guessed.iter().map(|guess| &guess.what);
    case.launch.inferred.iter().chain(of_program).cloned().collect()
}

fn device(case: &Case<'_>) -> Device {
    let About { name, kind, backend, driver } = case.device.clone();
    let mut shadow: Vec<String> = Vec::new();
    for said in case.outcome.dispatches.iter().filter_map(|dispatched| dispatched.shadow.as_ref()) {
        if !shadow.contains(said) {
            shadow.push(said.clone());
        }
    }
    Device { name, kind, backend, driver, subgroup_size: case.launch.subgroup_size, shadow }
}

fn unwatched(outcome: &Outcome) -> Vec<Unwatched> {
    let mut all = Vec::new();
    for left_out in outcome.dispatches.iter().flat_map(|dispatched| &dispatched.unwatched) {
        let reason = words::unwatched::not_watched(left_out.reason);
        let unwatched = Unwatched { variable: left_out.name.clone(), reason };
        if !all.contains(&unwatched) {
            all.push(unwatched);
        }
    }
    all
}

fn entry_names(case: &Case<'_>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for dispatch in &case.launch.dispatches {
        if let Some(entry) = case.program.module.entry_points.get(dispatch.entry)
            && !names.contains(&entry.name.as_str())
        {
            names.push(&entry.name);
        }
    }
    names.join(",")
}

fn stats(case: &Case<'_>, unexplained: u64) -> Stats {
    let Case { program, launch, outcome, .. } = *case;
    let mut stats = Stats {
        words_watched: outcome.dispatches.iter().map(|d| d.watched).max().unwrap_or(0),
        accesses_checked: outcome.dispatches.iter().map(|d| d.checked).sum(),
        racy_words: outcome.dispatches.iter().map(|d| d.racy.len() as u64).sum(),
        racy_words_unexplained: unexplained,
        cut_short: outcome.dispatches.iter().any(|d| d.run.stopped),
        ..Stats::default()
    };
    Coverage::of(program, launch, outcome).put_into(&mut stats, program);
    stats
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn only_words_that_a_shell_would_take_apart_are_quoted() {
        assert_eq!(quoted("--buffer"), "--buffer");
        assert_eq!(quoted("a=random:64:7"), "a=random:64:7");
        assert_eq!(quoted("my file.wgsl"), "'my file.wgsl'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }

    use crate::finding::fixture::{Fixture, by};
    use crate::ir::access::Action::Write;

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
        assert_eq!(last, ["5 more words at this site", "in 2 of 3 dispatches, first in number 2"]);
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

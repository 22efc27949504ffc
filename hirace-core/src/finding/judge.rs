//! From what a launch did to what the user is told.

use super::certainty::Guesses;
use super::coverage::Coverage;
use super::explain::{self, Explain};
use super::place::line_of;
use super::who::{Grid, count};
use super::{Finding, LaunchReport, Stats, Verdict, engine, group, race, verdict};
use crate::diagnostic::Result;
use crate::exec::Outcome;
use crate::launch::Launch;
use crate::program::Program;

/// A launch that ran, and what its findings hang on.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    /// The program.
    pub program: &'a Program,
    /// The launch.
    pub launch: &'a Launch,
    /// What came of it.
    pub outcome: &'a Outcome,
    /// A line about the device.
    pub device: &'a str,
    /// What was guessed.
    pub guesses: &'a Guesses<'a>,
}

impl Case<'_> {
    /// The command that runs this launch again.
    pub(crate) fn replay(&self) -> String {
        let words = ["hirace", "check", self.program.source.name()].into_iter();
        let words = words.chain(self.launch.replay.iter().map(String::as_str));
        words.map(quoted).collect::<Vec<_>>().join(" ")
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
    let grouped = group::group(&explained, |site| line_of(program, site));
    let mut findings: Vec<Finding> = grouped.groups.iter().map(|g| race::race(case, g)).collect();
    findings.extend(grouped.unidentified.iter().map(|words| race::unidentified(case, words)));
    findings.extend(engine::findings(case));
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
        let accesses = count(dropped, "access").replace("accesss", "accesses");
        warnings
            .push(format!("{accesses} to racy words did not fit in the log that explains them"));
    }
    if grouped.unexplained > 0 {
        let words = count(grouped.unexplained, "more racy word");
        warnings
            .push(format!("{words} not explained: more than one of the findings may be the cause"));
    }
    let first = Grid::of(program, launch, 0);
    let mut report = LaunchReport {
        source: program.source.name().to_owned(),
        source_map: program.source.clone(),
        verdict: Verdict::Clean,
        guessed: case.guesses.grid || launch.guessed_contents.contains(&true),
        entry: entry_names(case),
        device: case.device.to_owned(),
        workgroups: first.workgroups,
        workgroup_size: first.workgroup_size,
        inferred: launch.inferred.clone(),
        findings,
        allowed: Vec::new(),
        stats: stats(case, grouped.unexplained),
        warnings,
    };
    report.verdict = verdict::of_launch(&report);
    Ok(report)
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
}

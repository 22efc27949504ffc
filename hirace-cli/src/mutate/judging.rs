//! Judges mutants by a suite: the progress messages, the state kept for resuming, and the exit status.

use super::{MutateArgs, MutationRun};
use crate::output_folder::output_folder;
use crate::progress::CountedBar;
use hirace_adequacy::mutate::campaign::{Campaign, MutantStore};
use hirace_adequacy::mutate::folder::Folder;
use hirace_adequacy::mutate::judge::{Limits, TestRunner};
use hirace_adequacy::mutate::plan::{Baseline, Plan};
use hirace_adequacy::mutate::report::text;
use hirace_adequacy::mutate::results::{File, Mutant, Results, Status};
use hirace_adequacy::mutate::source::Source;
use hirace_core::cover::hash;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::exec::EMBEDDED;
use hirace_terminal::{Exit, Output};
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A suite and the mutants that it judges.
pub struct MutantJudging<'a> {
    pub args: &'a MutateArgs,
    pub stop: &'a AtomicBool,
    pub output: &'a Output,
    /// The sources that mutants are created from.
    pub sources: &'a [Source],
    pub names: Vec<String>,
    /// Everything that verdicts depend on, in addition to the sources.
    pub key: Vec<String>,
}

impl MutantJudging<'_> {
    /// Judges the planned mutants.
    pub fn run(&self, mut plan: Plan, tests: &dyn TestRunner) -> Result<MutationRun> {
        let Self { args, output, sources, .. } = *self;
        if !args.report.quiet {
            plan.warnings.iter().for_each(|warning| output.warning(warning));
        }
        let repeats = args.repeats();
        let file = |source: &Source| File { file: source.file.clone(), text: source.hash.clone() };
        let (unchanged, files) = (plan.is_unchanged, sources.iter().map(file).collect());
        let counts_equivalent = args.gates.strict;
        let mut results = Results {
            repeats: repeats.most,
            unchanged,
            files,
            counts_equivalent,
            ..Results::default()
        };
        if args.select.list || plan.subjects.is_empty() {
            results.mutants =
                plan.subjects.into_iter().map(|subject| subject.candidate.mutant).collect();
            results.summarize();
            if !args.select.list && unchanged {
                output.warning(&Diagnostic::new("the diff changes no line that has a mutant"));
            }
            return Ok(MutationRun { results, exit: Exit::Clean });
        }
        let unjudged =
            plan.subjects.iter().filter(|subject| subject.candidate.mutant.status.is_none());
        let needed: BTreeSet<usize> =
            unjudged.flat_map(|subject| subject.reached.iter().copied()).collect();
        let baseline = Baseline::of(tests, &self.names, &needed, repeats)?;
        let Some(baseline) = baseline else {
            return Err(Box::new(
                Diagnostic::new("stopped before any mutant was judged").of_device(),
            ));
        };
        let mut limits = vec![Limits::NONE; self.names.len()];
        for (test, baseline_test) in needed.iter().zip(&baseline.tests) {
            limits[*test] = Limits {
                time: args.judge.time(baseline_test.seconds.unwrap_or_default()),
                steps: args.judge.steps(baseline.steps[*test]),
                known: baseline.findings[*test].clone(),
                exceeded: baseline.exceeded[*test].clone(),
                refused: baseline.refused[*test].clone(),
                runs: baseline.runs[*test],
            };
        }
        results.known_findings = baseline.known_findings(&self.names);
        results.tests.clone_from(&baseline.tests);
        let texts = sources.iter().flat_map(|source| [&source.hash, &source.dependencies]);
        let key = texts.chain(&self.key).chain(&self.names);
        let key: Vec<String> = key.cloned().collect();
        let key = format!("{} {repeats:?} {:?}", key.join("\n"), args.judge.memory());
        let path = output_folder(args.judge.output.as_deref(), "mutate")?;
        let mut folder = Folder::open(&path, &hash(&key))?;
        let mut known = 0;
        for subject in &mut plan.subjects {
            let names: Vec<String> =
                subject.reached.iter().map(|test| self.names[*test].clone()).collect();
            let mutant = &mut subject.candidate.mutant;
            mutant.reached_by = names;
            if let (None, Some(judged)) = (mutant.status, folder.known(mutant)) {
                *mutant = judged.clone();
                known += 1;
            }
        }
        let unjudged_count = plan
            .subjects
            .iter()
            .filter(|subject| subject.candidate.mutant.status.is_none())
            .count();
        if !args.report.quiet {
            let found = plan.subjects.len();
            let before = if known > 0 { format!(", {known} judged before") } else { String::new() };
            let tests = match results.tests.len() {
                1 => "1 test reaches them".to_owned(),
                tests => format!("{tests} tests reach them"),
            };
            let found = if found == 1 { "1 mutant".to_owned() } else { format!("{found} mutants") };
            let summary = format!("{found}{before}, {tests}");
            output.note(&summary);
            if baseline.alike > 0 {
                let count = baseline.alike;
                output.note(&format!("{count} of them run once per mutant, because two runs without a mutant had the same result; --schedules N repeats them"));
            }
        }
        // A device runs one launch at a time.
        let jobs = if args.what.run.device == EMBEDDED { args.judge.jobs() } else { 1 };
        let max_seconds = baseline.most_seconds(&plan, &needed, jobs);
        let is_long = max_seconds >= LONG.as_secs_f64() && !args.report.quiet;
        if is_long {
            output.note(&format!(
                "this takes about {} if no test detects a mutant, else less",
                duration(max_seconds)
            ));
        }
        let previous_killers = folder.killers().clone();
        let mut store = JudgingStore {
            folder: &mut folder,
            bar: CountedBar::new(unjudged_count, args.report.quiet),
            output,
            quiet: args.report.quiet,
            shows_killed: args.killed,
            pace: is_long.then(|| Pace::new(unjudged_count)),
        };
        let campaign = Campaign {
            sources,
            tests,
            names: &self.names,
            limits: &limits,
            repeats: repeats.most,
            jobs,
            previous_killers: &previous_killers,
            stop: Some(self.stop),
        };
        let result = campaign.run(&mut plan.subjects, &mut store);
        drop(store);
        results.mutants =
            plan.subjects.into_iter().map(|subject| subject.candidate.mutant).collect();
        let exit = match result {
            Ok(true) => Exit::Clean,
            Ok(false) => {
                let shown = path.display();
                let error = Diagnostic::new("stopped before all mutants were judged");
                output.error(&error.help(format!(
                    "run the same command to resume: the verdicts so far are in {shown}"
                )));
                Exit::Failed
            }
            Err(error) => {
                output.error(&error);
                Exit::Failed
            }
        };
        results.stopped = exit != Exit::Clean;
        results.summarize();
        if exit == Exit::Clean {
            folder.end(&results)?;
        }
        Ok(MutationRun { results, exit })
    }
}

/// Stores judged mutants and shows their number.
struct JudgingStore<'a> {
    folder: &'a mut Folder,
    bar: CountedBar,
    output: &'a Output,
    quiet: bool,
    shows_killed: bool,
    /// The pace of a long run; `None` if it is not shown.
    pace: Option<Pace>,
}

/// The estimated duration from which a run counts as long.
const LONG: Duration = Duration::from_secs(10);

/// The time between two estimates of the remaining time, where no bar shows it.
const BETWEEN_ESTIMATES: Duration = Duration::from_secs(60);

/// The pace at which mutants are judged.
struct Pace {
    count: usize,
    done: usize,
    started: Instant,
    shown: Instant,
}

impl Pace {
    fn new(count: usize) -> Self {
        Self { count, done: 0, started: Instant::now(), shown: Instant::now() }
    }

    /// Counts a judged mutant. Returns the line to show now, if any.
    fn advance(&mut self) -> Option<String> {
        self.done += 1;
        if self.shown.elapsed() < BETWEEN_ESTIMATES {
            return None;
        }
        self.shown = Instant::now();
        let seconds_per_mutant = self.started.elapsed().as_secs_f64() / self.done as f64;
        let remaining = duration(seconds_per_mutant * self.count.saturating_sub(self.done) as f64);
        Some(format!("{} of {} mutants judged, about {remaining} remaining", self.done, self.count))
    }
}

/// Returns a duration in words.
fn duration(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    let minutes = seconds.div_ceil(60);
    match (seconds, minutes) {
        (0..=90, _) => format!("{seconds} s"),
        (_, 0..=90) => format!("{minutes} min"),
        _ => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}

impl MutantStore for JudgingStore<'_> {
    fn store(&mut self, mutant: &Mutant) -> Result<()> {
        let is_shown = self.shows_killed || !matches!(mutant.status, Some(Status::Killed));
        if is_shown && !self.quiet {
            let line = text::status_line(mutant, self.output.style());
            self.bar.suspended(|| self.output.note(&line));
        }
        self.bar.advance(&text::line(mutant));
        // On a terminal, the bar shows the remaining time.
        let line = self.pace.as_mut().and_then(Pace::advance);
        if let Some(line) = line.filter(|_| !std::io::stderr().is_terminal()) {
            self.output.note(&line);
        }
        self.folder.store(mutant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_the_unit_of_their_size() {
        let all = [0.4, 48.0, 91.0, 3600.0, 9000.0].map(duration);
        assert_eq!(all, ["0 s", "48 s", "2 min", "60 min", "2 h 30 min"]);
    }

    #[test]
    fn the_remaining_time_follows_from_the_pace() {
        let ago = |seconds| Instant::now().checked_sub(Duration::from_secs(seconds)).unwrap();
        let mut pace = Pace { count: 10, done: 3, started: ago(120), shown: ago(70) };
        let line = pace.advance().unwrap();
        assert_eq!(line, "4 of 10 mutants judged, about 3 min remaining");
        assert_eq!(pace.advance(), None);
    }
}

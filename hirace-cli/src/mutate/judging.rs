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
use std::sync::atomic::AtomicBool;

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
        let file = |of: &Source| File { file: of.file.clone(), text: of.hash.clone() };
        let (unchanged, files) = (plan.is_unchanged, sources.iter().map(file).collect());
        let counts_equivalent = args.gates.strict;
        let mut results =
            Results { repeats, unchanged, files, counts_equivalent, ..Results::default() };
        if args.select.list || plan.subjects.is_empty() {
            results.mutants = plan.subjects.into_iter().map(|of| of.candidate.mutant).collect();
            results.summarise();
            if !args.select.list && unchanged {
                output.warning(&Diagnostic::new("the diff changes no line that has a mutant"));
            }
            return Ok(MutationRun { results, exit: Exit::Clean });
        }
        let open = plan.subjects.iter().filter(|of| of.candidate.mutant.status.is_none());
        let needed: BTreeSet<usize> = open.flat_map(|of| of.reached.iter().copied()).collect();
        let baseline = Baseline::of(tests, &self.names, &needed, repeats)?;
        let Some(baseline) = baseline else {
            return Err(Box::new(
                Diagnostic::new("stopped before any mutant was judged").of_device(),
            ));
        };
        let mut limits = vec![Limits::NONE; self.names.len()];
        for (test, of) in needed.iter().zip(&baseline.tests) {
            limits[*test] = Limits {
                time: args.judge.time(of.seconds.unwrap_or_default()),
                steps: args.judge.steps(baseline.steps[*test]),
                known: baseline.findings[*test].clone(),
                exceeded: baseline.exceeded[*test].clone(),
            };
        }
        results.known_findings = baseline.known_findings(&self.names);
        results.tests = baseline.tests;
        let key = sources.iter().map(|source| &source.hash).chain(&self.key).chain(&self.names);
        let key: Vec<String> = key.cloned().collect();
        let key = format!("{} {repeats} {:?}", key.join("\n"), args.judge.memory());
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
        let all = plan.subjects.iter().filter(|of| of.candidate.mutant.status.is_none()).count();
        if !args.report.quiet {
            let found = plan.subjects.len();
            let before = if known > 0 { format!(", {known} judged before") } else { String::new() };
            let tests = match results.tests.len() {
                1 => "1 test reaches them".to_owned(),
                tests => format!("{tests} tests reach them"),
            };
            let found = if found == 1 { "1 mutant".to_owned() } else { format!("{found} mutants") };
            let said = format!("{found}{before}, {tests}");
            output.note(&said);
        }
        let learned = folder.killers().clone();
        let mut keeper = JudgingStore {
            folder: &mut folder,
            counted: CountedBar::new(all, args.report.quiet),
            output,
            quiet: args.report.quiet,
            killed: args.killed,
        };
        let campaign = Campaign {
            sources,
            tests,
            names: &self.names,
            limits: &limits,
            repeats,
            // A device runs one launch at a time.
            jobs: if args.what.run.device == EMBEDDED { args.judge.jobs() } else { 1 },
            previous_killers: &learned,
            stop: Some(self.stop),
        };
        let ran = campaign.run(&mut plan.subjects, &mut keeper);
        drop(keeper);
        results.mutants = plan.subjects.into_iter().map(|of| of.candidate.mutant).collect();
        let exit = match ran {
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
        results.summarise();
        if exit == Exit::Clean {
            folder.end(&results)?;
        }
        Ok(MutationRun { results, exit })
    }
}

/// Keeps and counts judged mutants.
struct JudgingStore<'a> {
    folder: &'a mut Folder,
    counted: CountedBar,
    output: &'a Output,
    quiet: bool,
    killed: bool,
}

impl MutantStore for JudgingStore<'_> {
    fn judged(&mut self, mutant: &Mutant) -> Result<()> {
        let is_shown = self.killed || !matches!(mutant.status, Some(Status::Killed));
        if is_shown && !self.quiet {
            let line = text::status_line(mutant, self.output.style());
            self.counted.suspended(|| self.output.note(&line));
        }
        self.counted.advance(&text::line(mutant));
        self.folder.judged(mutant)
    }
}

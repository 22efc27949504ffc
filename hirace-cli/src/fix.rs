//! `hirace check --fix`: writes the edits of suggestions that were tried to the input files.
//!
//! Edits are applied in rounds, because the fix of one finding may show that of another. In each round the edited texts are checked in
//! the same way as the files. They are kept only if the findings that they fix are gone and there is no new one. Files are written at
//! the end, each in one step.

use crate::args::InputArgs;
use crate::files::{self, Input};
use crate::inputs::{InputPlan, InputsOutcome};
use crate::modules::PreprocessInputs;
use clap::ValueEnum;
use hirace_core::check::Session;
use hirace_core::check::run::RunOutcome;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::edit::diff::unified_diff;
use hirace_core::edit::{Edit, locate_edits, offset_before};
use hirace_core::event::{Event, Listener, Results, Verb};
use hirace_core::exec::Executor;
use hirace_core::facts::{Certainty, Finding, Kind, LaunchFacts};
use hirace_core::finding::baseline::Baseline;
use hirace_core::front;
use hirace_core::limits::Limits;
use hirace_core::source_map::{SourceMap, Span};
use hirace_terminal::{Output, file};
use std::collections::BTreeMap;
use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The maximum number of checks of edited texts.
const MAX_CHECKS: usize = 32;

/// The mark at the begin of some files, which is not a part of the text.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Whether to ask before files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Confirmation {
    /// Show the changes of each file and ask
    Ask,
    /// Write without asking
    Yes,
}

/// Rejects arguments with which no file could be written.
pub fn check_arguments(args: &InputArgs, confirmation: Confirmation) -> Result<()> {
    let refusal = |message: &str, help: &str| {
        Err(Box::new(Diagnostic::new(message.to_owned()).help(help.to_owned())))
    };
    if args.paths.iter().any(|path| path.as_os_str() == "-") {
        return refusal(
            "`--fix` cannot change standard input",
            "write the shader to a file, and check that",
        );
    }
    if args.preprocess.any() {
        return refusal(
            "`--fix` cannot change files that are preprocessed",
            "leave out --fix, or fix the text that `hirace expand --plain` prints",
        );
    }
    let is_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if confirmation == Confirmation::Ask && !is_terminal {
        return refusal(
            "`--fix` asks before it writes, but this is not a terminal",
            "write without asking with --fix=yes",
        );
    }
    Ok(())
}

/// The results of a check that fixes are taken from.
#[derive(Clone, Debug, Default)]
pub struct FixableResults {
    launches: Vec<LaunchFacts>,
    /// The number of inputs that were not checked.
    not_checked: usize,
}

impl Listener for FixableResults {
    fn event(&mut self, event: &Event<'_>) {
        if let Event::RunEnded { results: Results::Check(check) } = event {
            self.launches = check.launches.to_vec();
            self.not_checked = check.not_checked.len();
        }
    }
}

/// What a check of edited texts needs in addition to its inputs.
pub struct Fixer<'a> {
    pub args: &'a InputArgs,
    pub limits: Option<Limits>,
    pub confirmation: Confirmation,
    pub inputs: Vec<Input>,
    pub executor: &'a dyn Executor,
    pub stop: &'a AtomicBool,
    pub baseline: Option<&'a Path>,
    pub output: &'a Output,
}

/// A finding with edits that fix it.
struct FixableFinding {
    key: FindingKey,
    /// The name of its file.
    file: String,
    edits: Vec<Edit>,
}

/// What identifies a finding before and after edits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct FindingKey {
    file: String,
    entries: Vec<String>,
    kind: Kind,
    certainty: Certainty,
    variable: Option<String>,
    /// The lines before the edits, sorted.
    lines: Vec<u32>,
}

/// The edited text of a file.
struct EditedText {
    text: Arc<str>,
    /// What the edits of the last round replaced, and where the replacements are.
    located: Vec<(Span, Span)>,
}

/// The edited texts, by the names of their files.
type EditedTexts = BTreeMap<String, EditedText>;

impl Fixer<'_> {
    /// Fixes what `found` has edits for. Returns the outcome of the check of the written files, or `None` if none was written.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn fix(&self, found: FixableResults) -> Result<Option<RunOutcome>> {
        self.explain_unchangeable(&found);
        let of_launch =
            |launch: &LaunchFacts| (launch.source.name().to_owned(), launch.source.clone());
        let originals: BTreeMap<String, SourceMap> = found.launches.iter().map(of_launch).collect();
        let mut results = found;
        let (mut texts, mut fixed) = (EditedTexts::new(), BTreeMap::<String, usize>::new());
        let (mut ended, mut checks) = (None, 0);
        while let Some(round) = self.round(&results, &texts, &mut checks)? {
            for file in round.fixed_files {
                *fixed.entry(file).or_default() += 1;
            }
            texts.extend(round.texts);
            (results, ended) = (round.results, Some(round.ended));
        }
        if texts.is_empty() {
            self.output.note("no file was changed: no finding has a change that was checked");
            return Ok(None);
        }
        let mut is_written = true;
        for (name, edited) in &texts {
            let count = fixed.get(name).copied().unwrap_or(0);
            let Some(original) = originals.get(name) else { continue };
            is_written &= self.write(original, &edited.text, count)?;
        }
        Ok(ended.filter(|_| is_written))
    }

    /// States for each file with findings why it cannot be changed, if that is so.
    fn explain_unchangeable(&self, found: &FixableResults) {
        for input in &self.inputs {
            let name = input.name();
            let is_own =
                |launch: &&LaunchFacts| launch.source.name() == name && !launch.findings.is_empty();
            if found.launches.iter().any(|launch| is_own(&launch))
                && let Some(why) = unchangeable(input)
            {
                self.output.note(&format!("{name} cannot be changed: {why}"));
            }
        }
    }

    /// Applies as many fixes as the check of the edited texts accepts. Returns `None` if there are none.
    fn round(
        &self,
        results: &FixableResults,
        texts: &EditedTexts,
        checks: &mut usize,
    ) -> Result<Option<Round>> {
        let all = self.fixable(results);
        if all.is_empty() {
            return Ok(None);
        }
        let mut attempts = vec![without_conflicts(&all)];
        if all.len() > 1 {
            attempts.extend(all.iter().map(|finding| vec![finding]));
        }
        for applied in attempts {
            if *checks == MAX_CHECKS {
                return Ok(None);
            }
            *checks += 1;
            if let Some(round) = self.attempt(results, texts, &applied)? {
                return Ok(Some(round));
            }
        }
        Ok(None)
    }

    /// Returns the findings that have edits, without those that depend on a guess and those in files that cannot be changed.
    fn fixable(&self, results: &FixableResults) -> Vec<FixableFinding> {
        let mut all = Vec::new();
        for launch in &results.launches {
            let file = launch.source.name();
            let is_changeable = |input: &&Input| input.name() == file;
            let input = self.inputs.iter().find(is_changeable);
            if input.is_none_or(|input| unchangeable(input).is_some()) {
                continue;
            }
            let certain = launch.findings.iter();
            let certain = certain.filter(|finding| finding.certainty() == Certainty::Certain);
            all.extend(certain.filter_map(|finding| {
                let edits = finding.fix.as_ref()?.edits.clone();
                let key = key(launch, finding, None);
                Some(FixableFinding { key, file: file.to_owned(), edits })
            }));
        }
        all
    }

    /// Applies the edits of `applied` and checks the result.
    fn attempt(
        &self,
        results: &FixableResults,
        texts: &EditedTexts,
        applied: &[&FixableFinding],
    ) -> Result<Option<Round>> {
        let mut edits: BTreeMap<&str, Vec<Edit>> = BTreeMap::new();
        for finding in applied {
            let of_file = edits.entry(&finding.file).or_default();
            of_file.extend(finding.edits.iter().cloned());
            of_file.sort();
            of_file.dedup();
        }
        let mut edited = EditedTexts::new();
        for (file, edits) in edits {
            let source = results.launches.iter().find(|launch| launch.source.name() == file);
            let Some(source) = source.map(|launch| launch.source.text()) else { continue };
            let (text, located) = locate_edits(source, &edits);
            edited.insert(file.to_owned(), EditedText { text: text.into(), located });
        }
        let text_of = |name: &str| {
            let known = edited.get(name).or_else(|| texts.get(name));
            known.map(|edited| Arc::clone(&edited.text))
        };
        let inputs = self.inputs.iter().map(|input| {
            let edited = text_of(&input.name());
            Input { edited, ..input.clone() }
        });
        let (after, ended) = self.check(inputs.collect())?;
        let is_fixed = !ended.stopped && is_better(results, &after, applied, &edited);
        let fixed_files = applied.iter().map(|finding| finding.file.clone()).collect();
        let round = Round { fixed_files, texts: edited, results: after, ended };
        Ok(is_fixed.then_some(round))
    }

    /// Checks inputs with edited texts.
    fn check(&self, inputs: Vec<Input>) -> Result<(FixableResults, RunOutcome)> {
        let Self { args, limits, executor, stop, .. } = *self;
        let plan = InputPlan { limits, ..InputPlan::of(args, inputs)? };
        let preprocessing = PreprocessInputs::new(&args.preprocess, &plan.inputs)?;
        let mut known = self.baseline.map(files::baseline).transpose()?;
        let mut found = FixableResults::default();
        let session = Session::new(executor)
            .with_listener(&mut found)
            .with_stop(Some(stop))
            .without_memory()
            .with_contracts()
            .with_baseline(known.as_mut() as Option<&mut Baseline>);
        let InputsOutcome { ended, .. } = plan.run(Verb::Check, args, &preprocessing, session)?;
        Ok((found, ended))
    }

    /// Writes the edited text of the file whose text was `original`, if the user agrees. Returns whether it was written.
    fn write(&self, original: &SourceMap, edited: &str, count: usize) -> Result<bool> {
        let name = original.name();
        let Some(input) = self.inputs.iter().find(|input| input.name() == name) else {
            return Ok(false);
        };
        let bytes = input.read()?;
        let text = front::decode(name, &bytes)?;
        let (mark, text) = match text.strip_prefix(BYTE_ORDER_MARK) {
            Some(text) => (BYTE_ORDER_MARK, text),
            None => ("", text),
        };
        if text != original.text() {
            let error = Diagnostic::new(format!("{name} has changed since it was checked"));
            return Err(Box::new(error.help("check it again")));
        }
        let findings =
            if count == 1 { "1 finding".to_owned() } else { format!("{count} findings") };
        if self.confirmation == Confirmation::Ask
            && !ask(&unified_diff(name, text, edited), &format!("write this to {name}?"))
        {
            self.output.note(&format!("{name} was not changed"));
            return Ok(false);
        }
        file::write(&input.path, format!("{mark}{edited}").as_bytes())
            .map_err(|error| Box::new(Diagnostic::new(format!("cannot write {name}: {error}"))))?;
        self.output.note(&format!("{name} was changed, which fixes {findings}"));
        Ok(true)
    }
}

/// The result of a round.
struct Round {
    /// The file of each finding that was fixed.
    fixed_files: Vec<String>,
    texts: EditedTexts,
    results: FixableResults,
    ended: RunOutcome,
}

/// Returns why a file cannot be changed, if that is so.
fn unchangeable(input: &Input) -> Option<&'static str> {
    if input.is_host() {
        return Some("`--fix` changes only WGSL files, not programs that contain kernels");
    }
    let bytes = input.read().unwrap_or_default();
    match front::Kind::of(&input.name(), &bytes) {
        front::Kind::Wgsl => None,
        front::Kind::Spirv => Some("SPIR-V has no source text; change what it was compiled from"),
        _ => Some("`--fix` changes only WGSL files"),
    }
}

/// Returns the findings whose edits can be applied together, the first ones first.
fn without_conflicts(all: &[FixableFinding]) -> Vec<&FixableFinding> {
    let overlap = |a: &Edit, b: &Edit| a != b && a.at.start < b.at.end && b.at.start < a.at.end;
    let mut kept: Vec<&FixableFinding> = Vec::new();
    for finding in all {
        let conflicts = |other: &&FixableFinding| {
            other.file == finding.file
                && other.edits.iter().any(|a| finding.edits.iter().any(|b| overlap(a, b)))
        };
        if !kept.iter().any(conflicts) {
            kept.push(finding);
        }
    }
    kept
}

/// Returns the key of a finding. `before` are the edits of its file, and the launches from before them.
fn key(
    launch: &LaunchFacts,
    finding: &Finding,
    before: Option<(&[(Span, Span)], &LaunchFacts)>,
) -> FindingKey {
    let line = |offset: u32| match before {
        Some((located, before)) => before.source.line_over_all(offset_before(located, offset)),
        None => launch.source.line_over_all(offset),
    };
    let mut lines: Vec<u32> = finding.places().iter().map(|place| line(place.span.start)).collect();
    lines.sort_unstable();
    FindingKey {
        file: launch.source.name().to_owned(),
        entries: launch.entries.clone(),
        kind: finding.kind(),
        certainty: finding.certainty(),
        variable: finding.memory().map(|memory| memory.variable.clone()),
        lines,
    }
}

/// Returns whether the findings that were to be fixed are gone, and everything else is as before or better.
fn is_better(
    before: &FixableResults,
    after: &FixableResults,
    applied: &[&FixableFinding],
    edited: &EditedTexts,
) -> bool {
    let mut remaining: BTreeMap<FindingKey, usize> = BTreeMap::new();
    for launch in &before.launches {
        for finding in &launch.findings {
            *remaining.entry(key(launch, finding, None)).or_default() += 1;
        }
    }
    for finding in applied {
        if let Some(count) = remaining.get_mut(&finding.key) {
            *count = count.saturating_sub(1);
        }
    }
    for launch in &after.launches {
        let name = launch.source.name();
        let original = before.launches.iter().find(|launch| launch.source.name() == name);
        let edits = edited.get(name).zip(original);
        let edits = edits.map(|(edited, original)| (&edited.located[..], original));
        for finding in &launch.findings {
            match remaining.get_mut(&key(launch, finding, edits)) {
                Some(count @ 1..) => *count -= 1,
                _ => return false,
            }
        }
    }
    let unfinished = |results: &FixableResults| {
        results.launches.iter().filter(|launch| launch.stats.cut_short).count()
    };
    after.not_checked <= before.not_checked
        && after.launches.len() == before.launches.len()
        && unfinished(after) <= unfinished(before)
}

/// Shows a text and asks a question. Returns whether the answer is yes.
fn ask(shown: &str, question: &str) -> bool {
    let mut stderr = std::io::stderr().lock();
    let is_asked = write!(stderr, "{shown}{question} [y/N] ").and_then(|()| stderr.flush());
    let mut answer = String::new();
    let is_answered = is_asked.is_ok() && std::io::stdin().lock().read_line(&mut answer).is_ok();
    is_answered && matches!(answer.trim(), "y" | "Y" | "yes")
}

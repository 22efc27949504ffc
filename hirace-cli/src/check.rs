//! `hirace check`.

use crate::args::{CheckArgs, Format};
use crate::config::Configs;
use crate::entries::Entries;
use crate::files::{self, Input};
use crate::output::{Exit, Output};
use crate::progress::Bar;
use crate::stop;
use hirace_core::check::file::file;
use hirace_core::check::{Checked, Options, Session, launches};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::exec::{self, Executor};
use hirace_core::finding::baseline::Baseline;
use hirace_core::finding::{LaunchReport, Report, Verdict};
use hirace_core::front::{self, rust};
use hirace_core::report::{github, json, sarif, text};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs the verb.
pub fn run(args: CheckArgs, output: &Output) -> ExitCode {
    match checked(&args, output) {
        Ok(exit) => exit,
        Err(diagnostic) => {
            output.error(&diagnostic);
            Exit::of(&diagnostic)
        }
    }
    .into()
}

fn checked(args: &CheckArgs, output: &Output) -> Result<Exit> {
    let mut configs = Configs::new(args)?;
    let inputs = inputs(args, &mut configs)?;
    let mut baseline = baseline(args, &mut configs)?;
    let executor = exec::open(&args.run.device)?;
    let stop = stop::on_interrupt();
    let bar = Bar::new(inputs.len(), args.report.quiet);
    let mut all = Checked::default();
    let (mut failure, mut passed_over) = (None, 0);
    let mut entries = Entries::new(&args.launch.entry, inputs.len());
    for input in &inputs {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let mut refused = Vec::new();
        let run = Running { executor: executor.as_ref(), bar: &bar, stop: &stop };
        let mut wanted = Wanted { configs: &mut configs, entries: &mut entries };
        let result = check_file(args, input, &mut wanted, &run, &mut refused);
        failure = failure.max(refused.iter().map(Exit::of).max());
        refused.iter().for_each(|diagnostic| output.error(diagnostic));
        match result {
            Ok(checked) => {
                all.launches.extend(checked.launches);
                all.warnings.extend(checked.warnings);
                for diagnostic in &checked.failures {
                    failure = failure.max(Some(Exit::of(diagnostic)));
                    output.error(diagnostic);
                }
            }
            Err(diagnostic) if input.found && diagnostic.no_kernel => {
                passed_over += 1;
                // Most files of a crate hold no kernels.
                if !input.is_rust() {
                    let why = format!("{} was passed over: {}", input.name(), diagnostic.message);
                    all.warnings.push(Diagnostic::new(why));
                } else if !diagnostic.labels.is_empty() {
                    all.warnings.push(*diagnostic);
                }
            }
            Err(diagnostic) => {
                failure = failure.max(Some(Exit::of(&diagnostic)));
                output.error(&diagnostic);
            }
        }
        bar.file_done();
    }
    drop(bar);
    if !stop.load(Ordering::Relaxed) {
        for unknown in entries.unknown() {
            failure = failure.max(Some(Exit::of(&unknown)));
            output.error(&unknown);
        }
        all.warnings.extend(entries.passed_over());
    }
    if passed_over == inputs.len() && failure.is_none() {
        let error = Diagnostic::new("none of the files is a kernel by itself");
        let notes = all.warnings.into_iter().flat_map(|warning| {
            let labels = warning.labels.into_iter().map(|(_, label)| label);
            std::iter::once(warning.message).chain(labels)
        });
        return Err(Box::new(notes.fold(error, Diagnostic::note)));
    }
    if let Some(baseline) = &mut baseline {
        all.launches.iter_mut().for_each(|launch| baseline.apply(launch));
    }
    let report = Report::new(all.launches);
    if !args.report.quiet {
        all.warnings.iter().for_each(|warning| output.warning(warning));
    }
    if let Err(exit) = tell(args, &report, output) {
        return Ok(exit);
    }
    Ok(exit(&report, failure, stop.load(Ordering::Relaxed)))
}

/// The files to check: those given, or those that hirace.toml names.
fn inputs(args: &CheckArgs, configs: &mut Configs) -> Result<Vec<Input>> {
    if !args.paths.is_empty() {
        return files::expand(&args.paths);
    }
    let named = configs.of(PathBuf::from("."))?.map(|config| config.files()).unwrap_or_default();
    if named.is_empty() {
        let error = Diagnostic::new("no file to check");
        return Err(Box::new(error.help(
            "name a shader, a Rust file or a folder of them: hirace check shader.wgsl (or name files in hirace.toml)",
        )));
    }
    files::expand(&named)
}

fn baseline(args: &CheckArgs, configs: &mut Configs) -> Result<Option<Baseline>> {
    let configured = configs.of(PathBuf::from("."))?.and_then(|config| config.baseline());
    let Some(path) = args.report.baseline.clone().or(configured) else { return Ok(None) };
    let shown = path.display().to_string();
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Box::new(Diagnostic::new(format!("cannot read {shown}: {error}"))))?;
    Baseline::parse(&shown, &text).map(Some)
}

/// What a check runs on and with.
struct Running<'a> {
    executor: &'a dyn Executor,
    bar: &'a Bar,
    stop: &'a AtomicBool,
}

/// What is to be checked of files.
struct Wanted<'a, 'e> {
    configs: &'a mut Configs,
    entries: &'a mut Entries<'e>,
}

impl Wanted<'_, '_> {
    /// The options for a file with these entry points; `None` if none of them is asked for.
    fn options<'n>(
        &mut self,
        args: &CheckArgs,
        input: &Input,
        known: impl Iterator<Item = &'n str>,
    ) -> Result<Option<Options>> {
        let mut options = self.configs.options(args, input)?;
        Ok(self.entries.narrow(&mut options.kernels, known).then_some(options))
    }
}

/// Checks a file. What of it cannot be checked is put into `refused`.
fn check_file(
    args: &CheckArgs,
    input: &Input,
    wanted: &mut Wanted<'_, '_>,
    run: &Running<'_>,
    refused: &mut Vec<Diagnostic>,
) -> Result<Checked> {
    let (name, bytes) = (input.name(), input.read()?);
    let mut session = Session {
        executor: run.executor,
        progress: &mut |progress| run.bar.launch(progress),
        stop: Some(run.stop),
    };
    if !input.is_rust() {
        let parsed = front::parse_bytes(&name, &bytes, &|file| input.beside(file))?;
        return match wanted.options(args, input, parsed.kernels())? {
            Some(options) => launches(&parsed, &options, &mut session),
            None => Ok(Checked::default()),
        };
    }
    let read = rust::parse_file(&name, front::decode(&name, &bytes)?)?;
    let errors = read.items.iter().filter_map(|item| item.as_ref().err());
    refused.extend(errors.map(|error| error.as_ref().clone()));
    let mut checked = match wanted.options(args, input, read.kernels())? {
        Some(options) => file(&read, &options, &mut session)?,
        None => Checked::default(),
    };
    checked.warnings.extend(read.unseen);
    Ok(checked)
}

/// Prints the report and writes it where it is wanted.
fn tell(args: &CheckArgs, report: &Report, output: &Output) -> std::result::Result<(), Exit> {
    let plain = text::Style { colour: false, ..output.style() };
    for (format, path) in &args.report.report {
        output.write(path, &rendered(report, *format, plain, false))?;
    }
    if let Some(path) = &args.report.write_baseline {
        output.write(path, &Baseline::of(report).text())?;
    }
    output.print(&rendered(report, args.report.format, output.style(), args.report.quiet))
}

fn rendered(report: &Report, format: Format, style: text::Style, quiet: bool) -> String {
    match format {
        Format::Text if quiet => findings_alone(&report.launches, style),
        Format::Text => text::report(report, style),
        Format::Json => json::report(report),
        Format::Sarif => sarif::report(report),
        Format::Github => github::report(report),
    }
}

fn findings_alone(launches: &[LaunchReport], style: text::Style) -> String {
    let of = |launch: &LaunchReport| {
        let findings = launch.findings.iter();
        findings.map(|f| text::finding(f, &launch.source_map, style)).collect::<Vec<_>>()
    };
    launches.iter().flat_map(of).collect::<Vec<_>>().join("\n")
}

fn exit(report: &Report, failure: Option<Exit>, stopped: bool) -> Exit {
    if stopped {
        return Exit::Failed;
    }
    match (report.verdict, failure) {
        (_, Some(Exit::Failed)) => Exit::Failed,
        (Verdict::Findings, _) => Exit::Findings,
        (_, Some(failure)) => failure,
        (Verdict::Inconclusive, None) => Exit::Inconclusive,
        (Verdict::Clean, None) => Exit::Clean,
    }
}

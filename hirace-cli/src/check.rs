//! `hirace check`.

use crate::args::CheckArgs;
use crate::config::Configs;
use crate::entries::Entries;
use crate::files::{self, Input};
use crate::listeners::{listeners, refused};
use crate::modules::Preprocessing;
use crate::outputs;
use hirace_core::bounded;
use hirace_core::check::file::file;
use hirace_core::check::run::{self, Ended, Run};
use hirace_core::check::source::launches;
use hirace_core::check::{Checked, Options, Session};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::exec;
use hirace_core::facts::Verdict;
use hirace_core::finding::baseline::Baseline;
use hirace_core::front::{self, Parsed, rust};
use hirace_core::patience::{Waited, took_too_long};
use hirace_terminal::{Exit, Output, stop};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

/// Runs the verb.
pub fn run(args: CheckArgs, output: &Output) -> ExitCode {
    let refused = |files: bool, error: &Diagnostic| refused(&args.report, files, error, output);
    match Planned::new(&args) {
        Ok(planned) => {
            checked(&args, planned, output).unwrap_or_else(|error| refused(true, &error))
        }
        // What is read is not known then, and a report must not be written over it.
        Err(error) => refused(false, &error),
    }
    .into()
}

/// What is to be read, and that nothing of it is written to.
struct Planned {
    configs: Configs,
    inputs: Vec<Input>,
    baseline: Option<PathBuf>,
    preprocessing: Preprocessing,
}

impl Planned {
    fn new(args: &CheckArgs) -> Result<Self> {
        let mut configs = Configs::new(args)?;
        let inputs = inputs(args, &mut configs)?;
        let baseline = baseline(args, &mut configs)?;
        outputs::distinct(args, &inputs, &mut configs, baseline.as_deref())?;
        let preprocessing = Preprocessing::new(&args.preprocess, &inputs)?;
        Ok(Self { configs, inputs, baseline, preprocessing })
    }
}

fn checked(args: &CheckArgs, planned: Planned, output: &Output) -> Result<Exit> {
    let Planned { mut configs, inputs, baseline, preprocessing } = planned;
    outputs::foresee(&args.report, output);
    let mut known = baseline.as_deref().map(known).transpose()?;
    let executor = exec::open(&args.run.device)?;
    // Before that, nothing is lost by a signal: it ends the process.
    let stop = stop::on_signal();
    let unwritten = AtomicBool::new(false);
    let mut listeners = listeners(&args.report, output, &unwritten);
    let session = Session::new(executor.as_ref())
        .with_listener(&mut listeners)
        .with_stop(Some(&stop))
        .without_memory()
        .with_baseline(known.as_mut());
    let mut run = Run::start(inputs.len(), session);
    let mut entries = Entries::new(&args.launch.entry, inputs.len());
    for input in &inputs {
        let name = input.name();
        let taken = run::Input { name: &name, found: input.found, is_rust: input.is_rust() };
        let (configs, entries) = (&mut configs, &mut entries);
        let mut wanted = Wanted { configs, entries, preprocessing: &preprocessing };
        run.input(taken, |run| check_file(args, input, &mut wanted, run));
    }
    if !run.stopped() {
        entries.unknown().for_each(|unknown| run.error(&unknown));
        entries.passed_over().into_iter().for_each(|warning| run.warn(warning));
    }
    let ended = run.end()?;
    drop(listeners);
    Ok(if unwritten.into_inner() { Exit::Failed } else { exit(ended) })
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

/// Where the baseline is, if there is one.
fn baseline(args: &CheckArgs, configs: &mut Configs) -> Result<Option<PathBuf>> {
    let configured = configs.of(PathBuf::from("."))?.and_then(|config| config.baseline());
    Ok(args.report.baseline.clone().or(configured))
}

fn known(path: &Path) -> Result<Baseline> {
    Baseline::parse(&path.display().to_string(), &bounded::BASELINE.text(path)?)
}

/// What is to be checked of files.
struct Wanted<'a, 'e> {
    configs: &'a mut Configs,
    entries: &'a mut Entries<'e>,
    preprocessing: &'a Preprocessing,
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

/// Checks a file.
fn check_file(
    args: &CheckArgs,
    input: &Input,
    wanted: &mut Wanted<'_, '_>,
    run: &mut Run<'_>,
) -> Result<Checked> {
    let timeout = wanted.configs.timeout(args, input)?;
    let (own, preprocessing) = (input.clone(), wanted.preprocessing.clone());
    let read = match run.session().patience(timeout).wait(move || read(&own, &preprocessing)) {
        Waited::Done(read) => read?,
        Waited::Stopped => return Ok(Checked::default()),
        Waited::TooLong(timeout) => {
            let error = took_too_long(&format!("reading {}", input.name()), timeout);
            return Err(Box::new(error.help("give it more time with --timeout")));
        }
    };
    let read = match read {
        Read::Rust(read) => read,
        Read::Shader(parsed) => {
            return match wanted.options(args, input, parsed.kernels())? {
                Some(options) => {
                    let mut checked = launches(&parsed, &options, run.session())?;
                    wanted.preprocessing.replay(&mut checked);
                    Ok(checked)
                }
                None => Ok(Checked::default()),
            };
        }
    };
    read.items.iter().filter_map(|item| item.as_ref().err()).for_each(|error| run.error(error));
    let mut checked = match wanted.options(args, input, read.kernels())? {
        Some(options) => file(&read, &options, run.session())?,
        None => Checked::default(),
    };
    checked.warnings.extend(read.unseen);
    Ok(checked)
}

/// What a front end makes of a file.
enum Read {
    Shader(Box<Parsed>),
    Rust(rust::File),
}

fn read(input: &Input, preprocessing: &Preprocessing) -> Result<Read> {
    let (name, bytes) = (input.name(), input.read()?);
    match input.is_rust() {
        true => rust::parse_file(&name, front::decode(&name, &bytes)?).map(Read::Rust),
        false => {
            let parsed = preprocessing.parse(input, &bytes)?;
            Ok(Read::Shader(Box::new(parsed)))
        }
    }
}

fn exit(ended: Ended) -> Exit {
    if ended.stopped {
        return Exit::Failed;
    }
    match (ended.verdict, ended.fault.map(Exit::from)) {
        (_, Some(Exit::Failed)) => Exit::Failed,
        (Verdict::Findings, _) => Exit::Findings,
        (_, Some(failure)) => failure,
        (Verdict::Inconclusive, None) => Exit::Inconclusive,
        (Verdict::Clean, None) => Exit::Clean,
    }
}

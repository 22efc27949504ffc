//! `hirace check`: arguments to a checked run.

use crate::args::CheckArgs;
use crate::config::Configs;
use crate::explain_static::StaticExplanation;
use crate::inputs::{InputPlan, InputsOutcome};
use crate::listeners::{listeners, refused};
use crate::modules::Preprocessing;
use crate::outputs;
use hirace_core::bounded;
use hirace_core::check::run::RunOutcome;
use hirace_core::check::{Follower, Session};
use hirace_core::cover::hash;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::event::Verb;
use hirace_core::exec;
use hirace_core::facts::Verdict;
use hirace_core::finding::baseline::Baseline;
use hirace_terminal::{Exit, Output, stop};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

/// Runs `hirace check`.
pub fn run(args: CheckArgs, output: &Output) -> ExitCode {
    let refused = |files: bool, error: &Diagnostic| refused(&args.report, files, error, output);
    match Checking::new(&args) {
        Ok(checking) => {
            checked(&args, checking, output).unwrap_or_else(|error| refused(true, &error))
        }
        // The input files are unknown in this case, so writing a report file could overwrite one of them.
        Err(error) => refused(false, &error),
    }
    .into()
}

/// The validated inputs of a run. No output file is also an input.
struct Checking {
    planned: InputPlan,
    baseline: Option<PathBuf>,
    preprocessing: Preprocessing,
}

impl Checking {
    fn new(args: &CheckArgs) -> Result<Self> {
        if args.replay.is_some() && args.what.run.device != exec::EMBEDDED {
            let error = Diagnostic::new("a schedule cannot be replayed on a device");
            return Err(Box::new(
                error.help("leave out --device: only the embedded executor replays schedules"),
            ));
        }
        let (limits, order) = (args.limits, args.replay.clone());
        let mut planned = InputPlan { limits, order, ..InputPlan::new(&args.what)? };
        let InputPlan { configs, inputs, .. } = &mut planned;
        let baseline = baseline(args, configs)?;
        let written = outputs::written(&args.report);
        outputs::check_inputs_distinct(&written, &args.what, inputs, configs, baseline.as_deref())?;
        let preprocessing = Preprocessing::new(&args.what.preprocess, inputs)?;
        Ok(Self { planned, baseline, preprocessing })
    }
}

fn checked(args: &CheckArgs, checking: Checking, output: &Output) -> Result<Exit> {
    let Checking { planned, baseline, preprocessing } = checking;
    outputs::warn_unwritable(&outputs::written(&args.report), output);
    let mut planned = planned;
    let mut known = baseline.as_deref().map(known).transpose()?;
    let part = match args.shard {
        Some(shard) => {
            let of = planned.key(&args.what)? + &args.what.key();
            let allowed = known.as_ref().map(Baseline::text);
            Some((shard, hash(&format!("{of} {allowed:?}"))))
        }
        None => None,
    };
    let executor = exec::open(&args.what.run.device)?;
    // Signals are caught from here on. Before, there is no partial result to lose, so a signal ends the process.
    let stop = stop::on_signal();
    let unwritten = AtomicBool::new(false);
    let mut listeners = listeners(&args.report, part, output, &unwritten);
    let mut explained = StaticExplanation::default();
    let session = Session::new(executor.as_ref())
        .with_listener(&mut listeners)
        .with_stop(Some(&stop))
        .without_memory()
        .with_shard(args.shard)
        .with_follower(args.explain_static.then_some(&mut explained as &mut dyn Follower))
        .with_baseline(known.as_mut());
    let InputsOutcome { ended, .. } =
        planned.run(Verb::Check, &args.what, &preprocessing, session)?;
    drop(listeners);
    if args.explain_static {
        explained.lines(args.what.run.shortcuts).for_each(|line| output.note(&line));
    }
    Ok(if unwritten.into_inner() { Exit::Failed } else { exit(ended) })
}

/// Returns the path of the baseline from the flags or from hirace.toml.
fn baseline(args: &CheckArgs, configs: &mut Configs) -> Result<Option<PathBuf>> {
    let configured = configs.of(PathBuf::from("."))?.and_then(|config| config.baseline());
    Ok(args.report.baseline.clone().or(configured))
}

fn known(path: &Path) -> Result<Baseline> {
    Baseline::parse(&path.display().to_string(), &bounded::BASELINE.text(path)?)
}

/// Returns the exit status for the end of a run.
pub fn exit(ended: RunOutcome) -> Exit {
    if ended.stopped {
        return Exit::Failed;
    }
    match (ended.verdict, ended.fault.map(Exit::from)) {
        (_, Some(Exit::Failed)) => Exit::Failed,
        (Verdict::Findings, _) => Exit::Findings,
        (_, Some(failure)) => failure,
        (Verdict::Clean, None) => Exit::Clean,
        // Inconclusive, like a verdict that this command does not know.
        (_, None) => Exit::Inconclusive,
    }
}

//! `hirace contract`: for which launches a kernel is safe.

use crate::args::{PreprocessArgs, message};
use crate::entries::Entries;
use crate::files::{self, Input};
use crate::modules::PreprocessInputs;
use crate::report::{ReportArgs, ReportFormat};
use clap::{Args, ValueEnum};
use hirace_core::check::file::{self, FileProgram};
use hirace_core::check::source::{self, infer_program};
use hirace_core::config::NearestConfigs;
use hirace_core::contract::{self, EntryReport, Results, Timing};
use hirace_core::diagnostic::{Cause, Result};
use hirace_core::event::InputError;
use hirace_core::facts::Verdict;
use hirace_core::front::{self, ParsedModule};
use hirace_core::launch::spec;
use hirace_core::report::text::Style;
use hirace_terminal::{Exit, Output, stop};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Print the conditions on the host under which every launch of a kernel is safe
///
/// For each entry point, finds conditions on the grid, the lengths of arrays and the numbers in uniforms under which no
/// launch has a data race, a divergent barrier or an index out of bounds, and proves that they suffice, for grids of at
/// most 65,535 workgroups in each dimension. A launch that breaks a condition is run to show that the condition is
/// needed. Whether loops end is not part of a contract.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace contract blur.wgsl
  hirace contract shaders/ --report json=contracts.json

Exit status: 0 all entry points are proved, possibly under conditions; 1 a launch has a race that no host avoids; 2 bad usage or input; 3 could not run, was stopped or could not write a report; 4 \
                        not all are proved")]
pub struct ContractArgs {
    /// Shaders, programs with kernels, folders of both, or - for standard input
    #[arg(value_name = "FILE or FOLDER", required = true)]
    pub paths: Vec<PathBuf>,
    /// Print the contract of only this entry point (repeatable)
    #[arg(long, value_name = "NAME")]
    pub entry: Vec<String>,
    /// Set a pipeline override, or a const parameter of a generic kernel (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = message(spec::parse_override))]
    pub r#override: Vec<(String, f64)>,
    #[command(flatten)]
    pub preprocess: PreprocessArgs,
    #[command(flatten)]
    pub report: ReportArgs<Format>,
}

/// An output format of `hirace contract`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// The conditions, each with the launch that shows that it is needed
    #[default]
    Text,
    /// `hirace.contract/1`
    Json,
}

impl ReportFormat for Format {}

/// Runs `hirace contract`.
pub fn run(args: &ContractArgs, output: &Output) -> ExitCode {
    let exit = contracts(args, output).unwrap_or_else(|error| {
        output.error(&error);
        Exit::of(&error)
    });
    exit.into()
}

fn contracts(args: &ContractArgs, output: &Output) -> Result<Exit> {
    let start = Instant::now();
    let inputs = files::expand(&args.paths)?;
    let preprocessing = PreprocessInputs::new(&args.preprocess, &inputs)?;
    let stop = stop::on_signal();
    // A name that no program defines is an error at the end.
    let asked = Entries::new(&args.entry, usize::MAX);
    let mut known =
        ContractCollector { args, asked, entries: Vec::new(), errors: Vec::new(), fault: None };
    let mut configs = NearestConfigs::default();
    for input in &inputs {
        let configured = configs.preprocessing(&input.path);
        let read = configured.and_then(|configured| {
            let preprocessing = preprocessing.with_configured(&configured);
            known.add(input, &preprocessing, &stop)
        });
        if stop.load(Ordering::Relaxed) {
            known.fault = Some(Exit::Failed);
            break;
        }
        if let Err(error) = read {
            output.error(&error);
            known.errors.push(InputError::new(Some(&input.name()), &error));
            known.fault = known.fault.or(Some(Exit::of(&error)));
        }
    }
    let ContractCollector { asked, entries, mut errors, mut fault, .. } = known;
    if fault.is_none() {
        for error in asked.unknown() {
            output.error(&error);
            errors.push(InputError::new(None, &error));
            fault = Some(Exit::BadInput);
        }
    }
    let timing = output.has_timing().then(|| Timing { seconds: start.elapsed().as_secs_f64() });
    let results = Results::new(entries, errors, timing);
    let render = |format, style: Style| match format {
        Format::Text => contract::text(&results, style),
        Format::Json => results.to_json(),
    };
    let is_printed = args.report.print(render, output);
    if !(args.report.write(render, output) && is_printed) {
        return Ok(Exit::Failed);
    }
    Ok(match (results.verdict, fault) {
        (_, Some(Exit::Failed)) => Exit::Failed,
        (Verdict::Findings, _) => Exit::Findings,
        (_, Some(fault)) => fault,
        (Verdict::Proved | Verdict::ProvedIf, None) => Exit::Clean,
        _ => Exit::Inconclusive,
    })
}

/// The contracts of the inputs so far.
struct ContractCollector<'a> {
    args: &'a ContractArgs,
    asked: Entries<'a>,
    entries: Vec<EntryReport>,
    errors: Vec<InputError>,
    fault: Option<Exit>,
}

impl ContractCollector<'_> {
    /// Adds the contracts of all kernels of an input.
    fn add(
        &mut self,
        input: &Input,
        preprocessing: &PreprocessInputs,
        stop: &AtomicBool,
    ) -> Result<()> {
        let bytes = input.read()?;
        // A folder may contain programs without kernels.
        if input.found && !front::may_have_kernels(&input.name(), &bytes) {
            return Ok(());
        }
        if !input.is_host() {
            let parsed = preprocessing.parse(input, &bytes)?;
            return self.add_module(&parsed, &self.args.r#override, &[], stop);
        }
        let read = match front::parse_file(&input.name(), &bytes, preprocessing.defines()) {
            Err(error) if input.found && error.cause == Cause::NoKernel => return Ok(()),
            read => read?,
        };
        for FileProgram { parsed, overrides, guessed } in
            file::programs(&read, &self.args.r#override)?
        {
            self.add_module(&parsed, &overrides, &guessed, stop)?;
        }
        match read.items.into_iter().find_map(std::result::Result::err) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Adds the contracts of the kernels of a program with these overrides, for which `guessed` was chosen already.
    fn add_module(
        &mut self,
        parsed: &ParsedModule,
        overrides: &[(String, f64)],
        guessed: &[(String, f64)],
        stop: &AtomicBool,
    ) -> Result<()> {
        let (program, assumed) = infer_program(parsed, overrides)?;
        let (program, assumed) = (Arc::new(program), [guessed, &assumed].concat());
        let given = [overrides, &assumed].concat();
        let mut asked = self.args.entry.clone();
        if !self.asked.narrow(&mut asked, program.entries().map(|(_, name)| name)) {
            return Ok(());
        }
        for (index, entry) in program.entries() {
            let is_asked = asked.is_empty() || asked.iter().any(|name| name == entry);
            if is_asked && !stop.load(Ordering::Relaxed) {
                let found = source::contract(&program, index, &given, None, Some(stop));
                let entry = found.map(|found| EntryReport::new(&found.contract, &assumed));
                self.entries.extend(entry);
            }
        }
        Ok(())
    }
}

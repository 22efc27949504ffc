//! `hirace expand`: prints instrumented WGSL.

use crate::args::{PreprocessArgs, message};
use crate::files::Input;
use crate::modules::PreprocessInputs;
use clap::{Args, ValueEnum};
use hirace_core::check::file;
use hirace_core::config::NearestConfigs;
use hirace_core::diagnostic::Result;
use hirace_core::front::{self, ParsedModule};
use hirace_core::launch::candidates::find_entry;
use hirace_core::launch::spec;
use hirace_core::pass::monitor::monitor;
use hirace_core::program::Program;
use hirace_core::shadow::plan::{self, Options};
use hirace_core::watch::{WatchOptions, WatchPlan};
use hirace_terminal::{Exit, Output};
use std::borrow::Cow;
use std::path::PathBuf;
use std::process::ExitCode;

/// Print a shader instrumented with the race monitor, as WGSL
///
/// The instrumented shader runs on any WebGPU device and leaves its findings in a storage buffer. For a Rust
/// file, the kernels of one monitored item are printed; for other programs, those of one shader.
#[derive(Debug, Args)]
pub struct ExpandArgs {
    /// A shader in WGSL, a program with kernels, or - for standard input
    #[arg(value_name = "FILE")]
    pub path: PathBuf,
    /// Print the WGSL without the monitor: the result of `kernel().wgsl()` or of preprocessing
    #[arg(long, conflicts_with = "table")]
    pub plain: bool,
    /// Instrument only this entry point (repeatable)
    #[arg(long, value_name = "NAME")]
    pub entry: Vec<String>,
    /// Choose where to store the monitor's transition table
    #[arg(long, value_enum, default_value_t)]
    pub table: Table,
    /// Set a pipeline override, or a const parameter of a generic kernel (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = message(spec::parse_override))]
    pub r#override: Vec<(String, f64)>,
    #[command(flatten)]
    pub preprocess: PreprocessArgs,
}

/// A storage location for the monitor's transition table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Table {
    /// In a storage buffer that the host fills; fast everywhere
    #[default]
    Buffer,
    /// In private memory; nothing to fill
    Private,
    /// In a constant; slow on some devices
    Constant,
    /// Not stored; each transition is computed
    Computed,
}

/// Runs `hirace expand`.
pub fn run(args: &ExpandArgs, output: &Output) -> ExitCode {
    match expand(args) {
        Ok(text) => output.print(&text).err().unwrap_or(Exit::Clean),
        Err(diagnostic) => {
            output.error(&diagnostic);
            Exit::BadInput
        }
    }
    .into()
}

fn expand(args: &ExpandArgs) -> Result<String> {
    let input = Input::new(args.path.clone());
    let (name, bytes) = (input.name(), input.read()?);
    let configured = NearestConfigs::default().preprocessing(&input.path)?;
    let preprocessing = PreprocessInputs::new(&args.preprocess, &[])?.with_configured(&configured);
    if !input.is_host() {
        let parsed = preprocessing.parse(&input, &bytes)?;
        return instrument(&parsed, args, args.r#override.clone());
    }
    let read = front::parse_file(&name, &bytes, preprocessing.defines())?;
    let entries: Vec<&str> = args.entry.iter().map(String::as_str).collect();
    let error = read.items.iter().find_map(|item| item.as_ref().err());
    if let Some(error) = error.filter(|_| entries.is_empty()) {
        return Err(error.clone());
    }
    let (parsed, overrides) = file::single_program(&read, &entries, &args.r#override)?;
    instrument(&parsed, args, overrides)
}

/// Returns the WGSL of `parsed`, instrumented as the flags request.
fn instrument(
    parsed: &ParsedModule,
    args: &ExpandArgs,
    overrides: Vec<(String, f64)>,
) -> Result<String> {
    parsed.origin.wgsl_to_publish().transpose()?;
    if args.plain {
        return parsed.plain().map(Cow::into_owned);
    }
    let program = Program::new(parsed, &overrides.into_iter().collect())?;
    let watch = match args.entry.is_empty() {
        true => WatchPlan::of_all(&program, &WatchOptions::default()),
        false => {
            let entries = args.entry.iter().map(|name| find_entry(&program, name));
            WatchPlan::new(
                &program,
                &entries.collect::<Result<Vec<_>>>()?,
                &WatchOptions::default(),
            )
        }
    };
    let table = match args.table {
        Table::Buffer => plan::Table::Buffer,
        Table::Private => plan::Table::Private,
        Table::Constant => plan::Table::Constant,
        Table::Computed => plan::Table::Computed,
    };
    monitor(&program, &watch, &Options { table, ..Options::default() })?.wgsl()
}

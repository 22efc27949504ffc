//! What happens inside, and how long it takes: `tracing`, printed to standard error as lines of text or JSON.
//!
//! Nothing is recorded unless it is asked for.

use clap::{Args, ValueEnum};
use hirace_core::diagnostic::{Diagnostic, Result};
use std::env;
use tracing_subscriber::filter::{LevelFilter, ParseError, Targets};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::fmt::time::uptime;
use tracing_subscriber::prelude::*;

/// The variable that says what is logged.
const VARIABLE: &str = "HIRACE_LOG";

/// What is logged, and how.
#[derive(Debug, Args)]
#[command(next_help_heading = "Log")]
pub struct LogArgs {
    /// Log to standard error what happens inside and how long it takes: -v phases, -vv launches and
    /// pipelines too, -vvv all
    ///
    /// The environment variable HIRACE_LOG chooses more finely, and counts instead of -v: a level (error, warn,
    /// info, debug, trace), or a list of parts of hirace with a level each, like
    /// hirace_core::exec=debug,hirace_program=info.
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
    /// How lines of the log look
    #[arg(long, global = true, value_enum, default_value_t, value_name = "FORMAT")]
    log_format: LogFormat,
}

/// A form of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people
    #[default]
    Text,
    /// A JSON object a line
    Json,
}

/// Begins to log, if that is asked for.
pub fn start(args: &LogArgs) -> Result<()> {
    let Some(filter) = filter(args.verbose)? else { return Ok(()) };
    let layer = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_span_events(FmtSpan::CLOSE);
    let layer = match args.log_format {
        LogFormat::Text => layer.with_target(false).with_timer(uptime()).boxed(),
        LogFormat::Json => layer.json().flatten_event(true).boxed(),
    };
    // There is no other log yet.
    let _ = tracing_subscriber::registry().with(layer.with_filter(filter)).try_init();
    Ok(())
}

/// What is logged; `None`: nothing.
fn filter(verbose: u8) -> Result<Option<Targets>> {
    let asked = match env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
        Some(value) => value
            .into_string()
            .map_err(|value| refused(&value.to_string_lossy(), "it is not UTF-8"))?,
        None => {
            let level = match verbose {
                0 => return Ok(None),
                1 => LevelFilter::INFO,
                2 => LevelFilter::DEBUG,
                _ => LevelFilter::TRACE,
            };
            return Ok(Some(Targets::new().with_target("hirace", level)));
        }
    };
    let targets: Targets =
        asked.parse().map_err(|error: ParseError| refused(&asked, &error.to_string()))?;
    match targets.iter().find(|(target, _)| !target.starts_with("hirace")) {
        None => Ok(Some(targets)),
        Some((target, _)) => {
            Err(refused(&asked, &format!("`{target}` is neither a level nor a part of hirace")))
        }
    }
}

fn refused(value: &str, why: &str) -> Box<Diagnostic> {
    let error = Diagnostic::new(format!("{VARIABLE} cannot be read: `{value}`")).note(why);
    Box::new(error.help("give a level, or parts of hirace with a level each: hirace_core=debug"))
}

//! Logging of internal events and their durations: `tracing`, printed to standard error as text or JSON lines.
//!
//! Nothing is recorded unless logging is requested.
//!
//! Libraries only emit, and commands print. Spans of level info are phases, those of level debug are launches,
//! dispatches and pipelines, and those of level trace are parts of these. There is no span for an instruction or an
//! access.

use clap::{Args, ValueEnum};
use hirace_core::diagnostic::{Diagnostic, Result};
use std::env;
use tracing_subscriber::filter::{LevelFilter, ParseError, Targets};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::fmt::time::uptime;
use tracing_subscriber::prelude::*;

/// The environment variable that selects what is logged.
const VARIABLE: &str = "HIRACE_LOG";

/// Arguments that control logging.
#[derive(Debug, Args)]
#[command(next_help_heading = "Log")]
pub struct LogArgs {
    /// Log internal events and their durations to standard error: -v for phases, -vv for launches and pipelines too,
    /// -vvv for everything
    ///
    /// The environment variable HIRACE_LOG selects more finely and overrides -v: a level (error, warn, info, debug,
    /// trace), or a comma-separated list of modules with levels, such as hirace_core::exec=debug,hirace_program=info.
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
    /// Choose the format of log lines
    #[arg(long, global = true, value_enum, default_value_t, value_name = "FORMAT")]
    log_format: LogFormat,
}

/// A format of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Human-readable text
    #[default]
    Text,
    /// One JSON object per line
    Json,
}

/// Starts logging, if it is requested.
pub fn start(args: &LogArgs) -> Result<()> {
    let Some(filter) = filter(args.verbose)? else { return Ok(()) };
    let layer = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_span_events(FmtSpan::CLOSE);
    let layer = match args.log_format {
        LogFormat::Text => layer.with_target(false).with_timer(uptime()).boxed(),
        LogFormat::Json => layer.json().flatten_event(true).boxed(),
    };
    // No other subscriber has been installed yet.
    let _ = tracing_subscriber::registry().with(layer.with_filter(filter)).try_init();
    Ok(())
}

/// Returns the filter of logged events, or `None` if nothing is logged.
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
            Err(refused(&asked, &format!("`{target}` is neither a level nor a module of hirace")))
        }
    }
}

fn refused(value: &str, why: &str) -> Box<Diagnostic> {
    let error = Diagnostic::new(format!("invalid value of {VARIABLE}: `{value}`")).note(why);
    Box::new(error.help("give a level, or modules with a level each: hirace_core=debug"))
}

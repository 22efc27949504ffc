//! The log: lines of text or JSON on standard error.

use clap::ValueEnum;
use hirace_core::diagnostic::{Diagnostic, Result};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::prelude::*;

/// A format of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Text for people
    #[default]
    Text,
    /// One JSON object per line
    Json,
}

/// Starts logging.
pub fn start(format: LogFormat, filter: &str) -> Result<()> {
    let filter: Targets = filter.parse().map_err(|error| {
        let error = Diagnostic::new(format!("invalid log filter `{filter}`: {error}"));
        Box::new(
            error.help("use a level, or targets with a level each: hirace_litmus_service=debug"),
        )
    })?;
    let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_target(false);
    let layer = match format {
        LogFormat::Text => layer.boxed(),
        LogFormat::Json => layer.json().flatten_event(true).boxed(),
    };
    // No other subscriber is installed yet, so this cannot fail.
    let _ = tracing_subscriber::registry().with(layer.with_filter(filter)).try_init();
    Ok(())
}

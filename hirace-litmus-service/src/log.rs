//! The log: lines of text or of JSON, on standard error.

use clap::ValueEnum;
use hirace_core::diagnostic::{Diagnostic, Result};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::prelude::*;

/// A form of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people
    #[default]
    Text,
    /// A JSON object a line
    Json,
}

/// Begins to log.
pub fn start(format: LogFormat, filter: &str) -> Result<()> {
    let filter: Targets = filter.parse().map_err(|error| {
        let error = Diagnostic::new(format!("`{filter}` chooses nothing to log: {error}"));
        Box::new(
            error.help("give a level, or parts with a level each: hirace_litmus_service=debug"),
        )
    })?;
    let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_target(false);
    let layer = match format {
        LogFormat::Text => layer.boxed(),
        LogFormat::Json => layer.json().flatten_event(true).boxed(),
    };
    // There is no other log yet.
    let _ = tracing_subscriber::registry().with(layer.with_filter(filter)).try_init();
    Ok(())
}

//! `hirace devices`, and the executor that `--device` means.

use crate::output::{Exit, Output};
use hirace_core::diagnostic::Result;
use hirace_core::exec::Executor;
use hirace_core::exec::embedded::Embedded;
use std::fmt::Write;
use std::process::ExitCode;

/// The device that is always there.
pub const EMBEDDED: &str = "embedded";

/// Runs the verb.
pub fn run(output: &Output) -> ExitCode {
    let mut text = format!("{EMBEDDED}: this processor, nothing to install\n");
    for (name, what) in others() {
        let _ = writeln!(text, "{name}: {what}");
    }
    output.print(&text).err().unwrap_or(Exit::Clean).into()
}

/// The other devices, by number, each with what is to be known of it.
#[cfg(feature = "gpu")]
fn others() -> Vec<(String, String)> {
    use hirace_core::exec::wgpu::adapters::adapters;
    let all = adapters().into_iter();
    let described = all.map(|adapter| {
        let facts = adapter.facts().into_iter();
        let facts = facts.fold(adapter.about().to_string(), |mut text, (name, value)| {
            let _ = write!(text, "\n   {:<20} {value}", format!("{name}:"));
            text
        });
        (adapter.index().to_string(), facts)
    });
    described.collect()
}

#[cfg(not(feature = "gpu"))]
fn others() -> Vec<(String, String)> {
    vec![("others".into(), "this hirace was built without the feature `gpu`".into())]
}

/// The executor that `device` means.
pub fn executor(device: &str) -> Result<Box<dyn Executor + Sync>> {
    match device {
        EMBEDDED => Ok(Box::new(Embedded)),
        device => open(device),
    }
}

#[cfg(feature = "gpu")]
fn open(device: &str) -> Result<Box<dyn Executor + Sync>> {
    Ok(Box::new(hirace_core::exec::wgpu::Device::open(device)?))
}

#[cfg(not(feature = "gpu"))]
fn open(device: &str) -> Result<Box<dyn Executor + Sync>> {
    use hirace_core::diagnostic::Diagnostic;
    let error = Diagnostic::new(format!("there is no device `{device}`")).of_device();
    Err(Box::new(error.help("this hirace was built without the feature `gpu`")))
}

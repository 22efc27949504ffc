//! `hirace devices`.

use crate::output::{Exit, Output};
use hirace_core::exec::EMBEDDED;
use std::fmt::Write;
use std::process::ExitCode;

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

//! `hirace devices`.

use hirace_core::exec::EMBEDDED;
use hirace_terminal::{Exit, Output};
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
    use hirace_core::exec::wgpu::about::{about, facts};
    let all = hirace_gpu::adapters().into_iter();
    let described = all.map(|adapter| {
        let mut text = about(adapter.about()).to_string();
        for (name, value) in facts(&adapter) {
            let _ = write!(text, "\n   {:<20} {value}", format!("{name}:"));
        }
        (adapter.index().to_string(), text)
    });
    described.collect()
}

#[cfg(not(feature = "gpu"))]
fn others() -> Vec<(String, String)> {
    vec![("others".into(), "this hirace was built without the feature `gpu`".into())]
}

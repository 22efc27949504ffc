//! `hirace devices`: lists the devices that launches can run on.

use hirace_core::exec::EMBEDDED;
use hirace_terminal::{Exit, Output};
use std::fmt::Write;
use std::process::ExitCode;

/// Runs `hirace devices`.
pub fn run(output: &Output) -> ExitCode {
    let mut text = format!("{EMBEDDED}: runs on this processor, needs no installation\n");
    for (name, what) in others() {
        let _ = writeln!(text, "{name}: {what}");
    }
    output.print(&text).err().unwrap_or(Exit::Clean).into()
}

/// Returns the other devices by number, each with its properties.
#[cfg(feature = "gpu")]
fn others() -> Vec<(String, String)> {
    use hirace_core::exec::wgpu::device_info::{about, facts};
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

//! `detectRaces` of the npm package [wgsl_reflect](https://www.npmjs.com/package/wgsl_reflect), run by Node.js from the
//! folder in which the package is installed.

use super::{PeerError, PeerResult};
use hirace_core::launch::Launch;
use hirace_core::program::Program;
use hirace_core::vm::memory::Resource;
use serde::Deserialize;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const SCRIPT: &str = include_str!("wgsl_reflect.mjs");

#[derive(Deserialize)]
struct Answer {
    races: usize,
    errors: Vec<String>,
}

/// Checks the first dispatch of `launch`. `wgsl` is the text of its program. Reported lines are not read, since they
/// refer to that text.
///
/// # Errors
/// The package is not installed, or refuses the kernel.
pub fn run(
    package: &Path,
    program: &Program,
    wgsl: &str,
    launch: &Launch,
    scratch: &Path,
) -> Result<PeerResult, PeerError> {
    let mut buffers = Vec::new();
    for (handle, variable) in program.module.global_variables.iter() {
        let bound = launch.resources.by_global.get(handle.index()).and_then(Option::as_ref);
        let (Some(binding), Some(bound)) = (variable.binding, bound) else { continue };
        let Resource::Buffer(buffer) = bound else { return Err(PeerError::Unbound) };
        let (group, binding, words) = (binding.group, binding.binding, buffer.snapshot());
        buffers.push(json!({ "group": group, "binding": binding, "words": words }));
    }
    let workgroups = launch.dispatches.first().map_or([1; 3], |dispatch| dispatch.workgroups);
    let entry = &program.module.entry_points[0].name;
    let question =
        json!({ "code": wgsl, "entry": entry, "workgroups": workgroups, "buffers": buffers });
    let [script, answer] = ["ask.mjs", "answer.json"].map(|name| scratch.join(name));
    std::fs::write(&script, SCRIPT)?;
    let mut node = Command::new("node")
        .args([&script, package, &answer])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(PeerError::to_start("Node.js"))?;
    if let Some(mut input) = node.stdin.take() {
        // A script that ends before it has read all input reports the reason itself.
        let _ = input.write_all(question.to_string().as_bytes());
    }
    node.wait()?;
    let answer = std::fs::read_to_string(&answer).unwrap_or_default();
    let Ok(Answer { races, errors }) = serde_json::from_str(&answer) else {
        return Err(PeerError::Rejected("no result".to_owned()));
    };
    match errors.into_iter().next() {
        Some(error) => Err(PeerError::Rejected(error)),
        None => Ok(PeerResult { races, ..PeerResult::default() }),
    }
}

//! Tests of the rendered reports of `hirace audit`: its page and its badge.

mod browser;
mod reports;

use crate::support::{ProgramOutput, create_empty_folder, hirace, run, scratch};
use hirace_testing::harness::{Need, Trial};
use libtest_mimic::Failed;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A kernel that is partly tested, and one that races.
const KERNEL: &str = "\
@group(0) @binding(0) var<uniform> limit: u32;
@group(0) @binding(1) var<storage> a: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(16)
fn clip(@builtin(global_invocation_id) id: vec3u) {
    if (id.x >= limit) { return; } // </td><script>document.title = 'hurt'</script>, a comment that is longer than a phone is wide
    if (a[id.x] > 77) { out[id.x] = 77; } else { out[id.x] = a[id.x]; }
}

@compute @workgroup_size(16)
fn last(@builtin(global_invocation_id) id: vec3u) {
    out[0] = a[id.x];
}
";

const SUITE: &str = r#"
[[file]]
path = "kernel.wgsl"

[[file.test]]
name = "weak </pre><script>document.title = 'hurt'</script>"
launch = { entry = "clip", workgroups = 1, buffers = { limit = [16], a = "zeros:16", out = "zeros:16" } }
expect = { out = "zeros:16" }

[[file.test]]
name = "last"
launch = { entry = "last", workgroups = 1, buffers = { a = "zeros:16", out = "zeros:16" } }
expect = { out = "zeros:16" }
"#;

const LIMIT: Duration = Duration::from_secs(240);

type Test = fn(&Path) -> Result<(), Failed>;

/// Returns the trials of all files, each with its own folder that contains the kernel and its tests.
pub fn trials() -> Vec<Trial> {
    let trial = |(name, test, need): (&str, Test, Option<Need>)| {
        let name = format!("audit_page::{name}");
        let folder = name.replace("::", "_");
        let trial = Trial::test(name, move || test(&made(&folder)?));
        need.into_iter().fold(trial, Trial::needs)
    };
    reports::tests().into_iter().chain(browser::tests()).map(trial).collect()
}

fn made(name: &str) -> Result<PathBuf, Failed> {
    let folder = create_empty_folder(scratch("audit_page").join(name))?;
    fs::write(folder.join("kernel.wgsl"), KERNEL)?;
    fs::write(folder.join("hirace.toml"), SUITE)?;
    Ok(folder)
}

fn audit(folder: &Path, arguments: &[&str]) -> ProgramOutput {
    let mut command = hirace(&[&["audit"], arguments].concat());
    run(command.current_dir(folder), LIMIT)
}

fn ensure(condition: bool, ended: &ProgramOutput) -> Result<(), Failed> {
    if condition { Ok(()) } else { Err(format!("{ended:#?}").into()) }
}

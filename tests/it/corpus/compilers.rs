//! Support for tint, the WGSL compiler of Chrome, where it is installed.

use crate::support::{run, scratch};
use std::process::Command;
use std::time::Duration;

/// Returns the errors of tint in a text; `None` if tint accepts it.
pub fn tint_rejects(wgsl: &str, name: &str) -> Option<String> {
    let file = scratch("tint").join(format!("{}.wgsl", name.replace(['/', '.'], "_")));
    std::fs::write(&file, wgsl).expect("the target folder can be written");
    let mut command = Command::new("tint");
    command.args(["--format", "wgsl"]).arg(&file);
    let ended = run(&mut command, Duration::from_secs(30));
    (ended.status != Some(0)).then_some(ended.stderr)
}

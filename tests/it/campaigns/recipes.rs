//! Runs the recipes of examples/campaigns. `scripts/campaigns.sh` runs more of them.

use super::{LIMIT, Test, cover, ensure, hirace_in};
use crate::support::{bounded_command, root, run};
use libtest_mimic::Failed;
use std::fs;
use std::path::Path;

pub const TESTS: &[(&str, Test)] =
    &[("what_runs_on_one_machine_is_merged", here), ("indices_from_0_are_shards_from_1", indices)];

fn here(folder: &Path) -> Result<(), Failed> {
    cover::suite(folder)?;
    let whole = hirace_in(folder, &["cover", "-q", "--report", "json=whole.json"]);
    ensure(whole.status == Some(0), &whole)?;
    let program = root().join("examples/campaigns/parallel.sh");
    let mut command = bounded_command(&program, &["3", "cover"]);
    let ended = run(
        command
            .current_dir(folder)
            .env("HIRACE", env!("CARGO_BIN_EXE_hirace"))
            .env("REPORTS", "out"),
        LIMIT,
    );
    ensure(ended.status == Some(0), &ended)?;
    let all = fs::read_to_string(folder.join("out/all.json"))?;
    ensure(all == fs::read_to_string(folder.join("whole.json"))?, &ended)
}

/// The command line of the manifest for Kubernetes, as its shell expands it.
fn indices(folder: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(root().join("examples/campaigns/kubernetes.yaml"))?;
    let line = text.lines().find_map(|line| line.trim().strip_prefix("- exec /campaigns/shard.sh"));
    let line = format!("echo {}", line.ok_or("no command in the manifest")?);
    for (index, shard) in [("0", "1 8 amplify"), ("7", "8 8 amplify")] {
        let mut command = bounded_command(Path::new("/bin/sh"), &["-c", &line]);
        let command = command.current_dir(folder).env("JOB_COMPLETION_INDEX", index);
        let ended = run(command, LIMIT);
        ensure(ended.stdout.starts_with(shard), &ended)?;
    }
    Ok(())
}

//! Tests of the progress line on a terminal, which `script` of util-linux emulates.

use crate::support::{hirace, scratch};
use hirace_testing::harness::{Need, Trial};
use libtest_mimic::Failed;
use std::io::Read;
use std::process::{Command, Stdio};

/// A kernel whose launch takes far longer than any test waits.
const LONG: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    for (var i = 0u; i < 1000000u; i++) { data[id.x] += i; }
}
";

/// The text of its progress line.
const PROGRESS_LINE: &str = "0/1 long.wgsl: main, 5000x1x1 workgroups (1 of 1)";

pub fn trials() -> Vec<Trial> {
    let need = Need::new(None, || {
        let version = Command::new("script").arg("--version").output();
        let has = version.is_ok_and(|output| output.stdout.starts_with(b"script from util-linux"));
        (!has).then(|| "script of util-linux is not installed".to_owned())
    });
    let name = "terminal::a_single_long_launch_shows_what_it_does";
    vec![Trial::test(name, long_launch).needs(need)]
}

fn long_launch() -> Result<(), Failed> {
    let folder = scratch("terminal");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("long.wgsl"), LONG)?;
    let given = ["--max-steps", "4000000000", "--buffer", "data=zeros:320000"];
    let command = hirace(&["check", "long.wgsl", "--workgroups", "5000"]);
    let words = [command.get_program()].into_iter().chain(command.get_args());
    let words: Vec<String> = words.map(|word| format!("'{}'", word.to_string_lossy())).collect();
    let line = [words.join(" "), given.join(" ")].join(" ");
    // If nothing were drawn, the launch would run for hours.
    let mut script = Command::new("timeout")
        .args(["120", "script", "--quiet", "--flush", "--command", &line, "/dev/null"])
        .current_dir(&folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let (mut drawn, mut part) = (Vec::new(), [0; 256]);
    let mut output = script.stdout.take().ok_or("the script has no output")?;
    let is_shown = loop {
        let read = output.read(&mut part)?;
        drawn.extend_from_slice(&part[..read]);
        let shown = String::from_utf8_lossy(&drawn).contains(PROGRESS_LINE);
        if shown || read == 0 {
            break shown;
        }
    };
    // `timeout` forwards the signal, and the terminal disappears with `script`.
    Command::new("kill").arg(script.id().to_string()).status()?;
    script.wait()?;
    match is_shown {
        true => Ok(()),
        false => Err(format!("only this was drawn: {}", String::from_utf8_lossy(&drawn)).into()),
    }
}

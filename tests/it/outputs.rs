//! Tests of written files: a report that cannot be written loses no other output, no input file is overwritten, links and
//! permissions are kept, and a full standard output is a failure.

use crate::support::{ProgramOutput, create_empty_folder, hirace, root, run, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const RACY: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    data[0] = id.x;
}
";

const LIMIT: Duration = Duration::from_secs(60);

type Test = fn(&Path) -> Result<(), Failed>;

const TESTS: &[(&str, Test)] = &[
    ("an_unwritable_file_does_not_affect_other_outputs", unwritable),
    ("inputs_are_not_overwritten", overwritten),
    ("no_two_reports_go_to_one_file", twice),
    ("a_baseline_can_be_brought_up_to_date", updated),
    ("permissions_and_links_stay", replaced),
    ("what_is_no_regular_file_is_written_as_it_is", streams),
    ("a_full_standard_output_is_a_failure_of_every_verb", full),
    ("a_closed_pipe_is_none", closed),
    ("manual_pages_are_written", pages),
    ("cargo_hirace_is_hirace", subcommand),
    ("cargo_hirace_looks_for_hirace_and_says_if_there_is_none", subcommand_alone),
];

/// Returns the trials, each with its own folder.
pub fn trials() -> Vec<Trial> {
    let trial = |&(name, test): &(&'static str, Test)| {
        Trial::test(format!("outputs::{name}"), move || {
            let folder = create_empty_folder(scratch("outputs").join(name))?;
            fs::write(folder.join("racy.wgsl"), RACY)?;
            fs::write(folder.join("clean.wgsl"), RACY.replace("data[0]", "data[id.x]"))?;
            test(&folder)
        })
    };
    TESTS.iter().map(trial).collect()
}

/// Runs `check racy.wgsl` in `folder` with these arguments.
fn check(folder: &Path, arguments: &[&str]) -> ProgramOutput {
    run(hirace(&["check", "racy.wgsl"]).args(arguments).current_dir(folder), LIMIT)
}

fn ensure(condition: bool, ended: &ProgramOutput) -> Result<(), Failed> {
    if condition { Ok(()) } else { Err(format!("{ended:#?}").into()) }
}

fn is_json(path: &Path) -> bool {
    let text = fs::read_to_string(path).unwrap_or_default();
    serde_json::from_str::<serde_json::Value>(&text).is_ok()
}

fn unwritable(folder: &Path) -> Result<(), Failed> {
    let good = folder.join("good.json");
    for bad in ["no/such/report.sarif", ".", "racy.wgsl/report.sarif", "/dev/full"] {
        let _ = fs::remove_file(&good);
        let to = format!("sarif={bad}");
        let ended = check(folder, &["--report", &to, "--report", "json=good.json"]);
        ensure(ended.status == Some(3), &ended)?;
        ensure(ended.stdout.contains("data race on `data[0]`"), &ended)?;
        ensure(ended.stderr.contains(&format!("cannot write {bad}")), &ended)?;
        ensure(is_json(&good), &ended)?;
        // All these failures except a full disk are detected before the check.
        let foreseen = ended.stderr.contains("`--report` cannot write");
        ensure(foreseen != (bad == "/dev/full"), &ended)?;
    }
    let ended = check(folder, &["--write-baseline", "no/such.json"]);
    ensure(ended.status == Some(3) && ended.stdout.contains("data race"), &ended)
}

fn overwritten(folder: &Path) -> Result<(), Failed> {
    fs::write(folder.join("hirace.toml"), "[check]\nseed = 1\n")?;
    fs::write(folder.join("data.bin"), [0; 64])?;
    fs::write(folder.join("known.json"), "{\"schema\":\"hirace.baseline/1\",\"findings\":[]}")?;
    symlink("racy.wgsl", folder.join("soft"))?;
    fs::hard_link(folder.join("racy.wgsl"), folder.join("hard"))?;
    let names =
        ["racy.wgsl", "./racy.wgsl", "soft", "hard", "hirace.toml", "data.bin", "known.json"];
    let flags = ["--buffer", "data=@data.bin", "--baseline", "known.json"];
    for name in names {
        for to in [["--report".to_owned(), format!("text={name}")], write_baseline(name)] {
            if to[0] == "--write-baseline" && name == "known.json" {
                continue;
            }
            let before = fs::read(folder.join(name))?;
            let [flag, file] = &to;
            let ended = check(folder, &[&flags[..], &[flag, file]].concat());
            ensure(ended.status == Some(2) && ended.stderr.contains("would overwrite"), &ended)?;
            ensure(ended.stderr.contains(name) && ended.stderr.contains(flag.as_str()), &ended)?;
            ensure(fs::read(folder.join(name))? == before, &ended)?;
        }
    }
    // Standard input is an input file too.
    let script = "exec \"$0\" check - --report text=racy.wgsl < racy.wgsl";
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_hirace")]).current_dir(folder);
    let output = command.output()?;
    match output.status.code() == Some(2) && fs::read_to_string(folder.join("racy.wgsl"))? == RACY {
        true => Ok(()),
        false => Err(format!("{output:?}").into()),
    }
}

fn write_baseline(name: &str) -> [String; 2] {
    ["--write-baseline".to_owned(), name.to_owned()]
}

fn twice(folder: &Path) -> Result<(), Failed> {
    fs::create_dir(folder.join("deep"))?;
    symlink("../new.json", folder.join("deep/link"))?;
    for other in ["new.json", "deep/../new.json", "deep/link"] {
        let to = format!("sarif={other}");
        let ended = check(folder, &["--report", "json=new.json", "--report", &to]);
        ensure(ended.status == Some(2) && ended.stderr.contains("the same file"), &ended)?;
    }
    let ended = check(folder, &["--report", "json=/dev/null", "--report", "sarif=/dev/null"]);
    ensure(ended.status == Some(1), &ended)
}

fn updated(folder: &Path) -> Result<(), Failed> {
    let flags = ["--baseline", "known.json", "--write-baseline", "known.json"];
    ensure(check(folder, &flags[2..]).status == Some(1), &check(folder, &[]))?;
    let before = fs::read(folder.join("known.json"))?;
    let ended = check(folder, &flags);
    ensure(ended.status == Some(0), &ended)?;
    ensure(fs::read(folder.join("known.json"))? == before, &ended)
}

fn replaced(folder: &Path) -> Result<(), Failed> {
    fs::write(folder.join("target.json"), "old")?;
    fs::set_permissions(folder.join("target.json"), fs::Permissions::from_mode(0o604))?;
    symlink("target.json", folder.join("link.json"))?;
    let ended = check(folder, &["--report", "json=link.json"]);
    ensure(ended.status == Some(1), &ended)?;
    ensure(fs::symlink_metadata(folder.join("link.json"))?.is_symlink(), &ended)?;
    ensure(is_json(&folder.join("target.json")), &ended)?;
    let mode = fs::metadata(folder.join("target.json"))?.permissions().mode();
    ensure(mode & 0o777 == 0o604, &ended)?;
    let left = fs::read_dir(folder)?.filter(|entry| {
        entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().ends_with(".tmp"))
    });
    ensure(left.count() == 0, &ended)
}

fn streams(folder: &Path) -> Result<(), Failed> {
    for path in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let ended = check(folder, &["--report", &format!("json={path}")]);
        ensure(ended.status == Some(1) && ended.stdout.contains("\"schema\""), &ended)?;
    }
    let ended = check(folder, &["--report", "json=/dev/stderr"]);
    ensure(ended.stderr.contains("\"schema\""), &ended)?;
    // If standard output is a file, both outputs are in it.
    let script = "\"$0\" check racy.wgsl --report json=/dev/stdout > both.txt; test $? = 1";
    let script =
        format!("{script} && \"$0\" check racy.wgsl --report json=/dev/fd/3 3> three.json");
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_hirace")]).current_dir(folder);
    let output = command.output()?;
    let both = fs::read_to_string(folder.join("both.txt"))?;
    let whole = both.contains("error[HR001]") && both.contains("\"schema\"");
    match whole && is_json(&folder.join("three.json")) && output.status.code() == Some(1) {
        true => Ok(()),
        false => Err(format!("{both}\n{output:?}").into()),
    }
}

fn full(folder: &Path) -> Result<(), Failed> {
    let check = |format| vec!["check", "clean.wgsl", "--format", format];
    let verbs = [
        check("text"),
        check("json"),
        check("sarif"),
        check("github"),
        vec!["expand", "clean.wgsl"],
        vec!["devices"],
        vec!["explain", "HR001"],
        vec!["fsm", "table"],
        vec!["fsm", "prove", "--grid", "1/1"],
        vec!["completions", "bash"],
        vec!["man"],
        vec!["--help"],
        vec!["check", "--help"],
        vec!["--version"],
    ];
    for arguments in verbs {
        let full = fs::OpenOptions::new().write(true).open("/dev/full")?;
        let mut command = hirace(&arguments);
        let child = command.current_dir(folder).stdout(full).stderr(Stdio::piped()).spawn()?;
        let output = child.wait_with_output()?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        if output.status.code() != Some(3) || !stderr.contains("cannot write to standard output") {
            return Err(format!("{arguments:?}: {output:?}").into());
        }
    }
    Ok(())
}

fn closed(folder: &Path) -> Result<(), Failed> {
    for (format, status) in [("text", 1), ("json", 1), ("sarif", 1), ("github", 1)] {
        let mut command = hirace(&["check", "racy.wgsl", "--format", format]);
        let mut child =
            command.current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        drop(child.stdout.take());
        let output = child.wait_with_output()?;
        if output.status.code() != Some(status) || !output.stderr.is_empty() {
            return Err(format!("{format}: {output:?}").into());
        }
    }
    Ok(())
}

fn pages(folder: &Path) -> Result<(), Failed> {
    let ended = run(hirace(&["man", "--output", "pages"]).current_dir(folder), LIMIT);
    ensure(ended.status == Some(0), &ended)?;
    let mode = fs::metadata(folder.join("pages/hirace.1"))?.permissions().mode();
    fs::write(folder.join("usual"), "")?;
    let usual = fs::metadata(folder.join("usual"))?.permissions().mode();
    ensure(mode == usual && folder.join("pages/hirace-fsm-prove.1").exists(), &ended)
}

fn subcommand(folder: &Path) -> Result<(), Failed> {
    let cargo = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-hirace"));
        run(command.args(arguments).current_dir(folder), LIMIT)
    };
    // As cargo starts it, and started directly.
    for arguments in [&["hirace", "check", "racy.wgsl"][..], &["check", "racy.wgsl"]] {
        let ended = cargo(arguments);
        let own = check(folder, &[]);
        ensure(ended.status == Some(1) && ended.stdout == own.stdout, &ended)?;
    }
    let help = cargo(&["hirace", "--help"]);
    ensure(help.status == Some(0) && help.stdout.contains("Usage: hirace"), &help)?;
    let wrong = cargo(&["hirace", "chekc"]);
    ensure(wrong.status == Some(2) && wrong.stderr.contains("check"), &wrong)?;
    // Through cargo itself.
    let own = Path::new(env!("CARGO_BIN_EXE_cargo-hirace")).parent().unwrap_or(root());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths([own.to_path_buf()].into_iter().chain(std::env::split_paths(&path)))?;
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command.args(["hirace", "check", "clean.wgsl"]).env("PATH", path).current_dir(folder);
    let ended = run(&mut command, LIMIT);
    ensure(ended.status == Some(0) && ended.stdout.starts_with("proved"), &ended)
}

fn subcommand_alone(folder: &Path) -> Result<(), Failed> {
    let alone = folder.join("cargo-hirace");
    // A hard link and not a copy: a program that is open for writing cannot be started, and a process that another test starts
    // at that moment would keep the copy open a little longer.
    fs::hard_link(env!("CARGO_BIN_EXE_cargo-hirace"), &alone)?;
    let with = |path: &Path| {
        let mut command = Command::new(&alone);
        run(command.args(["hirace", "devices"]).env("PATH", path), LIMIT)
    };
    let none = with(Path::new("/no/such/folder"));
    ensure(none.status == Some(3) && none.stderr.contains("cargo install hirace-cli"), &none)?;
    let elsewhere = Path::new(env!("CARGO_BIN_EXE_hirace")).parent().unwrap_or(root());
    let found = with(&PathBuf::from(elsewhere));
    ensure(found.status == Some(0) && found.stdout.contains("embedded"), &found)
}

//! Tests of the command line: exit statuses, formats, folders, configuration, baselines, interruption.

use crate::support::{ProgramOutput, hirace, run, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

/// A kernel in which every invocation writes the same word.
const RACY: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    data[0] = id.x;
}
";

/// A kernel in which every invocation writes its own word.
const CLEAN: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    data[id.x] = id.x;
}
";

/// A kernel with a branch that no inferred launch takes.
const HIDDEN: &str = "\
@group(0) @binding(0) var<uniform> mode: u32;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (mode * 2u == 24690u) {
        data[data[id.x] + id.x] = 1u;
    }
}
";

const LIMIT: Duration = Duration::from_secs(60);

type Test = fn(&Path) -> Result<(), Failed>;

const TESTS: &[(&str, Test)] = &[
    ("the_exit_status_is_the_verdict", exit_statuses),
    ("warnings_fail_a_check_only_if_it_is_strict", warnings),
    ("a_folder_is_searched_and_what_is_no_kernel_passed_over", folders),
    ("files_without_the_entry_point_asked_for_are_passed_over_and_counted", entry_of_a_folder),
    ("the_configuration_names_files_launches_and_what_is_watched", configuration),
    ("paths_of_a_configuration_are_as_one_would_write_them", portable),
    ("kernels_that_ask_for_more_than_webgpu_guarantees_are_errors_if_asked", limits),
    ("a_baseline_allows_what_it_was_written_from", baseline),
    ("every_format_can_be_printed_and_written", formats),
    ("standard_input_is_a_dash", standard_input),
    ("a_reader_that_goes_away_is_no_failure", broken_pipe),
    ("the_replay_line_shows_the_finding_again", replay),
    ("what_is_expanded_is_valid_wgsl", expanded),
    ("rules_completions_and_manual_pages_are_printed", meta),
    ("quiet_prints_findings_alone", quiet),
    ("quiet_says_why_a_run_is_inconclusive", quiet_and_inconclusive),
    ("color_is_asked_for", color),
    ("an_interrupt_ends_the_check_with_what_it_has", interrupt),
];

/// Returns the trials, each with its own folder.
pub fn trials() -> Vec<Trial> {
    let trial = |&(name, test): &(&'static str, Test)| {
        Trial::test(format!("cli::{name}"), move || test(&scratch("cli").join(name)))
    };
    TESTS.iter().map(trial).collect()
}

fn file(folder: &Path, name: &str, text: &str) -> Result<PathBuf, Failed> {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
    std::fs::write(&path, text)?;
    Ok(path)
}

fn check(arguments: &[&str]) -> ProgramOutput {
    run(&mut hirace(&[&["check"], arguments].concat()), LIMIT)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn ensure(condition: bool, ended: &ProgramOutput) -> Result<(), Failed> {
    if condition { Ok(()) } else { Err(format!("{ended:#?}").into()) }
}

fn status(ended: &ProgramOutput, status: i32) -> Result<(), Failed> {
    ensure(ended.status == Some(status) && !ended.timed_out, ended)
}

fn exit_statuses(folder: &Path) -> Result<(), Failed> {
    let shaders = [("clean", CLEAN, 0), ("racy", RACY, 1), ("hidden", HIDDEN, 4)];
    for (name, shader, expected) in shaders {
        let path = file(folder, &format!("{name}.wgsl"), shader)?;
        status(&check(&[&text(&path)]), expected)?;
    }
    status(&check(&[&text(&folder.join("clean.wgsl")), "--workgroups", "0"]), 2)?;
    // With values given for everything that was inferred, the check is clean and lists no inferred values.
    let hidden = text(&folder.join("hidden.wgsl"));
    let given = check(&[
        &hidden,
        "--workgroups",
        "2",
        "--buffer",
        "mode=12345",
        "--buffer",
        "data=zeros:16",
        "--format",
        "json",
    ]);
    status(&given, 0)?;
    let report: serde_json::Value = serde_json::from_str(&given.stdout)?;
    let launches = report["launches"].as_array().map_or(&[][..], Vec::as_slice);
    let nothing =
        |launch: &serde_json::Value| launch["inferred"].as_array().is_some_and(Vec::is_empty);
    ensure(!launches.is_empty() && launches.iter().all(nothing), &given)
}

/// A kernel with a race on `flag`, in which all invocations write the same value, and with a read out of bounds whose value is not used.
const WARNINGS: &str = "\
@group(0) @binding(0) var<storage, read_write> flag: u32;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32, @builtin(global_invocation_id) id: vec3<u32>) {
    tile[l] = data[id.x];
    workgroupBarrier();
    data[id.x] = tile[l] + select(0u, tile[l - 1u], l > 0u);
    flag = 1u;
}
";

fn warnings(folder: &Path) -> Result<(), Failed> {
    let path = text(&file(folder, "warnings.wgsl", WARNINGS)?);
    let given =
        [path.as_str(), "--workgroups", "2", "--buffer", "data=iota:128", "--buffer", "flag=0"];
    let strict = |more: &[&str]| check(&[&given[..], &["--strict"], more].concat());
    let plain = check(&given);
    status(&plain, 0)?;
    let lines = plain.stdout.lines();
    let shown: Vec<&str> = lines.filter(|line| line.starts_with("warning[")).collect();
    let expected = [
        "warning[HR003]: index 4294967295 is out of bounds of `tile`, which has 64 elements, but the value that is read is not used",
        "warning[HR001]: data race on `flag` (storage memory): all invocations write the same value",
    ];
    ensure(shown == expected, &plain)?;
    status(&strict(&[]), 1)?;
    // A wrong kernel of the same kind fails without the flag.
    let wrong = file(folder, "wrong.wgsl", &WARNINGS.replace("l > 0u", "l < 63u"))?;
    status(&check(&[&[text(&wrong).as_str()], &given[1..]].concat()), 1)?;
    // Warnings are suppressed as errors are.
    let known = text(&folder.join("known.json"));
    status(&check(&[&given[..], &["--write-baseline", &known]].concat()), 0)?;
    status(&strict(&["--baseline", &known]), 0)?;
    let allowed = WARNINGS
        .replace("flag = 1u;", "flag = 1u; // hirace: allow(race): all write the same")
        .replace("l > 0u);", "l > 0u); // hirace: allow(bounds): the value is not used");
    file(folder, "warnings.wgsl", &allowed)?;
    status(&strict(&[]), 0)?;
    // With nothing given, the status is that of a run without findings, too.
    file(folder, "warnings.wgsl", WARNINGS)?;
    let guessed = check(&[&path]);
    status(&guessed, 0)?;
    status(&check(&[&path, "--strict"]), 1)
}

fn entry_of_a_folder(folder: &Path) -> Result<(), Failed> {
    file(folder, "clean.wgsl", CLEAN)?;
    file(folder, "racy.wgsl", &RACY.replace("fn main", "fn other"))?;
    file(
        folder,
        "fill.rs",
        "#[hirace::monitor(workgroup_size(8))]
        fn fill(#[builtin(global_invocation_id)] id: UVec3, out: &mut [u32]) { out[id.x] = id.x; }",
    )?;
    let asked = |names: &[&str]| {
        let folder = text(folder);
        let names = names.iter().flat_map(|name| ["--entry", name]);
        check(&[folder.as_str()].into_iter().chain(names).collect::<Vec<_>>())
    };
    let one = asked(&["fill"]);
    status(&one, 0)?;
    ensure(one.stdout.contains("fill.rs") && !one.stdout.contains("clean.wgsl"), &one)?;
    ensure(one.stderr.contains("2 files were skipped: no entry point `fill`"), &one)?;
    let two = asked(&["fill", "other"]);
    status(&two, 1)?;
    ensure(two.stderr.contains("1 file was skipped: no entry point `fill` or `other`"), &two)?;
    let unknown = asked(&["fil", "main"]);
    status(&unknown, 2)?;
    ensure(unknown.stdout.contains("clean.wgsl"), &unknown)?;
    ensure(unknown.stderr.contains("no file has an entry point `fil`"), &unknown)?;
    ensure(unknown.stderr.contains("did you mean `fill`?"), &unknown)?;
    let none = asked(&["fil"]);
    status(&none, 2)
}

fn folders(folder: &Path) -> Result<(), Failed> {
    file(folder, "clean.wgsl", CLEAN)?;
    file(folder, "template.wgsl", "#import bevy::x\n@compute @workgroup_size(1) fn main() {}")?;
    file(folder, "notes.txt", "not a shader")?;
    let ended = check(&[&text(folder)]);
    status(&ended, 0)?;
    ensure(ended.stderr.contains("template.wgsl was skipped"), &ended)?;
    file(folder, "deep/er/racy.wgsl", RACY)?;
    let ended = check(&[&text(folder)]);
    status(&ended, 1)?;
    ensure(ended.stdout.contains("racy.wgsl:4:"), &ended)?;
    std::fs::remove_file(folder.join("deep/er/racy.wgsl"))?;
    // A part of other files, and a shader of another stage, are skipped, whatever is wrong with them.
    file(folder, "part.wgsl", "fn half(x: Length) -> f32 { return x / 2.0; }")?;
    file(folder, "stage.wgsl", "@fragment fn shade() -> @location(0) vec4f { return vec4f(; }")?;
    let ended = check(&[&text(folder)]);
    status(&ended, 0)?;
    ensure(ended.stderr.contains("part.wgsl was skipped"), &ended)?;
    ensure(ended.stderr.contains("stage.wgsl was skipped"), &ended)?;
    // A broken file may have contained a kernel.
    for broken in [
        "fn half(x f32) {}",
        "fn half(x: f32) -> f32 { return x / 2.0 }",
        "struct Pair { a: f32 b: f32 }",
    ] {
        file(folder, "broken.wgsl", broken)?;
        let ended = check(&[&text(folder)]);
        status(&ended, 2)?;
        ensure(ended.stderr.contains("broken.wgsl:1:"), &ended)?;
    }
    std::fs::remove_file(folder.join("broken.wgsl"))?;
    if cfg!(feature = "glsl") { folders_of_glsl(folder) } else { Ok(()) }
}

/// The rule for GLSL is that of WGSL.
fn folders_of_glsl(folder: &Path) -> Result<(), Failed> {
    file(folder, "part.glsl", "float halved(float x) { return x / divisor; }\n")?;
    file(folder, "user.glsl", "float halved(float x) { return divided(x, 2.0); }\n")?;
    file(folder, "stage.glsl", "#version 450\nvoid main() { gl_Position = vec4(; }\n")?;
    let ended = check(&[&text(folder)]);
    status(&ended, 0)?;
    for skipped in ["part.glsl", "user.glsl", "stage.glsl"] {
        ensure(ended.stderr.contains(&format!("{skipped} was skipped")), &ended)?;
    }
    for broken in [
        "#version 450\nvoid main() { int x = ; }\n",
        "#version 450\nfloat halved(float x) { return x / 2.0 }\n",
        "#version 450\nlayout(local_size_x = 8) in;\nvoid main() { missing(1.0); }\n",
    ] {
        file(folder, "broken.comp", broken)?;
        let ended = check(&[&text(folder)]);
        status(&ended, 2)?;
        ensure(ended.stderr.contains("broken.comp:"), &ended)?;
    }
    Ok(std::fs::remove_file(folder.join("broken.comp"))?)
}

fn configuration(folder: &Path) -> Result<(), Failed> {
    let racy = text(&file(folder, "racy.wgsl", RACY)?);
    let hidden = text(&file(folder, "shaders/hidden.wgsl", HIDDEN)?);
    let config = "
        [[file]]
        path = \"racy.wgsl\"
        watch.ignore = [\"data\"]
        [[file]]
        path = \"shaders/hidden.wgsl\"
        [[file.launch]]
        workgroups = 2
        buffers = { mode = 12345, data = \"zeros:16\" }";
    file(folder, "hirace.toml", config)?;
    let ended = check(&[&racy]);
    status(&ended, 0)?;
    ensure(ended.stdout.contains("not watched: `data` was excluded, as requested"), &ended)?;
    status(&check(&[&hidden]), 0)?;
    // Flags take precedence: with a mode that hides the branch, grid and length are inferred again.
    status(&check(&[&hidden, "--buffer", "mode=1"]), 4)?;
    // A configured launch of another entry point is not run: the launch of the requested one is inferred.
    let entry = config.replace("workgroups = 2", "entry = \"main\"\nworkgroups = 2");
    file(folder, "hirace.toml", &entry)?;
    status(&check(&[&hidden]), 0)?;
    status(&check(&[&hidden, "--entry", "main"]), 0)?;
    let two = HIDDEN
        .replace("fn main(", "fn other(@builtin(local_invocation_index) l: u32) { data[0] = l; }\n@compute @workgroup_size(8)\nfn main(");
    file(folder, "shaders/hidden.wgsl", &two)?;
    status(&check(&[&hidden]), 0)?;
    status(&check(&[&hidden, "--entry", "other"]), 1)?;
    file(folder, "shaders/hidden.wgsl", HIDDEN)?;
    // Without a FILE argument, the files that the configuration names are checked.
    let ended = run(hirace(&["check"]).current_dir(folder), LIMIT);
    status(&ended, 0)?;
    ensure(ended.stdout.contains("hidden.wgsl") && ended.stdout.contains("racy.wgsl"), &ended)
}

fn portable(folder: &Path) -> Result<(), Failed> {
    file(folder, "src/racy.wgsl", RACY)?;
    std::fs::write(folder.join("src/data.bin"), [0u8; 64])?;
    let config = "
        [[file]]
        path = \"src/racy.wgsl\"
        [[file.launch]]
        workgroups = 1
        buffers = { data = \"@src/data.bin\" }";
    file(folder, "hirace.toml", config)?;
    std::fs::create_dir_all(folder.join("src/deep"))?;
    let arguments = ["check", "--format", "github", "--write-baseline", "known.json"];
    for (from, back) in [("", "src/"), ("src", ""), ("src/deep", "../")] {
        let here = folder.join(from);
        let ended = run(hirace(&arguments).current_dir(&here), LIMIT);
        status(&ended, 1)?;
        let place = format!("file={back}racy.wgsl,line=4,");
        let replay =
            format!("hirace check {back}racy.wgsl --workgroups 1 --buffer data=@{back}data.bin");
        ensure(ended.stdout.contains(&place) && ended.stdout.contains(&replay), &ended)?;
        let known = std::fs::read_to_string(here.join("known.json"))?;
        ensure(known.contains(&format!("\"source\": \"{back}racy.wgsl\"")), &ended)?;
        // The file's section applies, whatever way its path is written.
        let named = format!("{back}racy.wgsl");
        let ended = run(hirace(&["check", &named]).current_dir(&here), LIMIT);
        ensure(ended.stdout.contains(&format!("data=@{back}data.bin")), &ended)?;
    }
    Ok(())
}

fn limits(folder: &Path) -> Result<(), Failed> {
    file(folder, "hirace.toml", "")?;
    let large = text(&file(folder, "large.wgsl", &CLEAN.replace("size(8)", "size(8, 8, 8)"))?);
    let said = "the workgroups of `main` have 512 invocations, but WebGPU guarantees only 256";
    let noted = check(&[&large, "--workgroups", "1"]);
    ensure(noted.status != Some(2) && noted.stdout.contains(said), &noted)?;
    let refused = check(&[&large, "--limits", "webgpu"]);
    status(&refused, 2)?;
    ensure(refused.stderr.contains(said) && refused.stderr.contains("large.wgsl:3:4"), &refused)?;
    file(folder, "hirace.toml", "[check]\nlimits = \"webgpu\"\n")?;
    status(&check(&[&large]), 2)?;
    // Other verbs run it nevertheless.
    status(&run(&mut hirace(&["cover", &large]), LIMIT), 0)?;
    file(folder, "hirace.toml", "[check]\nlimits = \"metal\"\n")?;
    let unknown = check(&[&large]);
    status(&unknown, 2)?;
    ensure(unknown.stderr.contains("unknown limits `metal`; give `webgpu`"), &unknown)
}

fn baseline(folder: &Path) -> Result<(), Failed> {
    let racy = text(&file(folder, "racy.wgsl", RACY)?);
    let known = text(&folder.join("known.json"));
    status(&check(&[&racy, "--write-baseline", &known]), 1)?;
    status(&check(&[&racy, "--baseline", &known]), 0)?;
    // The line moved, but the finding is the same.
    let moved = text(&file(folder, "racy.wgsl", &format!("// moved\n\n{RACY}"))?);
    status(&check(&[&moved, "--baseline", &known]), 0)?;
    let other = RACY.replace("data[0] = id.x;", "data[1] = id.y;");
    let other = text(&file(folder, "racy.wgsl", &other)?);
    status(&check(&[&other, "--baseline", &known]), 1)
}

fn formats(folder: &Path) -> Result<(), Failed> {
    let racy = text(&file(folder, "racy.wgsl", RACY)?);
    let json = check(&[&racy, "--format", "json"]);
    status(&json, 1)?;
    let report: serde_json::Value = serde_json::from_str(&json.stdout)?;
    ensure(report["schema"] == "hirace.check/2" && report["verdict"] == "findings", &json)?;
    let access = &report["launches"][0]["findings"][0]["accesses"][0];
    ensure(access["line"] == 4 && access["column"] == 5, &json)?;
    let github = check(&[&racy, "--format", "github"]);
    ensure(github.stdout.starts_with("::error "), &github)?;
    let sarif = text(&folder.join("report.sarif"));
    let plain = text(&folder.join("report.txt"));
    let written = check(&[
        &racy,
        "--report",
        &format!("sarif={sarif}"),
        "--report",
        &format!("text={plain}"),
    ]);
    status(&written, 1)?;
    let sarif: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(sarif)?)?;
    ensure(sarif["version"] == "2.1.0", &written)?;
    ensure(std::fs::read_to_string(plain)?.contains("error[HR001]"), &written)
}

fn standard_input(_: &Path) -> Result<(), Failed> {
    let mut child = hirace(&["check", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    child.stdin.take().ok_or("a pipe")?.write_all(RACY.as_bytes())?;
    let output = child.wait_with_output()?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    match output.status.code() == Some(1) && stdout.contains("<stdin>:4:5") {
        true => Ok(()),
        false => Err(format!("{:?}\n{stdout}", output.status).into()),
    }
}

fn broken_pipe(_: &Path) -> Result<(), Failed> {
    let mut child =
        hirace(&["fsm", "table"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut first = [0; 6];
    child.stdout.take().ok_or("a pipe")?.read_exact(&mut first)?;
    let output = child.wait_with_output()?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    match output.status.success() && stderr.is_empty() && &first == b"state," {
        true => Ok(()),
        false => Err(format!("{:?}\n{stderr}", output.status).into()),
    }
}

fn replay(folder: &Path) -> Result<(), Failed> {
    let racy = text(&file(folder, "racy.wgsl", RACY)?);
    let ended = check(&[&racy]);
    let line = ended.stdout.lines().find_map(|line| line.split_once("replay: hirace "));
    let arguments: Vec<&str> = line.ok_or("no replay line")?.1.split(' ').collect();
    let rerun = run(&mut hirace(&arguments), LIMIT);
    status(&rerun, 1)?;
    ensure(rerun.stdout.contains("data race on `data[0]`"), &rerun)
}

fn expanded(folder: &Path) -> Result<(), Failed> {
    let racy = text(&file(folder, "racy.wgsl", RACY)?);
    for table in ["buffer", "private", "constant"] {
        let ended = run(&mut hirace(&["expand", &racy, "--table", table]), LIMIT);
        status(&ended, 0)?;
        ensure(crate::support::naga_rejects(&ended.stdout).is_none(), &ended)?;
        ensure(ended.stdout.contains("fn main("), &ended)?;
    }
    Ok(())
}

fn meta(folder: &Path) -> Result<(), Failed> {
    let prints = |arguments: &[&str], part: &str| {
        let ended = run(&mut hirace(arguments), LIMIT);
        status(&ended, 0)?;
        ensure(ended.stdout.contains(part), &ended)
    };
    prints(&["explain", "HR001"], "data-race")?;
    prints(&["explain", "barrier-divergence"], "HR002")?;
    prints(&["completions", "bash"], "hirace")?;
    prints(&["man"], ".TH hirace")?;
    prints(&["check", "--help"], "random:LEN")?;
    let pages = text(&folder.join("man"));
    status(&run(&mut hirace(&["man", "--output", &pages]), LIMIT), 0)?;
    let page = std::fs::read_to_string(folder.join("man/hirace-check.1"))?;
    if page.contains("workgroups") { Ok(()) } else { Err(page.into()) }
}

/// An exit status that no finding explains has one line that explains it.
fn quiet_and_inconclusive(folder: &Path) -> Result<(), Failed> {
    let open = "@group(0) @binding(0) var<uniform> n: u32;
        @group(0) @binding(1) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            if (n == 0x12345u && data[id.x] == 77777u) { data[id.x] = n * n; }
        }";
    let open = text(&file(folder, "open.wgsl", open)?);
    let ended = check(&[&open, "--quiet", "--workgroups", "1", "--buffer", "n=0"]);
    status(&ended, 4)?;
    let lines = ended.stderr.lines().filter(|line| line.starts_with("warning: inconclusive"));
    ensure(ended.stdout.is_empty() && lines.count() == 1, &ended)
}

fn quiet(folder: &Path) -> Result<(), Failed> {
    let clean = text(&file(folder, "clean.wgsl", CLEAN)?);
    let racy = text(&file(folder, "racy.wgsl", RACY)?);
    let ended = check(&[&clean, "--quiet"]);
    ensure(ended.stdout.is_empty() && ended.stderr.is_empty(), &ended)?;
    let ended = check(&[&racy, "--quiet"]);
    ensure(
        ended.stdout.contains("error[HR001]") && !ended.stdout.contains("= inferred: "),
        &ended,
    )?;
    // Without the flag the output is longer and has these words.
    let full = check(&[&racy]);
    ensure(full.stdout.contains("= inferred: ") && full.stdout.len() > ended.stdout.len(), &full)
}

fn color(folder: &Path) -> Result<(), Failed> {
    let racy = text(&file(folder, "racy.wgsl", RACY)?);
    let colored = check(&[&racy, "--color", "always"]);
    ensure(colored.stdout.contains("\x1b["), &colored)?;
    let plain = check(&[&racy]);
    ensure(!plain.stdout.contains('\x1b'), &plain)
}

/// Interrupting a kernel that would run for minutes.
fn interrupt(folder: &Path) -> Result<(), Failed> {
    let shader = "\
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            for (var i = 0u; i < 1000000u; i++) { data[id.x] += i; }
        }";
    let long = text(&file(folder, "long.wgsl", shader)?);
    let arguments = ["check", &long, "--workgroups", "5000", "--max-steps", "4000000000"];
    let mut child = hirace(&arguments)
        .args(["--buffer", "data=zeros:320000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    std::thread::sleep(Duration::from_secs(1));
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    if !sent.is_ok_and(|status| status.success()) {
        child.kill()?;
        return Err("cannot send the interrupt".into());
    }
    let output = child.wait_with_output()?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    match output.status.code() == Some(3) && stdout.contains("inconclusive") {
        true => Ok(()),
        false => Err(format!("{:?}\n{stdout}", output.status).into()),
    }
}

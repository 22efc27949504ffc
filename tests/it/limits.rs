//! Tests of endless inputs and of excessive numbers: a named limit is reported before memory or time is exhausted.

use crate::support::{ProgramOutput, create_empty_folder, hirace, run, scratch};
use hirace_testing::harness::Trial;
use hirace_testing::{Tier, runs};
use libtest_mimic::Failed;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const RACY: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    data[0] = id.x;
}
";

const TEXTURE: &str = "\
@group(0) @binding(0) var image: texture_storage_3d<r32uint, write>;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(image, id, vec4<u32>(id, 1u));
}
";

/// Arrays whose types alone take gigabytes; `data` is declared in line 1.
const ARRAYS: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32, 268435455>;
@group(0) @binding(1) var<storage, read_write> half: array<u32, 40000000>;
@group(0) @binding(2) var<storage, read_write> rest: array<u32, 40000000>;
@group(0) @binding(3) var<uniform> uniforms: array<vec4<u32>, 67108863>;
@group(0) @binding(4) var<storage, read_write> nested: array<array<u32, 200000000>>;
@compute @workgroup_size(8)
fn one(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] = id.x; }
@compute @workgroup_size(8)
fn two(@builtin(global_invocation_id) id: vec3<u32>) { half[id.x] = rest[id.x]; }
@compute @workgroup_size(8)
fn uniformly(@builtin(global_invocation_id) id: vec3<u32>) { half[id.x] = uniforms[id.x].x; }
@compute @workgroup_size(8)
fn inner(@builtin(global_invocation_id) id: vec3<u32>) { nested[id.x][0] = 1u; }
";

/// A time limit well above what anything in this module takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(300);

/// A case: its name, the arguments after `check` (`{}` is the shader, `{folder}` its folder), and the texts that must be
/// reported.
type Case = (&'static str, &'static [&'static str], &'static [&'static str]);

const CASES: &[Case] = &[
    // Endless inputs. `zero.…` are links to /dev/zero.
    ("endless_shader", &["{folder}/zero.wgsl"], &["zero.wgsl", "source limit of 16 MiB"]),
    ("endless_rust_file", &["{folder}/zero.rs"], &["zero.rs", "source limit of 16 MiB"]),
    ("endless_file_without_an_ending", &["/dev/zero"], &["/dev/zero"]),
    ("endless_buffer", &["{}", "--buffer", "data=@/dev/zero"], &["buffer limit of 1024 MiB"]),
    ("endless_npy", &["{}", "--buffer", "data=@{folder}/zero.npy"], &["zero.npy"]),
    ("endless_configuration", &["{}", "--config", "/dev/zero"], &["configuration limit of 4 MiB"]),
    ("endless_baseline", &["{}", "--baseline", "/dev/zero"], &["baseline limit of 64 MiB"]),
    ("folder_as_configuration", &["{}", "--config", "{folder}"], &["cannot read"]),
    ("folder_as_baseline", &["{}", "--baseline", "{folder}"], &["cannot read"]),
    ("folder_as_npy", &["{}", "--buffer", "data=@{folder}/folder.npy"], &["folder.npy"]),
    (
        "npy_of_terabytes",
        &["{}", "--buffer", "data=@{folder}/huge.npy"],
        &["buffer limit of 1024 MiB"],
    ),
    // Excessive numbers.
    ("schedules", &["{}", "--schedules", "4294967295"], &["--schedules", "limit of 1000000"]),
    ("schedules_past_32_bits", &["{}", "--schedules", "99999999999"], &["--schedules", "1000000"]),
    (
        "schedules_in_a_configuration",
        &["{}", "--config", "{folder}/s.toml"],
        &["s.toml:2", "1000000"],
    ),
    ("grid", &["{}", "--workgroups", "4294967295,4294967295,4294967295"], &["65535"]),
    ("grid_of_too_many", &["{}", "--workgroups", "65535,65535,65535"], &["2^32"]),
    ("length", &["{}", "--buffer", "data=zeros:99999999999"], &["data", "99999999999"]),
    ("length_of_gigabytes", &["{}", "--buffer", "data=zeros:4294967295"], &["1024 MiB"]),
    (
        "array_of_a_gigabyte",
        &["{folder}/arrays.wgsl", "--entry", "one"],
        &["arrays.wgsl:1", "launch limit of 256 MiB", "--buffer data=zeros"],
    ),
    (
        "arrays_that_add_up",
        &["{folder}/arrays.wgsl", "--entry", "two"],
        &["arrays.wgsl:3", "launch limit of 256 MiB"],
    ),
    (
        "uniform_of_a_gigabyte",
        &["{folder}/arrays.wgsl", "--entry", "uniformly"],
        &["arrays.wgsl:4", "launch limit of 1024 MiB"],
    ),
    (
        "element_of_a_gigabyte",
        &["{folder}/arrays.wgsl", "--entry", "inner"],
        &["arrays.wgsl:5", "launch limit of 256 MiB"],
    ),
    (
        "generated_gigabyte",
        &["{}", "--buffer", "data=random:268435456"],
        &["data", "268435456 elements are more than 256 MiB of generated contents"],
    ),
    (
        "generated_gigabyte_of_a_fixed_type",
        &["{folder}/arrays.wgsl", "--entry", "one", "--buffer", "data=iota"],
        &["data", "256 MiB of generated contents"],
    ),
    (
        "generated_texture",
        &["{folder}/texture.wgsl", "--buffer", "image=random:1024x1024x64"],
        &["image", "texture limit of 256 MiB of generated contents"],
    ),
    ("timeout_of_nothing", &["{}", "--timeout", "0"], &["--timeout", "above 0"]),
    ("timeout_without_end", &["{}", "--timeout", "inf"], &["--timeout", "above 0"]),
    ("timeout_that_is_none", &["{}", "--timeout", "NaN"], &["--timeout", "above 0"]),
    ("subgroup_size", &["{}", "--subgroup-size", "4294967295"], &["1 to 64"]),
    ("seed", &["{}", "--seed", "18446744073709551616"], &["--seed"]),
    ("schedule", &["{}", "--schedule=-1"], &["--schedule"]),
    ("step_limit", &["{}", "--max-steps", "18446744073709551616"], &["--max-steps"]),
    (
        "texture",
        &["{folder}/texture.wgsl", "--buffer", "image=zeros:4294967295x4294967295x4294967295"],
        &["image", "texture limit"],
    ),
];

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = CASES
        .iter()
        .filter(|case| cfg!(feature = "npy") || case.0 != "npy_of_terabytes")
        .map(|case| Trial::test(format!("limits::{}", case.0), move || refused(case)))
        .collect();
    trials.extend([
        Trial::test("limits::endless_standard_input", endless_input),
        Trial::test("limits::extremes_that_are_taken", taken),
        Trial::test("limits::a_pipe_in_a_folder_is_passed_over", pipe),
    ]);
    let long_ones: [(_, fn() -> _); 3] = [
        ("limits::what_races_after_a_racing_loop_is_found_too", after_a_loop),
        ("limits::a_racing_loop_in_a_large_workgroup_is_found_on_defaults", racing_loop),
        ("limits::a_long_launch_is_left_and_the_report_says_so", long_launch),
    ];
    trials.extend(long_ones.map(|(name, test)| Trial::ci(name, test)));
    trials
}

fn folder(name: &str) -> Result<PathBuf, Failed> {
    let folder = scratch("limits").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("folder.npy"))?;
    std::fs::write(folder.join("shader.wgsl"), RACY)?;
    std::fs::write(folder.join("texture.wgsl"), TEXTURE)?;
    std::fs::write(folder.join("arrays.wgsl"), ARRAYS)?;
    std::fs::write(folder.join("s.toml"), "[check]\nschedules = 4294967295\n")?;
    std::fs::write(folder.join("huge.npy"), huge())?;
    for ending in ["wgsl", "rs", "npy"] {
        std::os::unix::fs::symlink("/dev/zero", folder.join(format!("zero.{ending}")))?;
    }
    Ok(folder)
}

/// A folder that is searched for modules, or for the sources of a suite, contains a pipe without a writer.
fn pipe() -> Result<(), Failed> {
    let folder = create_empty_folder(scratch("limits").join("pipe"))?;
    std::fs::write(folder.join("shader.wgsl"), RACY)?;
    let made = Command::new("mkfifo").arg(folder.join("never.wgsl")).status()?;
    assert!(made.success());
    // A pipe that the user names is read.
    let limit = Duration::from_secs(20);
    let flags = ["--workgroups", "1", "--buffer", "data=zeros:8"];
    let searches: [&[&str]; 3] = [
        &["check", "shader.wgsl", "--preprocess"],
        &["check", "shader.wgsl", "--module", "."],
        &["cover", "."],
    ];
    // The first two searches need naga_oil.
    let first = if cfg!(feature = "preprocess") { 0 } else { 2 };
    for search in &searches[first..] {
        let ended = run(hirace(&[*search, &flags].concat()).current_dir(&folder), limit);
        if ended.timed_out || !matches!(ended.status, Some(0 | 1)) {
            return Err(format!("{search:?}: {ended:?}").into());
        }
    }
    let command: [&str; 6] = ["cover", "--", "sh", "-c", "exit 0", "sh"];
    let ended = run(hirace(&command).current_dir(&folder), limit);
    if ended.timed_out { Err(format!("{ended:?}").into()) } else { Ok(()) }
}

/// Returns a .npy file whose header claims terabytes of data.
fn huge() -> Vec<u8> {
    let header = "{'descr': '<u4', 'fortran_order': False, 'shape': (1099511627776,), }";
    let padded = format!("{header:<117}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((padded.len() as u16).to_le_bytes());
    bytes.extend(padded.as_bytes());
    bytes
}

/// Runs `check` with an address space of at most 8 GiB.
fn check(folder: &Path, arguments: &[&str], input: &str) -> ProgramOutput {
    let folder = folder.to_string_lossy();
    let shader = format!("{folder}/shader.wgsl");
    let arguments = arguments.iter().map(|a| a.replace("{folder}", &folder).replace("{}", &shader));
    let script = format!("ulimit -v 8388608; exec \"$@\" < {input}");
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_hirace"), "check"]).args(arguments);
    run(&mut command, LIMIT)
}

fn ensure(condition: bool, ended: &ProgramOutput) -> Result<(), Failed> {
    if condition { Ok(()) } else { Err(format!("{ended:#?}").into()) }
}

fn is_refusal(ended: &ProgramOutput, says: &[&str]) -> Result<(), Failed> {
    ensure(
        ended.status == Some(2) && !ended.timed_out && !ended.stderr.contains("panicked"),
        ended,
    )?;
    ensure(says.iter().all(|part| ended.stderr.contains(part)), ended)
}

fn refused((name, arguments, says): &Case) -> Result<(), Failed> {
    is_refusal(&check(&folder(name)?, arguments, "/dev/null"), says)
}

fn endless_input() -> Result<(), Failed> {
    let ended = check(&folder("endless_input")?, &["-"], "/dev/zero");
    is_refusal(&ended, &["<stdin>", "source limit of 16 MiB"])
}

fn taken() -> Result<(), Failed> {
    let folder = folder("taken")?;
    let zeros = format!("data=zeros:{}", if runs(Tier::Ci) { 1 << 28 } else { 1 << 24 });
    for flags in [
        &["--seed", "18446744073709551615"][..],
        &["--schedule", "18446744073709551615", "--schedules", "2"],
        &["--max-steps", "18446744073709551615"],
        &["--timeout", "1e18"],
        &["--buffer", &zeros, "--workgroups", "1"],
    ] {
        let ended = check(&folder, &[&["{}"], flags].concat(), "/dev/null");
        ensure(ended.status == Some(1) && !ended.timed_out, &ended)?;
    }
    Ok(())
}

/// Sixteen subgroups race in every iteration of an endless loop.
fn racing_loop() -> Result<(), Failed> {
    let folder = folder("racing_loop")?;
    let text = "\
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(512)
        fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            var i = 0u;
            while (true) { data[i % 64u] += id.x; i++; }
        }";
    std::fs::write(folder.join("shader.wgsl"), text)?;
    let ended = check(&folder, &["{}", "--format", "json"], "/dev/null");
    ensure(ended.status == Some(1) && !ended.timed_out, &ended)?;
    let report: serde_json::Value = serde_json::from_str(&ended.stdout)?;
    let findings = report["launches"][0]["findings"].as_array().ok_or("no findings")?;
    let found = |rule: &str| findings.iter().any(|finding| finding["rule"] == rule);
    ensure(found("HR001") && found("HR004"), &ended)
}

/// A race after a loop that terminates is found in addition to the race in the loop.
fn after_a_loop() -> Result<(), Failed> {
    let folder = folder("after_a_loop")?;
    let text = "\
        var<workgroup> tile: array<u32, 64>;
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) lane: u32) {
            for (var i = 0u; i < 60000u; i++) { tile[(lane + i) % 64u] += 1u; }
            for (var i = 0u; i < 60000u; i++) { tile[(lane + i) % 64u] += 1u; }
            data[lane] = tile[lane];
        }";
    std::fs::write(folder.join("shader.wgsl"), text)?;
    let ended = check(&folder, &["{}", "--workgroups", "1", "--format", "json"], "/dev/null");
    let report: serde_json::Value = serde_json::from_str(&ended.stdout)?;
    let accesses = report["launches"][0]["findings"].as_array().into_iter().flatten();
    let accesses =
        accesses.flat_map(|finding| finding["accesses"].as_array().into_iter().flatten());
    let lines: Vec<u64> = accesses.filter_map(|access| access["line"].as_u64()).collect();
    ensure([5, 6, 7].iter().all(|line| lines.contains(line)), &ended)
}

/// A launch that terminates, but takes more steps than inferred launches are allowed.
fn long_launch() -> Result<(), Failed> {
    let folder = folder("long_launch")?;
    let text = "\
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(1024)
        fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            var sum = 0u;
            for (var i = 0u; i < 300000u; i++) { sum += i * i; }
            data[id.x] = sum;
            // An index from memory, which is not proved to be in bounds.
            data[data[id.x] % 1024u] += 1u;
        }";
    std::fs::write(folder.join("shader.wgsl"), text)?;
    let ended = check(&folder, &["{}"], "/dev/null");
    ensure(ended.status == Some(4) && !ended.timed_out, &ended)?;
    ensure(ended.stdout.contains("--max-steps") && ended.stdout.contains("inconclusive"), &ended)
}

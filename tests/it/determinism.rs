//! Tests that a run is reproducible: with `--no-timing`, each verb writes the same bytes again, whatever the number of threads.

use crate::support::{ProgramOutput, create_empty_folder, hirace, run, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// A time limit well above what anything in this module takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(240);

/// A kernel with races, and with a branch that mutants of its tests reach.
const KERNEL: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> sum: atomic<u32>;
var<workgroup> tile: array<u32, 8>;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    tile[lane] = data[id.x];
    workgroupBarrier();
    var part = tile[(lane + 1u) % 8u];
    if (part > 5u) { part = 5u; }
    data[id.x] = part;
    atomicAdd(&sum, part);
}
@compute @workgroup_size(4)
fn racy(@builtin(local_invocation_index) lane: u32) {
    data[lane / 2u] = lane;
    tile[lane / 2u] = data[0];
}
";

/// The tests of the kernel.
const SUITE: &str = "\
[[file]]
path = \"kernel.wgsl\"
[[file.test]]
name = \"parts are limited\"
launch = { entry = \"main\", workgroups = 1, buffers = { data = \"iota:8\", sum = \"zeros\" } }
expect = { data = [1, 2, 3, 4, 5, 5, 5, 0] }
";

/// A kernel with several findings under each memory model, of which several threads find different ones first.
const LOCK: &str = "\
@group(0) @binding(0) var<storage, read_write> state: array<atomic<u32>, 2>;
@group(0) @binding(1) var<storage, read_write> value: array<u32, 4>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let before = atomicAdd(&state[0], 1u);
    if (before == 1u) { value[0] = id.x; } else { value[before] = id.x; }
    let other = atomicLoad(&state[1]);
    if (other == 0u) { value[1] += 1u; }
    atomicStore(&state[1], id.x);
    value[2] = before + other;
}
";

/// A litmus test with several executions that satisfy its condition.
const LITMUS: &str = "\
VULKAN SB
{ x=0; y=0; }
 P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 | P2@sg 0, wg 2, qf 0 ;
 st.atom.dv.sc0 x, 1 | st.atom.dv.sc0 y, 1 | st.atom.dv.sc0 y, 2 ;
 ld.atom.dv.sc0 r0, y | ld.atom.dv.sc0 r1, x | ld.atom.dv.sc0 r2, x ;
exists (P0:r0 == 0 /\\ P1:r1 == 0)
";

/// The device of litmus tests, whose outcomes depend only on the seed.
const SIMULATED: &str = "--device=simulated:relaxed,quiet=0.3,busy=0.3,longest=20";

/// A verb: its name, its arguments, and the reports that it writes.
type Case = (&'static str, &'static [&'static str], &'static [&'static str]);

const CASES: &[Case] = &[
    ("check", &["check", "kernel.wgsl"], &["text", "json", "sarif", "github", "html"]),
    ("check_schedules", &["check", "kernel.wgsl", "--schedules", "8"], &["text", "json"]),
    ("cover", &["cover"], &["text", "annotated", "json", "lcov", "cobertura", "html"]),
    ("mutate", &["mutate"], &["text", "json", "stryker", "html", "sarif", "junit", "github"]),
    ("amplify", &["amplify", "--schedules", "20"], &["text", "json"]),
    ("audit", &["audit"], &["text", "json", "html", "badge"]),
    ("verify", &["verify", "lock.wgsl", "--workgroups", "3"], &["text", "json", "dot"]),
    (
        "verify_all",
        &["verify", "lock.wgsl", "--workgroups", "3", "--no-fail-fast"],
        &["text", "json"],
    ),
    ("verify_repair", &["verify", "lock.wgsl", "--workgroups", "2", "--repair"], &["json"]),
    (
        "verify_limited",
        &["verify", "lock.wgsl", "--max-executions", "5", "--no-fail-fast"],
        &["json"],
    ),
    ("verify_litmus", &["verify", "sb.litmus", "--model", "scoped-rc11"], &["text", "json"]),
    (
        "litmus_run",
        &[
            "litmus",
            "run",
            "rr",
            "mp-two-locations",
            SIMULATED,
            "--iterations=3",
            "--set=workgroupSize=8",
        ],
        &["text", "json", "csv", "published"],
    ),
    (
        "litmus_tune",
        &[
            "litmus",
            "tune",
            "mp-no-fence",
            "rr-reversed",
            SIMULATED,
            "--environments=3",
            "--max-workgroups=8",
            "--max-workgroup-size=16",
        ],
        &["text", "json", "csv", "published"],
    ),
    ("expand", &["expand", "kernel.wgsl"], &[]),
];

/// Returns a trial for each verb.
pub fn trials() -> Vec<Trial> {
    let trial = |case: &'static Case| {
        Trial::ci(format!("determinism::{}", case.0), move || is_reproducible(case))
    };
    let mut trials: Vec<Trial> = CASES.iter().map(trial).collect();
    trials.push(Trial::test("determinism::the_creation_time_can_be_given", creation_time));
    trials
}

fn folder(name: &str) -> std::io::Result<std::path::PathBuf> {
    let folder = create_empty_folder(scratch("determinism").join(name))?;
    fs::write(folder.join("kernel.wgsl"), KERNEL)?;
    fs::write(folder.join("hirace.toml"), SUITE)?;
    fs::write(folder.join("lock.wgsl"), LOCK)?;
    fs::write(folder.join("sb.litmus"), LITMUS)?;
    Ok(folder)
}

/// Runs a verb with this number of threads. Returns its output, its reports and its exit status.
fn written(
    case: &Case,
    threads: &str,
) -> Result<(ProgramOutput, BTreeMap<String, Vec<u8>>), Failed> {
    let &(name, arguments, kinds) = case;
    // The folder is made again, so that no results of the other run are reused.
    let folder = folder(name)?;
    let reports: Vec<String> =
        kinds.iter().map(|kind| format!("--report={kind}={kind}.report")).collect();
    let mut command = hirace(arguments);
    command.args(&reports).arg("--no-timing").current_dir(&folder);
    command.env("RAYON_NUM_THREADS", threads).env_remove("SOURCE_DATE_EPOCH");
    let ended = run(&mut command, LIMIT);
    let read = |kind: &&str| Some((kind.to_string(), fs::read(report(&folder, kind)).ok()?));
    let reports: BTreeMap<String, Vec<u8>> = kinds.iter().filter_map(read).collect();
    match matches!(ended.status, Some(0 | 1 | 3 | 4)) && reports.len() == kinds.len() {
        true => Ok((ended, reports)),
        false => Err(format!("{ended:#?}").into()),
    }
}

fn report(folder: &Path, kind: &str) -> std::path::PathBuf {
    folder.join(format!("{kind}.report"))
}

fn is_reproducible(case: &Case) -> Result<(), Failed> {
    let (first, reports) = written(case, "1")?;
    for threads in ["1", "2", "7", "7"] {
        let (ended, others) = written(case, threads)?;
        if (&ended.stdout, ended.status) != (&first.stdout, first.status) {
            let both = format!("{}\n{}", first.stdout, ended.stdout);
            return Err(format!("{threads} threads: standard output differs:\n{both}").into());
        }
        for (kind, other) in others {
            if reports[&kind] != other {
                let [one, other] =
                    [&reports[&kind], &other].map(|text| String::from_utf8_lossy(text));
                return Err(format!("{threads} threads: {kind} differs:\n{one}\n{other}").into());
            }
        }
    }
    Ok(())
}

fn creation_time() -> Result<(), Failed> {
    let folder = folder("created")?;
    let arguments = ["cover", "--format", "cobertura"];
    let created = |time: Option<&str>, more: &[&str]| {
        let mut command = hirace(&[&arguments, more].concat());
        match time {
            Some(time) => command.env("SOURCE_DATE_EPOCH", time),
            None => command.env_remove("SOURCE_DATE_EPOCH"),
        };
        let ended = run(command.current_dir(&folder), LIMIT);
        let time =
            ended.stdout.split_once("timestamp=\"").and_then(|(_, rest)| rest.split_once('"'));
        time.map(|(time, _)| time.to_owned()).ok_or(format!("{ended:#?}"))
    };
    assert_eq!(created(Some("1700000000"), &[])?, "1700000000000");
    assert_eq!(created(Some("1700000000"), &["--no-timing"])?, "1700000000000");
    assert_eq!(created(None, &["--no-timing"])?, "0");
    assert!(created(None, &[])?.parse::<u64>()? > 1_700_000_000_000);
    Ok(())
}

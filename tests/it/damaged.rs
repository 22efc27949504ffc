//! Tests of inputs with random damage, of every kind. Whatever a file or a command line contains, its reader makes a value or a
//! diagnostic of it whose spans lie within the text, and `hirace` terminates, without a panic.
//!
//! Damage that no input survives would test only error messages, and damage that all inputs survive would test none of them, so
//! a minimum share must be accepted and a minimum share rejected. An input has a number, and is the same in every run. Readers run
//! in worker processes, for many inputs each. One input in forty is also given to the command.
//!
//! A default run tests a sample of each kind. `cargo test … --test it -- --ignored damaged::all_` tests all 1,000,000 inputs, as
//! many of each kind, with one trial for 20,000 of a kind. `damaged::for_a_time` tests new inputs of all kinds for a given
//! time.
//!
//! No input may take more than a gigabyte of memory, or more than ten seconds of processor time of a reader.

mod configured_time;
mod damage;
mod kinds;
mod originals;
mod processes;
mod readers;
mod reports;
pub mod worker;

use crate::random::Random;
use crate::support::scratch;
use hirace_testing::harness::Trial;
use hirace_testing::{options, sample_size};
use kinds::{KINDS, Kind, Usage};
use libtest_mimic::Failed;
use originals::SHADER;
use processes::TimeLimit;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use worker::ReaderResult;

/// The number of inputs per kind in the quick tier, and in the full one.
const SAMPLE: [u64; 2] = [60, 6_000];
/// The number of inputs per kind, if all are tested.
const ALL: u64 = 1_000_000_u64.div_ceil(KINDS.len() as u64);
/// The number of inputs per trial, if all are tested.
const TRIAL: u64 = 20_000;
/// The number of inputs per worker process.
const BATCH: u64 = 500;
/// The sampling interval of inputs that are also given to the command.
const CHECKED: u64 = 40;
/// The number of failures after which no more inputs of a kind are tested.
const MAX_FAILURES: usize = 20;
/// The variable with the seconds of `damaged::for_a_time`; an hour if it is not set.
const SECONDS: &str = "HIRACE_DAMAGED_SECONDS";

/// Returns a trial for a sample of each kind, and those for all inputs.
pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for kind in KINDS {
        let name = format!("damaged::{}_never_panics_or_hangs", kind.name);
        trials.push(Trial::test(name, move || {
            try_inputs(kind, 0, sample_size(SAMPLE[0], SAMPLE[1]))
        }));
        for from in (0..ALL).step_by(TRIAL as usize) {
            let name = format!("damaged::all_{}_{from}", kind.name);
            let to = ALL.min(from + TRIAL);
            trials.push(Trial::test(name, move || try_inputs(kind, from, to)).only_by_name());
        }
    }
    trials.push(Trial::test("damaged::for_a_time", timed).only_by_name());
    trials.push(Trial::test(
        "damaged::time_is_given_by_launches",
        configured_time::required_time_grows_with_launches,
    ));
    trials
}

/// Returns the input of a kind with this number.
fn input(kind: &Kind, originals: &[Vec<u8>], seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut input = random.pick(originals).clone();
    for _ in 0..1 + random.below(4) {
        (kind.damage)(&mut input, originals, &mut random);
    }
    input
}

/// The outcomes of inputs.
#[derive(Debug, Default)]
struct Outcomes {
    /// The number of inputs that their reader accepted.
    accepted: u64,
    /// The number of inputs that their reader rejected.
    refused: u64,
    failures: Vec<String>,
}

fn try_inputs(kind: &Kind, from: u64, to: u64) -> Result<(), Failed> {
    let Outcomes { accepted, refused, failures } = try_some(kind, from, to)?;
    let least = (to - from) / 40;
    match failures.is_empty() {
        true if accepted >= least && refused >= least => Ok(()),
        true => Err(format!("{accepted} inputs are accepted and {refused} refused").into()),
        false => Err(failures.join("\n\n").into()),
    }
}

fn try_some(kind: &Kind, from: u64, to: u64) -> Result<Outcomes, Failed> {
    let originals = (kind.originals)()?;
    let folder = scratch(&format!("damaged/{}_{from}", kind.name));
    prepare(&folder)?;
    let mut outcomes = Outcomes::default();
    let mut first = from;
    while first < to && outcomes.failures.len() < MAX_FAILURES {
        let end = to.min(first + BATCH);
        let (results, failure) = worker::run_worker(kind, &folder, first, end);
        for result in results {
            outcomes.accepted += u64::from(result.is_accepted);
            outcomes.refused += u64::from(!result.is_accepted);
            if result.seed % CHECKED == 0
                && let Err(failed) = try_command(kind, &originals, &folder, result)
            {
                outcomes.failures.push(failed.message().unwrap_or_default().to_owned());
            }
        }
        first = end;
        if let Some((seed, wrong)) = failure {
            let path = input_path(&folder, kind, seed);
            keep(&path, kind, &originals, seed);
            let again = worker::command(kind, seed)?;
            let shown = folder.display();
            outcomes
                .failures
                .push(format!("{} {wrong}\nagain, in {shown}: {again}", path.display()));
            first = seed + 1;
        }
    }
    if outcomes.failures.is_empty() {
        std::fs::remove_dir_all(&folder)?;
    }
    Ok(outcomes)
}

/// Gives an input to the command. The command must accept what its readers accept, if it has no other reasons to reject an input.
fn try_command(
    kind: &Kind,
    originals: &[Vec<u8>],
    folder: &Path,
    ReaderResult { seed, is_accepted }: ReaderResult,
) -> Result<(), Failed> {
    let runs = checked(kind, originals, folder, seed)?;
    if kind.usage == Usage::Source && seed % (2 * CHECKED) == 0 {
        other_verb(kind, originals, folder, seed)?;
    }
    let has_one_reason = kind.usage == Usage::Source || kind.reader.is_none();
    if is_accepted && !runs && has_one_reason {
        let path = input_path(folder, kind, seed);
        keep(&path, kind, originals, seed);
        return Err(format!("{} is valid, and bad input to the command", path.display()).into());
    }
    Ok(())
}

/// Verbs that also take sources, with limits on what they run.
const VERBS: [&[&str]; 6] = [
    &["verify", "{}", "--max-executions", "100"],
    &["cover", "{}"],
    &["mutate", "{}", "--list"],
    &["amplify", "{}", "--schedules", "2"],
    &["expand", "{}"],
    &["contract", "{}"],
];

/// Runs another verb on the source with this number.
fn other_verb(kind: &Kind, originals: &[Vec<u8>], folder: &Path, seed: u64) -> Result<(), Failed> {
    let file = input_path(folder, kind, seed);
    keep(&file, kind, originals, seed);
    let verb = VERBS[(seed / (2 * CHECKED)) as usize % VERBS.len()];
    let path = file.to_string_lossy();
    let mut arguments: Vec<&str> =
        verb.iter().map(|one| if *one == "{}" { &*path } else { one }).collect();
    if has_limits(verb[0]) {
        arguments.extend(["--max-steps", "1000000", "--timeout", "5"]);
    }
    let done = processes::command(folder, &arguments, TimeLimit::Extended(Duration::ZERO));
    done.map_err(|wrong| format!("hirace {}: {wrong}", arguments.join(" ")))?;
    Ok(std::fs::remove_file(&file)?)
}

/// Returns whether a verb takes limits on the launches that it runs.
fn has_limits(verb: &str) -> bool {
    !matches!(verb, "contract" | "expand" | "litmus" | "merge")
}

/// Runs inputs with new numbers, as many of each kind, until the time is over. Lists all failures. Prints the number of inputs per
/// kind.
fn timed() -> Result<(), Failed> {
    let seconds = std::env::var(SECONDS).ok().and_then(|seconds| seconds.parse().ok());
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(3_600));
    let mut counts = vec![(0, Duration::ZERO); KINDS.len()];
    let mut failures = Vec::new();
    // Numbers of the fixed samples are smaller.
    let first = (1 << 32) + (u64::from(options().seed as u32) << 24);
    for from in (first..).step_by(BATCH as usize) {
        for (kind, (count, time)) in KINDS.iter().zip(&mut counts) {
            let start = Instant::now();
            if start >= end {
                break;
            }
            let outcomes = try_some(kind, from, from + BATCH)?;
            *count += outcomes.accepted + outcomes.refused;
            *time += start.elapsed();
            for failure in outcomes.failures {
                println!("{}: {failure}", kind.name);
                failures.push(failure);
            }
        }
        let shown: Vec<String> = KINDS
            .iter()
            .zip(&counts)
            .map(|(kind, (count, time))| format!("{} {count} ({} s)", kind.name, time.as_secs()))
            .collect();
        println!("inputs: {}", shown.join(", "));
        if Instant::now() >= end {
            break;
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n\n").into()) }
}

/// Returns whether `hirace` accepts the input with this number.
fn checked(kind: &Kind, originals: &[Vec<u8>], folder: &Path, seed: u64) -> Result<bool, Failed> {
    let file = input_path(folder, kind, seed);
    let input = keep(&file, kind, originals, seed);
    if kind.usage == Usage::Arguments {
        // Damaged arguments may overwrite the files that they name.
        prepare(folder)?;
    }
    let arguments = kind.arguments(&file, &input);
    let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    // Damaged loops often do not terminate, so low limits are given unless the arguments have their own.
    let own = |flag: &str| {
        let given = |argument: &&str| argument.split('=').next() == Some(flag);
        kind.usage == Usage::Arguments && arguments.iter().any(given)
    };
    let limits: Vec<&str> = [["--max-steps", "1000000"], ["--timeout", "5"]]
        .iter()
        .filter(|limit| !own(limit[0]) && has_limits(arguments[0]))
        .flatten()
        .copied()
        .collect();
    let is_large =
        |argument: &&str| argument.split(|c: char| !c.is_ascii_digit()).any(|n| n.len() > 7);
    let asked = own("--timeout") || own("--max-steps") || own("--schedules");
    let time = match asked || kind.usage == Usage::Arguments && arguments.iter().any(is_large) {
        true => TimeLimit::Unlimited,
        false if kind.name == "configuration" => {
            TimeLimit::Extended(configured_time::required_time(&file, &folder.join("inputs.wgsl")))
        }
        false => TimeLimit::Extended(Duration::ZERO),
    };
    arguments.extend(limits);
    let runs = processes::command(folder, &arguments, time).map_err(|wrong| {
        let shown: Vec<String> = arguments.iter().map(|argument| format!("{argument:?}")).collect();
        format!("in {}: hirace {}: {wrong}", folder.display(), shown.join(" "))
    })?;
    std::fs::remove_file(&file)?;
    Ok(runs)
}

/// Writes what inputs are for or name: the shader, and files next to it.
fn prepare(folder: &Path) -> Result<(), Failed> {
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("inputs.wgsl"), SHADER)?;
    std::fs::write(folder.join("config.toml"), "[check]\nseed = 3\n")?;
    for (name, originals) in [("array.npy", originals::arrays()?), ("raw.bin", originals::raw()?)] {
        std::fs::write(folder.join(name), originals.first().ok_or("there is no original input")?)?;
    }
    Ok(())
}

/// Returns the path of an input.
fn input_path(folder: &Path, kind: &Kind, seed: u64) -> PathBuf {
    folder.join(format!("{seed}.{}", kind.ending))
}

/// Writes an input to its file, and returns it.
fn keep(path: &Path, kind: &Kind, originals: &[Vec<u8>], seed: u64) -> Vec<u8> {
    let input = input(kind, originals, seed);
    // If writing fails, the program that reads the file reports that.
    let _ = std::fs::write(path, &input);
    input
}

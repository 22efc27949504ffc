//! Tests of inputs with random damage, of every kind. Whatever a file or a command line contains, front ends make programs or
//! diagnostics of it whose spans lie within the text, and `hirace check` terminates, without a panic and within 8 GiB.
//!
//! Damage that no input survives would test only error messages, and damage that all inputs survive would test none of them, so
//! a minimum share must be accepted and a minimum share rejected. An input has a number, and is the same in every run. A few are
//! tested in a default run; all 100,000 by `cargo test … --test it -- --ignored damaged::all_`, with one trial for some
//! thousands of a kind. `damaged::for_a_time` tests new inputs of all kinds for a given time.
//!
//! No input may take more than a gigabyte of memory, or more than some seconds of processor time.

mod configured_time;
mod damage;
mod kinds;
mod reports;
mod stages;
pub mod worker;

use crate::random::Random;
use crate::support::scratch;
use hirace_testing::harness::Trial;
use hirace_testing::options;
use kinds::{KINDS, Kind, SHADER, Stage};
use libtest_mimic::Failed;
use stages::TimeLimit;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The sampling interval of inputs of a front end that are also checked by the binary.
const CHECKED: u64 = 10;
/// The variable with the seconds of `damaged::for_a_time`; an hour if it is not set.
const SECONDS: &str = "HIRACE_DAMAGED_SECONDS";
/// The number of inputs per worker process.
const BATCH: u64 = 500;
/// The number of inputs per trial, if all are tested.
const TRIAL: u64 = 2_000;

/// Returns a trial for a sample of each kind, and those for all inputs.
pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for kind in KINDS {
        let name = format!("damaged::{}_never_panics_or_hangs", kind.name);
        trials.push(Trial::test(name, move || try_inputs(kind, 0, kind.sample)));
        for from in (0..kind.of_all).step_by(TRIAL as usize) {
            let name = format!("damaged::all_{}_{from}", kind.name);
            let to = kind.of_all.min(from + TRIAL);
            trials.push(Trial::test(name, move || try_inputs(kind, from, to)).only_by_name());
        }
    }
    trials.push(Trial::test("damaged::all_are_100_000", enough));
    trials.push(Trial::test("damaged::for_a_time", timed).only_by_name());
    trials.push(Trial::test(
        "damaged::time_is_given_by_launches",
        configured_time::required_time_grows_with_launches,
    ));
    trials
}

fn enough() -> Result<(), Failed> {
    let all: u64 = KINDS.iter().map(|kind| kind.of_all).sum();
    let built = cfg!(all(feature = "glsl", feature = "spirv"));
    if all == 100_000 || !built { Ok(()) } else { Err(format!("{all} inputs").into()) }
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

/// The number of inputs by outcome.
#[derive(Debug, Default)]
struct OutcomeCounts {
    /// The inputs that front ends accepted, or that ran.
    taken: u64,
    refused: u64,
}

fn try_inputs(kind: &Kind, from: u64, to: u64) -> Result<(), Failed> {
    let through = try_some(kind, from, to)?;
    let least = (to - from) / 40;
    match through.taken >= least && through.refused >= least {
        true => Ok(()),
        false => Err(format!("only {through:?} of {}", to - from).into()),
    }
}

fn try_some(kind: &Kind, from: u64, to: u64) -> Result<OutcomeCounts, Failed> {
    let originals = (kind.originals)()?;
    let folder = scratch(&format!("damaged/{}_{from}", kind.name));
    prepared(&folder)?;
    let mut through = OutcomeCounts::default();
    let mut first = from;
    while first < to {
        let end = to.min(first + BATCH);
        match kind.stage {
            Stage::FrontEnd => {
                let made = worker::run_worker(kind, first, end).map_err(|(seed, wrong)| {
                    let file = kept(&folder, kind, &originals, seed);
                    let again = worker::command(kind, seed).unwrap_or_default();
                    format!("{} {wrong}\nagain: {again}", file.display())
                })?;
                if made.len() as u64 != end - first {
                    return Err(
                        format!("{} of {} inputs were processed", made.len(), end - first).into()
                    );
                }
                for made in made {
                    through.count(made.is_program);
                    if made.seed % CHECKED == 0 {
                        let runs = checked(kind, &originals, &folder, made.seed)?;
                        if made.seed % (CHECKED * VERBS.len() as u64) == 0 {
                            other_verb(kind, &originals, &folder, made.seed)?;
                        }
                        if made.is_program && !runs {
                            let file = kept(&folder, kind, &originals, made.seed);
                            let wrong = "is a program, and bad input to `check`";
                            return Err(format!("{} {wrong}", file.display()).into());
                        }
                    }
                }
            }
            _ => {
                for seed in first..end {
                    through.count(checked(kind, &originals, &folder, seed)?);
                }
            }
        }
        first = end;
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(through)
}

impl OutcomeCounts {
    fn count(&mut self, taken: bool) {
        self.taken += u64::from(taken);
        self.refused += u64::from(!taken);
    }
}

/// Verbs that also take what front ends accept, with limits on what they run.
const VERBS: [&[&str]; 5] = [
    &["verify", "{}", "--max-executions", "100"],
    &["cover", "{}"],
    &["mutate", "{}", "--list"],
    &["amplify", "{}", "--schedules", "2"],
    &["expand", "{}"],
];

/// Runs another verb on the input of a front end with this number.
fn other_verb(kind: &Kind, originals: &[Vec<u8>], folder: &Path, seed: u64) -> Result<(), Failed> {
    let file = kept(folder, kind, originals, seed);
    let verb = VERBS[(seed / (CHECKED * VERBS.len() as u64)) as usize % VERBS.len()];
    let path = file.to_string_lossy();
    let mut arguments: Vec<&str> =
        verb.iter().map(|one| if *one == "{}" { &*path } else { one }).collect();
    if has_limits(verb[0]) {
        arguments.extend(["--max-steps", "1000000", "--timeout", "5"]);
    }
    let done = stages::command(folder, &arguments, TimeLimit::Extended(Duration::ZERO));
    done.map_err(|wrong| format!("hirace {}: {wrong}", arguments.join(" ")))?;
    Ok(std::fs::remove_file(&file)?)
}

/// Returns whether a verb runs launches and takes limits on them.
fn has_limits(verb: &str) -> bool {
    !matches!(verb, "expand" | "litmus" | "merge")
}

/// Runs inputs with new numbers, evenly over all kinds, until the time is over. Lists all failures, and the number of inputs per kind.
fn timed() -> Result<(), Failed> {
    let seconds = std::env::var(SECONDS).ok().and_then(|seconds| seconds.parse().ok());
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(3_600));
    let mut done = vec![0; KINDS.len()];
    let mut failures = Vec::new();
    // Numbers of the fixed samples are smaller.
    let first = (1 << 32) + (u64::from(options().seed as u32) << 24);
    while Instant::now() < end {
        for (kind, done) in KINDS.iter().zip(&mut done) {
            let many = if kind.stage == Stage::FrontEnd { 50 } else { 5 };
            let from = first + *done;
            if let Err(failed) = try_some(kind, from, from + many) {
                failures.push(format!("{}: {}", kind.name, failed.message().unwrap_or_default()));
            }
            *done += many;
        }
    }
    let counts: Vec<String> =
        KINDS.iter().zip(done).map(|(kind, done)| format!("{} {done}", kind.name)).collect();
    println!("inputs: {}", counts.join(", "));
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n\n").into()) }
}

/// Returns whether `hirace check` runs launches of the input with this number.
fn checked(kind: &Kind, originals: &[Vec<u8>], folder: &Path, seed: u64) -> Result<bool, Failed> {
    let file = kept(folder, kind, originals, seed);
    let path = file.to_string_lossy();
    let texts = |text: String| -> Vec<String> {
        // Removes NUL, which no system accepts in arguments.
        let Stage::Text(all) = kind.stage else { return Vec::new() };
        all.iter().map(|one| one.replace("{}", &text.replace('\0', ""))).collect()
    };
    let arguments: Vec<String> = match kind.stage {
        Stage::FrontEnd => ["check", &path, "--workgroups", "2"].map(str::to_owned).to_vec(),
        Stage::Command(all) => all.iter().map(|one| one.replace("{}", &path)).collect(),
        Stage::Text(_) => {
            texts(String::from_utf8_lossy(&input(kind, originals, seed)).into_owned())
        }
        Stage::Arguments => {
            // Damaged arguments may overwrite the files that they name.
            prepared(folder)?;
            let text = String::from_utf8_lossy(&input(kind, originals, seed)).into_owned();
            // Removes NUL, which no system accepts in arguments, and paths to folders of others.
            let text = text.replace('\0', "").replace('/', "_").replace("..", "._");
            ["check"].into_iter().chain(text.lines()).map(str::to_owned).collect()
        }
    };
    let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    // Damaged loops often do not terminate, so low limits are given unless the arguments have their own.
    let own = |flag: &str| {
        let given = |argument: &&str| argument.split('=').next() == Some(flag);
        kind.stage == Stage::Arguments && arguments.iter().any(given)
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
    let time = match asked || kind.stage == Stage::Arguments && arguments.iter().any(is_large) {
        true => TimeLimit::Unlimited,
        false if kind.name == "configuration" => {
            TimeLimit::Extended(configured_time::required_time(&file, &folder.join("inputs.wgsl")))
        }
        false => TimeLimit::Extended(Duration::ZERO),
    };
    arguments.extend(limits);
    let runs = stages::command(folder, &arguments, time).map_err(|wrong| {
        let shown: Vec<String> = arguments.iter().map(|argument| format!("{argument:?}")).collect();
        format!("in {}: hirace {}: {wrong}", folder.display(), shown.join(" "))
    })?;
    std::fs::remove_file(&file)?;
    Ok(runs)
}

/// Writes what inputs are for or name: the shader, and files next to it.
fn prepared(folder: &Path) -> Result<(), Failed> {
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("inputs.wgsl"), SHADER)?;
    std::fs::write(folder.join("config.toml"), "[check]\nseed = 3\n")?;
    for (name, kind) in [("array.npy", "npy"), ("raw.bin", "raw")] {
        let of = KINDS.iter().find(|of| of.name == kind).ok_or("unknown kind of input")?;
        let originals = (of.originals)()?;
        std::fs::write(folder.join(name), originals.first().ok_or("there is no original input")?)?;
    }
    Ok(())
}

/// Writes an input to its file, and returns the path.
fn kept(folder: &Path, kind: &Kind, originals: &[Vec<u8>], seed: u64) -> PathBuf {
    let file = folder.join(format!("{seed}.{}", kind.ending));
    // If writing fails, the program that reads the file reports that.
    let _ = std::fs::write(&file, input(kind, originals, seed));
    file
}

//! Tests of inputs with random damage, of every kind. Whatever a file or a command line contains, front ends make programs or
//! diagnostics of it whose spans lie within the text, and `hirace check` terminates, without a panic and within 8 GiB.
//!
//! Damage that no input survives would test only error messages, and damage that all inputs survive would test none of them, so
//! a minimum share must be accepted and a minimum share rejected. An input has a number, and is the same in every run. A few are
//! tested in a default run; all 100,000 by `cargo test … --test it -- --ignored damaged::all_`, with one trial for some
//! thousands of a kind.

mod configured_time;
mod damage;
mod kinds;
mod stages;
pub mod worker;

use crate::random::Random;
use crate::support::scratch;
use hirace_testing::harness::Trial;
use kinds::{KINDS, Kind, SHADER, Stage};
use libtest_mimic::Failed;
use stages::TimeLimit;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The sampling interval of inputs of a front end that are also checked by the binary.
const CHECKED: u64 = 10;
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
    let least = (to - from) / 40;
    match through.taken >= least && through.refused >= least {
        true => Ok(()),
        false => Err(format!("only {through:?} of {}", to - from).into()),
    }
}

impl OutcomeCounts {
    fn count(&mut self, taken: bool) {
        self.taken += u64::from(taken);
        self.refused += u64::from(!taken);
    }
}

/// Returns whether `hirace check` runs launches of the input with this number.
fn checked(kind: &Kind, originals: &[Vec<u8>], folder: &Path, seed: u64) -> Result<bool, Failed> {
    let file = kept(folder, kind, originals, seed);
    let path = file.to_string_lossy();
    let arguments: Vec<String> = match kind.stage {
        Stage::FrontEnd => vec![path.to_string(), "--workgroups".into(), "2".into()],
        Stage::Argument(all) => all.iter().map(|one| one.replace("{}", &path)).collect(),
        Stage::Arguments => {
            // Damaged arguments may overwrite the files that they name.
            prepared(folder)?;
            let text = String::from_utf8_lossy(&input(kind, originals, seed)).into_owned();
            // Removes NUL, which no system accepts in arguments, and paths to folders of others.
            let text = text.replace('\0', "").replace('/', "_").replace("..", "._");
            text.lines().map(str::to_owned).collect()
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
        .filter(|limit| !own(limit[0]))
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
    let runs = stages::check(folder, &arguments, time).map_err(|wrong| {
        let shown: Vec<String> = arguments.iter().map(|argument| format!("{argument:?}")).collect();
        format!("in {}: hirace check {}: {wrong}", folder.display(), shown.join(" "))
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

//! Runs front ends in a separate process: a stack overflow, an allocation failure or an endless loop ends that process and not
//! the test, and the input that caused it is known.

use super::stages;
use super::{KINDS, Kind, input};
use crate::support::{bounded_command, peak_memory};
use libtest_mimic::Failed;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{ExitCode, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The variable with the job of a worker: `wgsl 0 400`, the inputs of a kind with these numbers.
pub const JOB: &str = "HIRACE_DAMAGED_JOB";
/// The processor time for one input. A front end that needs more counts as hanging.
const LIMIT: Duration = Duration::from_secs(20);
/// The elapsed time after which an input counts as hanging, whatever the load of the machine.
const WALL_LIMIT: Duration = Duration::from_secs(300);

/// The result of a front end for an input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FrontEndResult {
    pub seed: u64,
    pub is_program: bool,
}

/// Does the work, if this process is a worker.
pub fn run_if_worker() -> Option<ExitCode> {
    let job = std::env::var(JOB).ok()?;
    let done = work(&job);
    if let Err(wrong) = &done {
        let _ = writeln!(std::io::stdout(), "failed {}", wrong.replace('\n', " "));
    }
    Some(if done.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn work(job: &str) -> Result<(), String> {
    let words: Vec<&str> = job.split(' ').collect();
    let [name, from, to] = words[..] else { return Err(format!("`{job}` is not a job")) };
    let kind = KINDS.iter().find(|kind| kind.name == name).ok_or("unknown kind of input")?;
    let number = |text: &str| text.parse::<u64>().map_err(|error| error.to_string());
    let originals = (kind.originals)().map_err(|_| "there is no original input".to_owned())?;
    let mut out = std::io::stdout();
    let mut say = |line: String| writeln!(out, "{line}").and_then(|()| out.flush());
    for seed in number(from)?..number(to)? {
        let bytes = input(kind, &originals, seed);
        say(format!("start {seed}")).map_err(|error| error.to_string())?;
        let file = format!("{seed}.{}", kind.ending);
        let made = match stages::front_end(Path::new(&file), &bytes) {
            Ok(true) => format!("program {seed}"),
            Ok(false) => format!("refused {seed}"),
            Err(wrong) => return Err(format!("{seed}: {wrong}")),
        };
        let peak = peak_memory(std::process::id());
        if peak > stages::MEMORY {
            return Err(format!("{seed}: takes {} MiB of memory", peak >> 20));
        }
        say(made).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Runs a worker on the inputs `from` to `to` of a kind. `Err` holds the number of the input that failed, and the failure.
pub fn run_worker(kind: &Kind, from: u64, to: u64) -> Result<Vec<FrontEndResult>, (u64, String)> {
    let failed = |seed, error: String| (seed, error);
    let own = std::env::current_exe().map_err(|error| failed(from, error.to_string()))?;
    let mut command = bounded_command(&own, &[] as &[&str]);
    command.env(JOB, format!("{} {from} {to}", kind.name));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| failed(from, error.to_string()))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (sender, lines) = channel();
    let reader = std::thread::spawn(move || {
        for line in stdout.into_iter().flat_map(|out| BufReader::new(out).lines()).flatten() {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    let complaints = std::thread::spawn(move || {
        let lines = stderr.into_iter().flat_map(|err| BufReader::new(err).lines()).flatten();
        lines.last().unwrap_or_default()
    });
    let (mut all, mut seed, mut wrong) = (Vec::new(), from, None);
    let (mut began, mut used) = (Instant::now(), cpu(child.id()));
    loop {
        match lines.recv_timeout(Duration::from_millis(500)) {
            Ok(line) => {
                (began, used) = (Instant::now(), cpu(child.id()));
                match line.split_once(' ') {
                    Some(("start", number)) => seed = number.parse().unwrap_or(seed),
                    Some(("failed", why)) => wrong = Some(why.to_owned()),
                    Some((what, _)) => {
                        all.push(FrontEndResult { seed, is_program: what == "program" })
                    }
                    None => {}
                }
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                let own = cpu(child.id()).zip(used).map(|(now, then)| now.saturating_sub(then));
                if own.is_some_and(|own| own > LIMIT) || began.elapsed() > WALL_LIMIT {
                    wrong =
                        Some(format!("hangs: more than {} s of processor time", LIMIT.as_secs()));
                    let _ = child.kill();
                    break;
                }
            }
        }
    }
    let ended = child.wait().map_err(|error| failed(seed, error.to_string()))?;
    // A killed process need not have closed its output.
    drop(lines);
    let _ = reader.join();
    let said = complaints.join().unwrap_or_default();
    match wrong {
        None if ended.success() => Ok(all),
        None => Err(failed(seed, format!("ends the process: {ended}: {said}"))),
        Some(wrong) => Err(failed(seed, wrong)),
    }
}

/// Returns the processor time of a process, where it is known.
fn cpu(process: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse::<u64>().ok();
    // Linux reports hundredths of a second to user space.
    Some(Duration::from_millis(10 * (ticks(11)? + ticks(12)?)))
}

/// Returns the command that repeats what a worker did with one input.
pub fn command(kind: &Kind, seed: u64) -> Result<String, Failed> {
    let own = std::env::current_exe()?;
    Ok(format!("{JOB}=\"{} {seed} {}\" {}", kind.name, seed + 1, own.display()))
}

//! Runs readers in a separate process: a stack overflow, an allocation failure or an endless loop ends that process and not
//! the test, and the input that caused it is known.
//!
//! The worker writes its messages to standard error, each with the prefix [`MARK`]. Readers may print other lines there.

use super::{KINDS, Kind, input_path, keep, processes, readers};
use crate::support::{bounded_command, peak_memory};
use libtest_mimic::Failed;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{ExitCode, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The environment variable that holds the job of a worker: `wgsl 0 400` means the inputs 0 to 399 of the kind `wgsl`.
pub const JOB: &str = "HIRACE_DAMAGED_JOB";
/// The prefix of messages of a worker.
const MARK: &str = "damaged input: ";
/// The maximum processor time for one input. A reader that needs more counts as hanging.
const LIMIT: Duration = Duration::from_secs(10);
/// The elapsed time after which an input counts as hanging, whatever the load of the machine.
const WALL_LIMIT: Duration = Duration::from_secs(300);

/// The result of a reader for an input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ReaderResult {
    pub seed: u64,
    pub is_accepted: bool,
}

/// Returns whether this process is a worker.
pub fn is_worker() -> bool {
    std::env::var_os(JOB).is_some()
}

/// Runs the job of this process and returns its exit code, or returns `None` if this process is not a worker.
pub fn run_if_worker() -> Option<ExitCode> {
    let job = std::env::var(JOB).ok()?;
    let done = work(&job);
    if let Err(error) = &done {
        eprintln!("{MARK}failed {}", error.replace('\n', " "));
    }
    Some(if done.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn work(job: &str) -> Result<(), String> {
    let words: Vec<&str> = job.split(' ').collect();
    let [name, from, to] = words[..] else { return Err(format!("`{job}` is not a job")) };
    let kind = KINDS.iter().find(|kind| kind.name == name).ok_or("unknown kind of input")?;
    let number = |text: &str| text.parse::<u64>().map_err(|error| error.to_string());
    let originals = (kind.originals)().map_err(|_| "there is no original input".to_owned())?;
    for seed in number(from)?..number(to)? {
        eprintln!("{MARK}start {seed}");
        let path = input_path(Path::new(""), kind, seed);
        let input = keep(&path, kind, &originals, seed);
        let is_accepted = match kind.reader {
            Some(read) => read(&path, &input)?,
            None => readers::command(&kind.arguments(&path, &input)),
        };
        let peak = peak_memory(std::process::id());
        if peak > processes::MEMORY {
            return Err(format!("takes {} MiB of memory", peak >> 20));
        }
        let _ = std::fs::remove_file(&path);
        eprintln!("{MARK}{} {seed}", if is_accepted { "accepted" } else { "refused" });
    }
    Ok(())
}

/// Runs a worker in a folder on the inputs `from` to `to` of a kind. Returns the results up to the first input that failed, with
/// the number of that input and its failure.
pub fn run_worker(
    kind: &Kind,
    folder: &Path,
    from: u64,
    to: u64,
) -> (Vec<ReaderResult>, Option<(u64, String)>) {
    let (mut all, mut seed) = (Vec::new(), from);
    let failure = match results(kind, folder, [from, to], &mut all, &mut seed) {
        Ok(()) if all.len() as u64 == to - from => None,
        Ok(()) => Some(format!("{} of {} inputs were processed", all.len(), to - from)),
        Err(failure) => Some(failure),
    };
    (all, failure.map(|failure| (seed, failure)))
}

/// Adds the results of a worker. `seed` is the number of the current input.
fn results(
    kind: &Kind,
    folder: &Path,
    [from, to]: [u64; 2],
    all: &mut Vec<ReaderResult>,
    seed: &mut u64,
) -> Result<(), String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = bounded_command(&own, &[] as &[&str]);
    command.env(JOB, format!("{} {from} {to}", kind.name)).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let stderr = child.stderr.take();
    let (sender, lines) = channel();
    let reader = std::thread::spawn(move || {
        let lines = stderr.into_iter().flat_map(|err| BufReader::new(err).split(b'\n')).flatten();
        for line in lines {
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                break;
            }
        }
    });
    let (mut error, mut last) = (None, String::new());
    let (mut began, mut used) = (Instant::now(), cpu(child.id()));
    loop {
        match lines.recv_timeout(Duration::from_millis(500)) {
            Ok(line) => match line.strip_prefix(MARK).and_then(|line| line.split_once(' ')) {
                Some(("start", number)) => {
                    *seed = number.parse().unwrap_or(*seed);
                    (began, used) = (Instant::now(), cpu(child.id()));
                }
                Some(("failed", failure)) => error = Some(failure.to_owned()),
                Some((result, _)) => {
                    all.push(ReaderResult { seed: *seed, is_accepted: result == "accepted" });
                }
                // A panic of another thread does not end the process.
                None if line.contains("panicked at") => {
                    error = Some(line);
                    let _ = child.kill();
                    break;
                }
                None => last = line,
            },
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                let own = cpu(child.id()).zip(used).map(|(now, then)| now.saturating_sub(then));
                if own.is_some_and(|own| own > LIMIT) || began.elapsed() > WALL_LIMIT {
                    error = Some(format!(
                        "hangs: more than {} s of processor time or {} s of elapsed time",
                        LIMIT.as_secs(),
                        WALL_LIMIT.as_secs()
                    ));
                    let _ = child.kill();
                    break;
                }
            }
        }
    }
    let ended = child.wait().map_err(|error| error.to_string())?;
    // A killed process need not have closed its output.
    drop(lines);
    let _ = reader.join();
    match error {
        None if ended.success() => Ok(()),
        None => Err(format!("ends the process: {ended}: {last}")),
        Some(error) => Err(error),
    }
}

/// Returns the processor time of a process, if it is known.
fn cpu(process: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse::<u64>().ok();
    // Linux reports hundredths of a second to user space.
    Some(Duration::from_millis(10 * (ticks(11)? + ticks(12)?)))
}

/// Returns the command that repeats what a worker did with one input, in the folder of the worker.
pub fn command(kind: &Kind, seed: u64) -> Result<String, Failed> {
    let own = std::env::current_exe()?;
    Ok(format!("{JOB}=\"{} {seed} {}\" {}", kind.name, seed + 1, own.display()))
}

//! Runs test binaries side by side, the longest first.

use crate::binaries::{Job, command};
use hirace_testing::{Options, VARIABLE};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The number of test binaries that run at a time. Each runs as many tests at a time as the machine has processors. The second one
/// uses the processors that the first leaves idle when few of its tests remain.
const LANES: usize = 2;

/// The result of a job.
pub struct JobResult {
    pub name: String,
    pub package: String,
    pub passed: bool,
    /// The names of the tests that failed.
    pub failures: Vec<String>,
    pub seconds: f64,
}

/// Runs all jobs. The output of a job is printed when it ends: all of it if a test failed, else its last line.
///
/// # Errors
/// A job cannot be started.
pub fn all(
    mut jobs: Vec<Job>,
    arguments: &[String],
    options: &Options,
    target: &Path,
) -> Result<Vec<JobResult>, String> {
    let path = target.join("test-seconds.json");
    let mut known: BTreeMap<String, f64> = std::fs::read_to_string(&path)
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    // Without a record, the larger binary is assumed to run longer.
    let size = |job: &Job| std::fs::metadata(&job.program).map_or(0, |metadata| metadata.len());
    let seconds = |job: &Job| known.get(&key(&job.name, &job.package)).copied();
    jobs.sort_by_key(|job| {
        let seconds = seconds(job).map(|seconds| (seconds * 100.0) as u64);
        // The next job to run is taken from the end.
        (seconds.unwrap_or(u64::MAX), size(job))
    });
    let library_path = library_path(target)?;
    let queue = Mutex::new(jobs);
    let results = Mutex::new(Vec::new());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop();
    std::thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| {
                while let Some(job) = next() {
                    let result = run(&job, arguments, options, &library_path);
                    results.lock().unwrap_or_else(PoisonError::into_inner).push(result);
                }
            });
        }
    });
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    let results: Vec<JobResult> = results.into_iter().collect::<Result<_, _>>()?;
    // A run of some tests does not show how long all of them take.
    if arguments.is_empty() {
        known.extend(results.iter().map(|of| (key(&of.name, &of.package), of.seconds)));
        let text = serde_json::to_string_pretty(&known).map_err(|error| error.to_string())?;
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(results)
}

fn key(name: &str, package: &str) -> String {
    format!("{package} {name}")
}

fn run(
    job: &Job,
    arguments: &[String],
    options: &Options,
    library_path: &(&'static str, OsString),
) -> Result<JobResult, String> {
    let Job { name, package, program, folder, .. } = job;
    let start = Instant::now();
    let mut command = command(program);
    command.args(&job.arguments).args(arguments).envs(job.variables.iter().cloned());
    command.current_dir(folder);
    command.env(VARIABLE, options.to_string()).env(library_path.0, &library_path.1);
    if options.bless {
        command.env("INSTA_UPDATE", "always");
    }
    let output = command.output().map_err(|error| format!("{}: {error}", program.display()))?;
    let seconds = start.elapsed().as_secs_f64();
    let text = String::from_utf8_lossy(&output.stdout);
    let passed = output.status.success();
    let mut shown = format!("{package} {name}: {seconds:.1} s\n");
    if passed {
        // Doctests have one summary per package.
        let summaries = text.lines().filter(|line| {
            line.starts_with("test result: ")
                && !line.starts_with("test result: ok. 0 passed; 0 failed; 0 ignored")
        });
        summaries.for_each(|line| shown.extend([line, "\n"]));
    } else {
        shown.extend([&text, &*String::from_utf8_lossy(&output.stderr)]);
    }
    print!("{shown}");
    let (name, package) = (name.clone(), package.clone());
    Ok(JobResult { name, package, passed, failures: failures(&text), seconds })
}

/// Reads the names of the tests that failed: the list at the end of the output.
fn failures(output: &str) -> Vec<String> {
    let Some((_, list)) = output.rsplit_once("\nfailures:\n") else { return Vec::new() };
    let names = list.lines().skip_while(|line| line.trim().is_empty());
    names.map_while(|line| line.strip_prefix("    ")).map(|name| name.trim().to_owned()).collect()
}

/// Returns the variable by which programs find shared libraries, and its value: tests of procedural macros need the compiler's own.
fn library_path(target: &Path) -> Result<(&'static str, OsString), String> {
    let name = match std::env::consts::OS {
        "windows" => "PATH",
        "macos" => "DYLD_FALLBACK_LIBRARY_PATH",
        _ => "LD_LIBRARY_PATH",
    };
    let output = Command::new("rustc").args(["--print", "target-libdir"]).output();
    let output = output.map_err(|error| format!("rustc: {error}"))?;
    let libraries = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let before = std::env::var_os(name).unwrap_or_default();
    let mut paths = vec![target.to_path_buf(), target.join("deps"), libraries];
    paths.extend(std::env::split_paths(&before));
    let joined = std::env::join_paths(paths).map_err(|error| error.to_string())?;
    Ok((name, joined))
}

#[cfg(test)]
mod tests {
    use super::failures;

    #[test]
    fn failures_are_read_from_both_harnesses() {
        let libtest = "test a ... FAILED\n\nfailures:\n\n---- a stdout ----\nfailures:\n\n\nfailures:\n    a\n    b::c\n\ntest result: FAILED. 1 passed";
        assert_eq!(failures(libtest), ["a", "b::c"]);
        let mimic = "test x    ... FAILED\n\nfailures:\n\n---- x ----\nno\n\n\nfailures:\n    x with blanks\n\n\ntest result: FAILED.";
        assert_eq!(failures(mimic), ["x with blanks"]);
        assert!(failures("test result: ok. 1 passed").is_empty());
    }
}

//! Tests of input that is designed to exhaust the stack, memory or time: the result is a diagnostic that names the limit at its
//! line, or a check that terminates. Each case exhausted one of the three before it had a limit.
//!
//! The binary gets 8 GiB of address space. The time limit is generous: the tests only check that the binary terminates.

#[cfg(feature = "glsl")]
mod glsl;
mod rust;
#[cfg(feature = "spirv")]
mod spirv;
mod wgsl;

use crate::support::{bounded_command, run, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use std::path::Path;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(240);

/// The expected outcome of an input.
#[derive(Clone, Copy)]
enum Expected {
    /// A diagnostic that contains this text, with a source location.
    Rejected(&'static str),
    /// A check that terminates, with any findings.
    Checked,
}

use Expected::{Checked, Rejected};

/// A case: its name, the name of the file, the function that makes the input, and the expected outcome.
type Case = (&'static str, &'static str, fn() -> Vec<u8>, Expected);

/// Returns a trial for each case.
pub fn trials() -> Vec<Trial> {
    let cases = wgsl::CASES.iter().chain(rust::CASES);
    #[cfg(feature = "glsl")]
    let cases = cases.chain(glsl::CASES);
    #[cfg(feature = "spirv")]
    let cases = cases.chain(spirv::CASES);
    let trial = |case: &'static Case| {
        Trial::test(format!("hostile::{}_{}", case.1, case.0), move || check_case(case))
    };
    cases.map(trial).collect()
}

fn check_case((name, ending, made, what): &Case) -> Result<(), Failed> {
    let file = scratch("hostile").join(format!("{name}.{ending}"));
    std::fs::write(&file, made())?;
    let path = file.to_string_lossy();
    let arguments = ["check", &path, "--workgroups", "2", "--max-steps", "1000000"];
    let ended =
        run(&mut bounded_command(Path::new(env!("CARGO_BIN_EXE_hirace")), &arguments), LIMIT);
    let shown: String = ended.stderr.chars().take(2_000).collect();
    if ended.timed_out || ended.stderr.contains("panicked at") {
        return Err(format!("{path} (timed out: {}):\n{shown}", ended.timed_out).into());
    }
    let is_well = match what {
        Checked => matches!(ended.status, Some(0 | 1 | 4)),
        Rejected(limit) => {
            let file = format!("{name}.{ending}");
            ended.status == Some(2)
                && ended.stderr.contains(limit)
                && !ended.stderr.contains("internal")
                && ended.stderr.contains(&file)
        }
    };
    if is_well { Ok(()) } else { Err(format!("{path}: {:?}\n{shown}", ended.status).into()) }
}

/// Nests a text in `open` and `close` a number of times.
fn around(before: &str, open: &str, inner: &str, close: &str, times: usize, after: &str) -> String {
    [before, &open.repeat(times), inner, &close.repeat(times), after].concat()
}

fn listed(times: usize, one: impl Fn(usize) -> String) -> String {
    (0..times).map(one).collect()
}

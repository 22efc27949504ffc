//! Tests from hirace.toml: launches with expected outputs.

use hirace_core::check::memory::FinalMemory;
use hirace_core::check::{CheckOutcome, Session};
use hirace_core::config::TestSpec;
use hirace_core::cover::coverage;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::facts::{Kind, LaunchFacts};
use hirace_core::launch::spec::LaunchSpec;

/// The outcome of a test.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The test and its launches.
    pub test: coverage::Test,
    /// The reason why it failed, if it did.
    pub failed: Option<Diagnostic>,
}

/// Runs a test: `launch` runs its launch in a session. The test fails if the launch or a comparison is not possible. If
/// `held`, it also fails if another schedule changes an output marked as golden.
pub fn run(
    test: &TestSpec,
    held: bool,
    session: &mut Session<'_>,
    launch: &mut dyn FnMut(LaunchSpec, &mut Session<'_>) -> Result<CheckOutcome>,
) -> Outcome {
    let mut ran = coverage::Test { name: test.name.clone(), launches: 0, kernels: Vec::new() };
    let failed = match find_failure(test, held, session, launch, &mut ran) {
        Ok(failed) => failed,
        Err(error) => Some(*error),
    };
    let named = |error: Diagnostic| Diagnostic {
        message: format!("test `{}`: {}", test.name, error.message),
        ..error
    };
    Outcome { test: ran, failed: failed.map(named) }
}

/// Returns why a test failed, if it did.
fn find_failure(
    test: &TestSpec,
    held: bool,
    session: &mut Session<'_>,
    launch: &mut dyn FnMut(LaunchSpec, &mut Session<'_>) -> Result<CheckOutcome>,
    ran: &mut coverage::Test,
) -> Result<Option<Diagnostic>> {
    let checked = launch(test.launch.clone(), session)?;
    let entries = checked.launches.iter().flat_map(|launch| &launch.entries);
    ran.kernels = entries.cloned().collect();
    ran.kernels.sort_unstable();
    ran.kernels.dedup();
    ran.launches = checked.launches.len() as u64;
    if let Some(failure) = checked.failures.into_iter().next() {
        return Ok(Some(failure));
    }
    if session.is_stopped() {
        return Ok(None);
    }
    if checked.launches.len() > 1 {
        let error = "the test launches several entry points separately".to_owned();
        let help = format!(
            "name one with `entry = \"{}\"`, or list `dispatches` in order",
            ran.kernels[0]
        );
        return Ok(Some(Diagnostic::new(error).help(help)));
    }
    let is_cut = checked.launches.iter().any(|launch| launch.stats.cut_short);
    if is_cut || checked.launches.iter().any(makes_no_progress) {
        return Ok(Some(Diagnostic::new("the launch does not terminate")));
    }
    let failed = compared(test, &checked.memories)?;
    if failed.is_some() || test.golden.is_empty() || !held {
        return Ok(failed);
    }
    let schedule = test.launch.schedule.wrapping_add(1);
    let spec = LaunchSpec { schedule, ..test.launch.clone() };
    let other = session.without_follower(|session| launch(spec, session))?;
    unsteady(test, &checked.memories, &other.memories)
}

fn makes_no_progress(launch: &LaunchFacts) -> bool {
    launch.findings.iter().any(|finding| finding.kind() == Kind::NoProgress)
}

/// Returns the memory with a buffer, after the launch that used it.
fn holding<'m>(memories: &'m [FinalMemory], name: &str) -> Option<&'m FinalMemory> {
    memories.iter().find(|memory| memory.holds(name)).or(memories.first())
}

/// Returns an error for the first unexpected output.
fn compared(test: &TestSpec, memories: &[FinalMemory]) -> Result<Option<Diagnostic>> {
    for expected in &test.expect {
        let name = expected.target();
        let Some(memory) = holding(memories, &name) else { continue };
        if let Some(found) = memory.find_difference(expected, test.tolerance)? {
            return Ok(Some(Diagnostic::new(format!(
                "number {} of `{name}` is {} after the launch, but {} is expected",
                found.index, found.actual, found.expected
            ))));
        }
    }
    Ok(None)
}

/// Returns an error for the first output that another schedule changes, which therefore cannot be golden.
fn unsteady(
    test: &TestSpec,
    memories: &[FinalMemory],
    others: &[FinalMemory],
) -> Result<Option<Diagnostic>> {
    for name in &test.golden {
        let (Some(one), Some(other)) = (holding(memories, name), holding(others, name)) else {
            continue;
        };
        if one.bytes(name)? != other.bytes(name)? {
            let error = format!("`{name}` cannot be golden: its contents depend on the schedule");
            let help =
                "expect values with a tolerance, or find out why: hirace check --schedules 20";
            return Ok(Some(Diagnostic::new(error).help(help)));
        }
    }
    Ok(None)
}

//! Tests that hirace.toml names: launches, and what they are to leave.

use hirace_core::check::memory::FinalMemory;
use hirace_core::check::{Checked, Session};
use hirace_core::config::TestSpec;
use hirace_core::cover::coverage;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::launch::spec::LaunchSpec;

/// A schedule under which what a test leaves has to be the same, if that is all that is known of it.
const OTHER_SCHEDULE: u64 = 1;

/// How a test went.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The test, and what it launched.
    pub test: coverage::Test,
    /// Why it failed, if it did.
    pub failed: Option<Diagnostic>,
}

/// Runs a test: `launch` runs its launch in a session.
///
/// # Errors
/// It cannot be launched.
pub fn run(
    test: &TestSpec,
    session: &mut Session<'_>,
    launch: &mut dyn FnMut(LaunchSpec, &mut Session<'_>) -> Result<Checked>,
) -> Result<Outcome> {
    let checked = launch(test.launch.clone(), session)?;
    let entries = checked.launches.iter().flat_map(|launch| &launch.entries);
    let mut kernels: Vec<String> = entries.cloned().collect();
    kernels.sort_unstable();
    kernels.dedup();
    let launches = checked.launches.len() as u64;
    let ran = coverage::Test { name: test.name.clone(), launches, kernels };
    let mut failed = checked.failures.into_iter().next();
    if failed.is_none() && !session.stopped() {
        failed = compared(test, &checked.memories)?;
    }
    if failed.is_none() && !test.golden.is_empty() && !session.stopped() {
        let spec = LaunchSpec { schedule: OTHER_SCHEDULE, ..test.launch.clone() };
        let other = session.unfollowed(|session| launch(spec, session))?;
        failed = unsteady(test, &checked.memories, &other.memories)?;
    }
    let named = |error: Diagnostic| Diagnostic {
        message: format!("test `{}`: {}", test.name, error.message),
        ..error
    };
    Ok(Outcome { test: ran, failed: failed.map(named) })
}

/// The memory that has a buffer, after the launch that used it.
fn holding<'m>(memories: &'m [FinalMemory], name: &str) -> Option<&'m FinalMemory> {
    memories.iter().find(|memory| memory.holds(name)).or(memories.first())
}

/// What is not as it is expected to be.
fn compared(test: &TestSpec, memories: &[FinalMemory]) -> Result<Option<Diagnostic>> {
    for expected in &test.expect {
        let name = expected.target();
        let Some(memory) = holding(memories, &name) else { continue };
        if let Some(found) = memory.differs(expected, test.tolerance)? {
            return Ok(Some(Diagnostic::new(format!(
                "number {} of `{name}` is {} after the launch, and {} is expected",
                found.index, found.is, found.expected
            ))));
        }
    }
    Ok(None)
}

/// What is not the same under another schedule, and so says nothing of later changes.
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
            let error = format!("what `{name}` holds hangs on the schedule, and cannot be golden");
            let help =
                "expect values with a tolerance, or find out why: hirace check --schedules 20";
            return Ok(Some(Diagnostic::new(error).help(help)));
        }
    }
    Ok(None)
}

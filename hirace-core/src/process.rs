//! Runs checks in a test or an application that `hirace cover`, `mutate` or `amplify` may have started, to record its
//! launches or to change them.

use crate::amplify::record::ProcessTask;
use crate::check::{CheckOutcome, Follower, Options, Session};
use crate::cover::collect::Collector;
use crate::cover::record::Record;
use crate::diagnostic::{Diagnostic, Result};
use crate::exec::Executor;
use crate::process_mutation::ProcessMutation;
use crate::report::finding_summary::finding_summaries;
use std::io;

/// Runs `check` in a session on `executor`. If a command of hirace runs this process, it supplies the values that
/// launches do not set, follows the launches, and has their outcomes recorded.
///
/// # Errors
/// The errors of `check`, the request to this process is refused, or a record is not writable.
pub fn run_check(
    executor: &dyn Executor,
    mut options: Options,
    check: impl FnOnce(&Options, Session<'_>) -> Result<CheckOutcome>,
) -> Result<CheckOutcome> {
    let mutated = ProcessMutation::of_process()?;
    if let Some(mutated) = mutated {
        options.launches.iter_mut().for_each(|spec| mutated.apply_defaults(spec));
    }
    let record = Record::of_process()?;
    let mut collector = Collector::new(record.is_some_and(Record::hits), None).locating();
    let amplified = ProcessTask::get()?;
    let mut following = amplified.map(ProcessTask::follower);
    let follower: Option<&mut dyn Follower> = match &mut following {
        Some(following) => Some(following),
        None => record.map(|_| &mut collector as _),
    };
    let mut session = Session::new(executor).with_follower(follower);
    if mutated.is_some_and(ProcessMutation::is_unexplained) {
        session = session.without_explanation();
    }
    let checked = check(&options, session);
    if let Some(record) = record {
        require_recorded(record.add(collector))?;
    }
    if let (Some(amplified), Some(following)) = (amplified, following) {
        require_recorded(amplified.add(following))?;
    }
    if let (Some(mutated), Err(error)) = (mutated, &checked) {
        require_recorded(mutated.record_refused(error))?;
    }
    let checked = checked?;
    if let Some(record) = record {
        require_recorded(record.add_findings(&finding_summaries(&checked.launches)))?;
    }
    if let Some(mutated) = mutated {
        require_recorded(mutated.record_check(&checked))?;
    }
    Ok(checked)
}

/// Converts the result of writing a record. A test whose record is lost must not look like one that launches nothing.
///
/// # Errors
/// The record is not writable.
pub fn require_recorded(written: io::Result<()>) -> Result<()> {
    written.map_err(|error| {
        let error = format!("cannot record the launches of this test: {error}");
        Box::new(Diagnostic::new(error).of_device())
    })
}

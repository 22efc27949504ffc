//! Checks one source: every launch that was given, or guessed launches of each entry point.

use super::candidates::RetainedMemory;
use super::memory::FinalMemory;
use super::subject::Subject;
use super::{CheckOutcome, Options, Session, candidates, overrides};
use crate::deadline::{WaitOutcome, timeout_error};
use crate::diagnostic::{Diagnostic, Result};
use crate::event::{Event, Fact};
use crate::facts::{Assumption, LaunchFacts};
use crate::finding::suppress::Suppressions;
use crate::front::{ParsedModule, wgsl};
use crate::launch::build;
use crate::launch::candidates::find_entry;
use crate::launch::spec::LaunchSpec;
use crate::limits::Limits;
use crate::program::Program;
use crate::webgpu::{self, Requirement};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Checks the WGSL source `text`, named `name`, on the embedded executor.
pub fn check_wgsl(name: &str, text: &str, options: &Options) -> Result<Vec<LaunchFacts>> {
    let parsed = wgsl::parse(name, text)?;
    let mut session = Session::new(&crate::exec::embedded::Embedded);
    let checked = check_launches(&parsed, options, &mut session)?;
    match checked.failures.into_iter().next() {
        None => Ok(checked.launches),
        Some(failure) => Err(Box::new(failure)),
    }
}

/// Checks every launch of `parsed`: those given, or a guessed one of each entry point. If the session is stopped, the
/// facts cover what was done until then.
pub fn check_launches(
    parsed: &ParsedModule,
    options: &Options,
    session: &mut Session<'_>,
) -> Result<CheckOutcome> {
    let mut checked = CheckOutcome::default();
    checked.warnings = program(parsed, options, session, &mut checked, &|_| {})?;
    Ok(checked)
}

/// Checks every launch of `parsed` and adds the results to `checked`. `complete` adds facts to each launch that the
/// program itself does not know. Returns the warnings about the source.
pub(super) fn program(
    parsed: &ParsedModule,
    options: &Options,
    session: &mut Session<'_>,
    checked: &mut CheckOutcome,
    complete: &dyn Fn(&mut LaunchFacts),
) -> Result<Vec<Diagnostic>> {
    let guessed = [LaunchSpec::default()];
    let mut allows = Suppressions::of_module(parsed);
    let specs = if options.launches.is_empty() { &guessed[..] } else { &options.launches[..] };
    for spec in specs {
        let choices = overrides::choices(parsed, &spec.overrides);
        let copy = parsed.clone();
        let (program, assumptions) =
            match session.deadline(spec.timeout).wait(move || prepare_program(&copy, choices)) {
                WaitOutcome::Done(prepared) => {
                    prepared.map(|(program, guessed)| (Arc::new(program), guessed))?
                }
                WaitOutcome::Stopped => break,
                WaitOutcome::TimedOut(timeout) => {
                    let error = timeout_error("the preparation of a program", timeout);
                    checked.fail(error.help("raise --timeout"));
                    break;
                }
            };
        let of = GivenLaunch { program: &program, assumptions: &assumptions, spec };
        of.run(options, &mut allows, session, checked, complete)?;
    }
    // A comment that suppresses nothing may concern an entry point that was not checked.
    let is_all = options.kernels.is_empty()
        && specs.iter().all(|spec| spec.dispatches.is_empty())
        && checked.failures.is_empty()
        && !session.is_stopped()
        // Or a schedule of another shard.
        && session.shard.is_none();
    let mut warnings = parsed.warnings.clone();
    if is_all {
        warnings.extend(allows.warnings());
    }
    Ok(warnings)
}

/// Checks the given launches of a program whose overrides already have their values.
pub fn check_program(
    program: &Arc<Program>,
    options: &Options,
    session: &mut Session<'_>,
) -> Result<CheckOutcome> {
    let mut checked = CheckOutcome::default();
    let mut allows = Suppressions::read(&program.source);
    for spec in &options.launches {
        let of = GivenLaunch { program, assumptions: &[], spec };
        of.run(options, &mut allows, session, &mut checked, &|_| {})?;
    }
    Ok(checked)
}

/// Returns the program of `parsed` with these values of its overrides; `None` if another value would have to be
/// guessed.
pub fn given_program(
    parsed: &ParsedModule,
    overrides: &[(String, f64)],
) -> Option<Result<Program>> {
    let mut choices = overrides::choices(parsed, overrides);
    let (values, assumptions) = choices.pop()?;
    let is_given = choices.is_empty() && assumptions.is_empty();
    is_given.then(|| Program::new(parsed, &values))
}

/// Returns the program of `parsed` with these values of its overrides, and the values that were guessed for the others.
///
/// # Errors
/// No guess makes a valid program.
pub fn infer_program(
    parsed: &ParsedModule,
    given: &[(String, f64)],
) -> Result<(Program, Vec<(String, f64)>)> {
    let (program, assumptions) = prepare_program(parsed, overrides::choices(parsed, given))?;
    let value = |assumption| match assumption {
        Assumption::Override { name, value } => Some((name, value)),
        _ => None,
    };
    Ok((program, assumptions.into_iter().filter_map(value).collect()))
}

/// A program and the given part of a launch of it.
struct GivenLaunch<'a> {
    program: &'a Arc<Program>,
    assumptions: &'a [Assumption],
    spec: &'a LaunchSpec,
}

impl GivenLaunch<'_> {
    /// Checks the launch for each entry point that it applies to, and adds the results to `checked`.
    fn run(
        &self,
        options: &Options,
        allows: &mut Suppressions,
        session: &mut Session<'_>,
        checked: &mut CheckOutcome,
        complete: &dyn Fn(&mut LaunchFacts),
    ) -> Result<()> {
        let Self { program, assumptions, spec } = *self;
        build::check_names(program, spec)?;
        for entry in entries(program, options, spec)? {
            if session.is_stopped() {
                break;
            }
            let beyond = beyond(program, spec, entry)?;
            if options.limits == Some(Limits::WebGpu) && !beyond.is_empty() {
                let excess = beyond.iter().map(|demand| demand.beyond_webgpu(&program.source));
                excess.for_each(|excess| checked.fail(excess));
                continue;
            }
            let subject = Subject {
                program,
                spec,
                entry,
                watch: &options.watch,
                schedules: options.schedules,
                assumptions,
            };
            let tried = candidates::try_all(&subject, session)?;
            if let Some(failure) = tried.failure {
                checked.fail(*failure);
            }
            if let Some(mut launch) = tried.launch {
                launch.exceeded_limits = beyond;
                allows.apply(&mut launch);
                complete(&mut launch);
                session.allow_known(&mut launch);
                session.emit(&Event::Found(Fact::Launch(&launch)));
                checked.launches.push(launch);
                if session.keeps_memory {
                    let RetainedMemory { resources, kept, schedules, .. } = tried.memory;
                    let program = Arc::clone(program);
                    checked.memories.push(FinalMemory { program, resources, kept, schedules });
                }
            }
        }
        Ok(())
    }
}

/// Returns the program for the first choice of override values that naga accepts, with the values that were guessed.
fn prepare_program(
    parsed: &ParsedModule,
    choices: Vec<overrides::Values>,
) -> Result<(Program, Vec<Assumption>)> {
    let mut first = None;
    for (values, assumptions) in choices {
        match Program::new(parsed, &values) {
            Ok(program) => return Ok((program, assumptions)),
            Err(error) => {
                first.get_or_insert_with(|| {
                    Box::new(overrides::rejection_error(*error, &assumptions))
                });
            }
        }
    }
    Err(first
        .unwrap_or_else(|| Box::new(Diagnostic::new("no values for the overrides were found"))))
}

/// Returns what the entry points of a launch require that WebGPU does not guarantee.
fn beyond(program: &Program, spec: &LaunchSpec, entry: usize) -> Result<Vec<Requirement>> {
    let named = spec.dispatches.iter().map(|dispatch| find_entry(program, &dispatch.entry));
    let entries = named.chain([Ok(entry)]).collect::<Result<BTreeSet<_>>>()?;
    Ok(entries
        .into_iter()
        .flat_map(|entry| webgpu::exceeded_requirements(program, entry))
        .collect())
}

/// Returns the entry points to launch with `spec`, one launch each; for a launch that names its dispatches, the entry
/// point of the first.
fn entries(program: &Program, options: &Options, spec: &LaunchSpec) -> Result<Vec<usize>> {
    if let Some(first) = spec.dispatches.first() {
        return Ok(vec![find_entry(program, &first.entry)?]);
    }
    if options.kernels.is_empty() {
        return Ok(program.entries().map(|(index, _)| index).collect());
    }
    options.kernels.iter().map(|name| find_entry(program, name)).collect()
}

//! Checks one source: every launch that was given, or guessed launches of each entry point.

use super::candidates::RetainedMemory;
use super::memory::FinalMemory;
use super::subject::Subject;
use super::{CheckOutcome, Options, Session, candidates, notes, overrides};
use crate::contract::{self, EntryContract, EntryPoint};
use crate::deadline::{Deadline, WaitOutcome, timeout_error};
use crate::diagnostic::{Diagnostic, Result};
use crate::event::{Event, Fact};
use crate::exec::embedded::Embedded;
use crate::facts::contract::ContractOutcome;
use crate::facts::{Assumption, Certainty, LaunchFacts, launch_shard};
use crate::finding::suppress::Suppressions;
use crate::front::{ParsedModule, wgsl};
use crate::launch::build;
use crate::launch::candidates::find_entry;
use crate::launch::spec::LaunchSpec;
use crate::limits::Limits;
use crate::program::Program;
use crate::prove::GivenValues;
use crate::webgpu::{self, Requirement};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Checks the WGSL source `text`, named `name`, on the embedded executor. What is not given is guessed, and no contracts are
/// inferred.
pub fn check_wgsl(name: &str, text: &str, options: &Options) -> Result<Vec<LaunchFacts>> {
    let parsed = wgsl::parse(name, text)?;
    let mut session = Session::new(&Embedded);
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
    checked.warnings = program(parsed, options, session, &mut checked, &Completion::NONE)?;
    Ok(checked)
}

/// What a file knows about the launches of one of its programs, and the program itself does not.
pub(super) struct Completion<'a> {
    /// The values of const parameters that were guessed.
    pub inferred: &'a [Assumption],
    /// Adds facts to a launch.
    pub complete: &'a dyn Fn(&mut LaunchFacts),
}

impl Completion<'static> {
    /// Nothing more is known.
    const NONE: Self = Self { inferred: &[], complete: &|_| {} };
}

/// Checks every launch of `parsed` and adds the results to `checked`, each with what `completion` adds. Returns the warnings
/// about the source.
pub(super) fn program(
    parsed: &ParsedModule,
    options: &Options,
    session: &mut Session<'_>,
    checked: &mut CheckOutcome,
    completion: &Completion<'_>,
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
        let assumptions = [completion.inferred, &assumptions].concat();
        let of = GivenLaunch { program: &program, assumptions: &assumptions, spec };
        of.run(options, &mut allows, session, checked, completion)?;
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
    check_with(program, options, Suppressions::read(&program.source), session)
}

/// Checks the given launches of a program with these suppressions.
fn check_with(
    program: &Arc<Program>,
    options: &Options,
    mut allows: Suppressions,
    session: &mut Session<'_>,
) -> Result<CheckOutcome> {
    let mut checked = CheckOutcome::default();
    for spec in &options.launches {
        let of = GivenLaunch { program, assumptions: &[], spec };
        of.run(options, &mut allows, session, &mut checked, &Completion::NONE)?;
    }
    Ok(checked)
}

/// Infers the contract of an entry point of a program that has been given these values of overrides. Runs the launches that show
/// which conditions are needed, each for at most `timeout`. Returns `None` if it was stopped.
pub fn contract(
    program: &Arc<Program>,
    entry: usize,
    overrides: &[(String, f64)],
    timeout: Option<Duration>,
    stop: Option<&AtomicBool>,
) -> Option<EntryContract> {
    let kernels = vec![program.module.entry_points[entry].name.clone()];
    let mut run = |spec| {
        let spec = LaunchSpec { timeout, ..spec };
        let mut session = Session::new(&Embedded).without_memory().without_search().with_stop(stop);
        let options =
            Options { kernels: kernels.clone(), launches: vec![spec], ..Options::default() };
        // A launch that cannot run shows nothing. A suppressed finding does show the fault.
        let allows = Suppressions::none(&program.source);
        let launches = check_with(program, &options, allows, &mut session);
        let launches = launches.map(|checked| checked.launches);
        launches.into_iter().flatten().flat_map(|launch| launch.findings).collect()
    };
    let deadline = Deadline::new(stop, None);
    let of = EntryPoint { program, entry, overrides };
    let mut found = contract::infer(of, &|| deadline.is_stopped(), &mut run);
    if let (Some(finding), ContractOutcome::Open(open)) =
        (&found.finding, &mut found.contract.outcome)
    {
        let allows = Suppressions::read(&program.source);
        open.is_certain &= !allows.suppresses(finding, &program.source);
    }
    (!deadline.is_stopped()).then_some(found)
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
    Ok((program, assumptions.iter().filter_map(override_value).collect()))
}

/// Returns the name and value of an override that was guessed.
fn override_value(assumption: &Assumption) -> Option<(String, f64)> {
    match assumption {
        Assumption::Override { name, value } => Some((name.clone(), *value)),
        _ => None,
    }
}

/// A program and the given part of a launch of it.
struct GivenLaunch<'a> {
    program: &'a Arc<Program>,
    assumptions: &'a [Assumption],
    spec: &'a LaunchSpec,
}

impl GivenLaunch<'_> {
    /// Infers the contract of an entry point.
    fn contract(&self, entry: usize, stop: Option<&AtomicBool>) -> Option<EntryContract> {
        let Self { program, assumptions, spec } = *self;
        let inferred = assumptions.iter().filter_map(override_value);
        let overrides: Vec<_> = spec.overrides.iter().cloned().chain(inferred).collect();
        contract(program, entry, &overrides, spec.timeout, stop)
    }

    /// Checks the launch for each entry point that it applies to, and adds the results to `checked`.
    fn run(
        &self,
        options: &Options,
        allows: &mut Suppressions,
        session: &mut Session<'_>,
        checked: &mut CheckOutcome,
        completion: &Completion<'_>,
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
            // A contract is about all memory and all invocations.
            let is_open = !spec.has_launch_setting() && !options.watch.is_restricted();
            let contract = match is_open && session.infers_contracts() {
                true => self.contract(entry, session.stop),
                false => None,
            };
            let subject = Subject {
                program,
                spec,
                entry,
                watch: &options.watch,
                schedules: options.schedules,
                assumptions,
                contract: contract.as_ref(),
            };
            let tried = candidates::try_all(&subject, session)?;
            if let Some(failure) = tried.failure {
                checked.fail(*failure);
            }
            if let Some(mut launch) = tried.launch {
                launch.exceeded_limits = beyond;
                // Launches that only look for faults are not reported.
                if session.searches() {
                    launch.notes = notes::notes(program, spec, &launch);
                }
                // Another value of what was guessed for the program may avoid a finding.
                let is_inferred = launch.has_inferred_program();
                if let Some(contract) = contract {
                    add_contract(&mut launch, contract, is_inferred);
                }
                if !is_inferred && spec.memory.is_none() && spec.dispatches.is_empty() {
                    let given = given_values(program, spec);
                    let of = EntryPoint { program, entry, overrides: &[] };
                    let possible = launch.findings.iter_mut();
                    let possible = possible.filter(|it| it.certainty() == Certainty::Possible);
                    contract::settle(of, &given, possible, &|| session.is_stopped());
                }
                allows.apply(&mut launch);
                (completion.complete)(&mut launch);
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

/// Adds what is known about every launch of an entry point to the facts about its guessed launches. `is_inferred` states whether
/// something was guessed for the program.
fn add_contract(launch: &mut LaunchFacts, contract: EntryContract, is_inferred: bool) {
    if contract.is_proved() {
        // The conditions say how long buffers have to be.
        launch.warnings.retain(|warning| !warning.is_from_guess() || warning.is_of_loop());
    }
    let EntryContract { contract, finding, .. } = contract;
    launch.contract = Some(contract.outcome);
    let Some(finding) = finding.filter(|_| !is_inferred) else { return };
    match launch.findings.iter_mut().find(|known| known.is_same_as(&finding)) {
        Some(known) if known.rank() <= finding.rank() => {}
        Some(known) => *known = finding,
        None => launch.findings.push(finding),
    }
    launch.findings.sort_by_key(launch_shard::sort_key);
}

/// Returns what a launch gives.
fn given_values(program: &Program, spec: &LaunchSpec) -> GivenValues {
    let is_given = |name: &str| spec.bindings.iter().any(|binding| binding.name == name);
    let variables = program.module.global_variables.iter();
    let given = variables.filter(|(_, variable)| variable.name.as_deref().is_some_and(is_given));
    GivenValues {
        workgroups: spec.workgroups,
        variables: given.map(|(handle, _)| handle).collect(),
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

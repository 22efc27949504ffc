//! Contracts of kernels: the conditions on the host under which every launch is safe. The verb `contract` prints them, and the
//! verb `check` takes its verdict from them if nothing of a launch is given.
//!
//! `prove::contract` infers the conditions and proves that they suffice. For each condition it suggests a launch that breaks it,
//! which this module runs: a condition is shown to be needed if the launch has the fault.

mod host;
mod results;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod tests;
mod text;

use crate::facts::contract::{
    Condition, Contract, ContractOutcome, Difference, Inequality, Sum, Term, Violation,
};
use crate::facts::{Doubt, Finding, FindingKind, Flag, Kind, Place, Replay, Severity};
use crate::ir::sites::SiteId;
use crate::launch::Launch;
use crate::launch::fields::fields;
use crate::launch::spec::{Binding, LaunchSpec};
use crate::program::Program;
use crate::prove::{
    self, Cause, Fault, GivenValues, HostSum, HostTerm, HostValue, Requirement, SeenFault,
};
use crate::vm::run::Invocation;
use naga::{AddressSpace, GlobalVariable, Handle, TypeInner};
pub use results::{AssumedValue, EntryReport, Results, SCHEMA, Timing};
pub use text::report as text;

/// The largest length of an array in a launch that is run.
const MAX_LENGTH: i64 = 1 << 21;
/// The largest number of workgroups in a launch that is run.
const MAX_WORKGROUPS: u64 = 1 << 10;
/// The number of lanes of a subgroup in a launch that is run.
const SUBGROUP: u64 = 32;
/// The limit on steps of all subgroups in a launch that is run: about a second.
const MAX_STEPS: u64 = 1 << 22;

/// What is known about all launches of an entry point.
pub struct EntryContract {
    /// The facts.
    pub contract: Contract,
    /// A finding that no host avoids, if there is one.
    pub finding: Option<Finding>,
    requirements: Vec<Requirement>,
}

impl EntryContract {
    /// Returns whether every launch that meets all conditions was proved to be safe.
    pub fn is_proved(&self) -> bool {
        matches!(self.contract.outcome, ContractOutcome::Proved(_))
    }

    /// Returns whether a launch of `program` meets all conditions that were proved to suffice, if any. `false` may also mean that
    /// this is not known.
    pub fn is_met_by(&self, program: &Program, launch: &Launch) -> bool {
        let values = host::HostValues { program, launch };
        let is_met =
            |requirement: &Requirement| values.sum(&requirement.sum).is_some_and(|sum| sum >= 0);
        self.requirements.iter().all(is_met)
    }
}

/// An entry point of a program.
#[derive(Clone, Copy, Debug)]
pub struct EntryPoint<'a> {
    /// The program.
    pub program: &'a Program,
    /// The number of the entry point.
    pub entry: usize,
    /// The values of overrides that the program has been given. The commands that show faults give them too.
    pub overrides: &'a [(String, f64)],
}

/// Infers the contract of an entry point, and shows which conditions are needed by launches that break them. `run` returns the
/// findings of a launch of the entry point.
pub fn infer(
    of: EntryPoint<'_>,
    is_stopped: &dyn Fn() -> bool,
    run: &mut dyn FnMut(LaunchSpec) -> Vec<Finding>,
) -> EntryContract {
    let EntryPoint { program, entry, .. } = of;
    let inferred = prove::contract(program, entry, is_stopped);
    let mut launches = Launches { of, run };
    let (mut finding, mut requirements) = (None, Vec::new());
    let outcome = match inferred {
        prove::Contract::Proved(proved) => {
            requirements = proved;
            let conditions = requirements.iter().map(|requirement| {
                let (otherwise, _) =
                    launches.violation(requirement.excludes, &requirement.broken_by);
                Condition { inequality: inequality(program, &requirement.sum), otherwise }
            });
            ContractOutcome::Proved(conditions.collect())
        }
        prove::Contract::Open(open) => {
            let (mut violation, shown) = launches.violation(open.fault, &open.shown_by);
            violation.depends_on_contents = open.cause == Cause::Contents;
            let is_same =
                |shown: &Finding| shown.places().iter().all(|at| violation.places.contains(at));
            finding = shown.filter(is_same);
            violation.is_certain =
                settle(of, &GivenValues::default(), finding.iter_mut(), is_stopped) == 1;
            finding = finding.filter(|_| violation.is_certain);
            ContractOutcome::Open(violation)
        }
        prove::Contract::TooComplex | prove::Contract::Stopped => ContractOutcome::TooComplex,
    };
    let contract = Contract {
        source: program.source.clone(),
        language: program.language,
        entry: program.module.entry_points[entry].name.clone(),
        outcome,
    };
    EntryContract { contract, finding, requirements }
}

/// Makes findings certain if no host that uses the given values avoids them. Returns the number of these findings.
pub fn settle<'f>(
    of: EntryPoint<'_>,
    given: &GivenValues,
    findings: impl Iterator<Item = &'f mut Finding>,
    is_stopped: &dyn Fn() -> bool,
) -> usize {
    let open = findings.filter(|finding| has_settled_doubts(finding));
    let (open, seen): (Vec<&mut Finding>, Vec<SeenFault>) =
        open.filter_map(|finding| seen_fault(finding).map(|seen| (finding, seen))).unzip();
    if open.is_empty() {
        return 0;
    }
    let are_unavoidable = prove::are_unavoidable(of.program, of.entry, given, &seen, is_stopped);
    let mut settled = 0;
    for (finding, is_unavoidable) in open.into_iter().zip(are_unavoidable) {
        if is_unavoidable {
            finding.doubts.clear();
            settled += 1;
        }
    }
    settled
}

/// Returns whether a finding has no doubt that remains if no host avoids its fault: for example, the order of accesses by atomics.
fn has_settled_doubts(finding: &Finding) -> bool {
    let is_settled = |doubt: &Doubt| matches!(doubt, Doubt::Grid { .. }) || !doubt.is_of_launch();
    finding.doubts.iter().all(is_settled)
}

/// Returns the fault that a finding is about, if the invocations that have it are known.
fn seen_fault(finding: &Finding) -> Option<SeenFault> {
    let local = |invocation: Invocation| finding.grid.local_id(invocation.local);
    match &finding.what {
        FindingKind::Race(race) => {
            let accesses = [race.first, race.other.as_ref()?.access];
            let [a, b] = accesses.map(|access| Some((access.site, access.by?.invocation)));
            let ((a, first), (b, second)) = a.zip(b)?;
            let accesses = [(a, local(first)), (b, local(second))];
            let [first, second] = [first, second].map(|by| finding.grid.workgroup_id(by.workgroup));
            let across = (0..3).find(|&dimension| first[dimension] != second[dimension]);
            Some(SeenFault::Race { accesses, across })
        }
        FindingKind::OutOfBounds(found) => {
            let access = found.accesses.first()?;
            Some(SeenFault::OutOfBounds(access.site, local(access.by)))
        }
        _ => None,
    }
}

/// Launches of an entry point with values of the host that may lead to a fault.
struct Launches<'a> {
    of: EntryPoint<'a>,
    run: &'a mut dyn FnMut(LaunchSpec) -> Vec<Finding>,
}

impl Launches<'_> {
    /// Runs a launch with these values. Returns the fault, with the command that shows it and the finding if the launch has the
    /// fault.
    fn violation(
        &mut self,
        fault: Fault,
        values: &[(HostValue, i64)],
    ) -> (Violation, Option<Finding>) {
        let (kind, sites) = match fault {
            Fault::Race(sites) => (Kind::DataRace, sites.to_vec()),
            Fault::OutOfBounds(site) => (Kind::OutOfBounds, vec![site]),
            Fault::Divergence => (Kind::BarrierDivergence, Vec::new()),
        };
        let places = self.places(sites);
        let (shown_by, finding) = self.shows(kind, &places, values).unzip();
        let severity = finding.as_ref().map_or(Severity::Error, Finding::severity);
        let (depends_on_contents, is_certain) = (false, false);
        let violation =
            Violation { kind, severity, places, shown_by, depends_on_contents, is_certain };
        (violation, finding)
    }

    fn places(&self, sites: Vec<SiteId>) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::new();
        // An index into a value or into private memory has no site.
        for site in sites.into_iter().filter(|site| *site != SiteId::NONE) {
            let place = Place::of(self.of.program, site);
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places
    }

    /// Runs a launch with these values. If it has a fault of this kind at one of the places, returns the command that runs it, and
    /// the finding.
    fn shows(
        &mut self,
        kind: Kind,
        places: &[Place],
        values: &[(HostValue, i64)],
    ) -> Option<(Replay, Finding)> {
        let (spec, flags) = self.spec(values)?;
        let EntryPoint { program, entry, overrides } = self.of;
        let entry = program.module.entry_points[entry].name.clone();
        let is_it = |finding: &Finding| {
            let at = finding.places();
            finding.kind() == kind && places.iter().any(|place| at.contains(place))
        };
        let rank = |finding: &Finding| {
            let is_same = finding.places().iter().all(|place| places.contains(place));
            (!is_same, finding.rank())
        };
        let mut finding = (self.run)(spec).into_iter().filter(is_it).min_by_key(rank)?;
        if let Some(replay) = &mut finding.replay {
            replay.flags.retain(|flag| !matches!(flag, Flag::StepLimit(_)));
        }
        let overrides = overrides
            .iter()
            .map(|(name, value)| Flag::Override { name: name.clone(), value: *value });
        let flags = std::iter::once(Flag::Entry(entry)).chain(overrides).chain(flags);
        Some((Replay::new(program.source.name().to_owned(), flags.collect()), finding))
    }

    /// Returns a launch with these values, and its flags. `None` if the values are not those of a launch that can be run.
    fn spec(&self, values: &[(HostValue, i64)]) -> Option<(LaunchSpec, Vec<Flag>)> {
        let mut workgroups = [1; 3];
        let mut bindings: Vec<(String, String)> = Vec::new();
        let mut vectors: Vec<(String, Vec<i64>)> = Vec::new();
        for &(value, number) in values {
            match value {
                HostValue::Workgroups(dimension) => {
                    workgroups[dimension] = u32::try_from(number).ok()?;
                }
                HostValue::Length(_) if number > MAX_LENGTH => return None,
                HostValue::Length(global) => {
                    let name = self.of.program.module.global_variables[global].name.clone()?;
                    bindings.push((name, format!("random:{number}")));
                }
                HostValue::Word { global, offset, .. } => {
                    let (path, component, components) = field(self.of.program, global, offset)?;
                    let known = vectors.iter().position(|(known, _)| *known == path);
                    let at = known.unwrap_or_else(|| {
                        vectors.push((path, vec![1; components]));
                        vectors.len() - 1
                    });
                    *vectors[at].1.get_mut(component)? = number;
                }
            }
        }
        let count = workgroups.iter().fold(1, |count: u64, &n| count.saturating_mul(n.into()));
        if count > MAX_WORKGROUPS {
            return None;
        }
        bindings.extend(vectors.into_iter().map(|(path, numbers)| {
            let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
            (path, numbers.join(","))
        }));
        let bound = bindings.iter().map(|(name, spec)| Binding::new(name, spec).ok());
        let bound: Option<Vec<Binding>> = bound.collect();
        let bindings = bindings.into_iter().map(|(name, spec)| Flag::Buffer { name, spec });
        let flags = std::iter::once(Flag::Workgroups(workgroups)).chain(bindings).collect();
        let workgroups = Some(workgroups);
        let size = self.of.program.module.entry_points[self.of.entry].workgroup_size;
        let lanes = size.iter().map(|&n| u64::from(n)).product::<u64>();
        let subgroups = lanes.div_ceil(SUBGROUP) * count;
        let step_limit = Some((MAX_STEPS / subgroups.max(1)).max(1));
        let spec = LaunchSpec { workgroups, bindings: bound?, step_limit, ..LaunchSpec::default() };
        Some((spec, flags))
    }
}

/// Returns the path to the field at this offset of a variable, the number of the component, and how many components it has.
fn field(
    program: &Program,
    global: Handle<GlobalVariable>,
    offset: u32,
) -> Option<(String, usize, usize)> {
    let variable = &program.module.global_variables[global];
    let fields = fields(&program.module, variable.ty).into_iter();
    let found = fields.filter_map(|field| {
        let component = field.offsets().position(|of| of == offset)?;
        let path = format!("{}{}", variable.name.as_deref()?, field.path);
        Some((path, component, field.components as usize))
    });
    found.into_iter().next()
}

/// Returns the inequality that holds if and only if the sum is nonnegative.
fn inequality(program: &Program, sum: &HostSum) -> Inequality {
    let Difference { mut plus, mut minus } = difference(program, sum);
    // A single value is compared with a number; the length of an array is the left side.
    let is_length = |(_, term): &(i64, Term)| matches!(term, Term::Length(_));
    if plus.terms.iter().any(is_length) {
        let (left, right): (Vec<_>, Vec<_>) = plus.terms.drain(..).partition(is_length);
        let constant = minus.constant - plus.constant;
        if right.is_empty() {
            return Inequality {
                left: Sum { constant: 0, terms: left },
                right: Sum { constant, terms: minus.terms },
            };
        }
        plus.terms = left.into_iter().chain(right).collect();
    }
    let constant = plus.constant - minus.constant;
    (plus.constant, minus.constant) = (constant.max(0), (-constant).max(0));
    Inequality { left: plus, right: minus }
}

fn difference(program: &Program, sum: &HostSum) -> Difference {
    let mut result = Difference::default();
    for (term, factor) in &sum.terms {
        let into = if *factor > 0 { &mut result.plus } else { &mut result.minus };
        into.terms.push((factor.abs(), self::term(program, term)));
    }
    match sum.constant {
        constant @ 1.. => result.plus.constant = constant,
        constant => result.minus.constant = -constant,
    }
    result
}

fn term(program: &Program, term: &HostTerm) -> Term {
    match term {
        HostTerm::Value(HostValue::Workgroups(dimension)) => Term::Workgroups(*dimension),
        HostTerm::Value(HostValue::Length(global)) => Term::Length(array(program, *global)),
        HostTerm::Value(HostValue::Word { global, offset, .. }) => {
            Term::Field(word(program, *global, *offset))
        }
        HostTerm::Product(factors) => {
            Term::Product(Box::new([0, 1].map(|index: usize| difference(program, &factors[index]))))
        }
    }
}

/// Returns the name of the runtime-sized array in a buffer.
fn array(program: &Program, global: Handle<GlobalVariable>) -> String {
    let variable = &program.module.global_variables[global];
    let name = variable.name.clone().unwrap_or_default();
    match &program.module.types[variable.ty].inner {
        TypeInner::Struct { members, .. } => {
            let last = members.last().and_then(|member| member.name.as_deref());
            format!("{name}.{}", last.unwrap_or_default())
        }
        _ => name,
    }
}

/// Returns the name of the number at an offset of a buffer.
fn word(program: &Program, global: Handle<GlobalVariable>, offset: u32) -> String {
    match field(program, global, offset) {
        Some((path, _, 1)) => path,
        Some((path, component, _)) => {
            format!("{path}.{}", ["x", "y", "z", "w"].get(component).unwrap_or(&"?"))
        }
        None => {
            let variable = &program.module.global_variables[global];
            let name = variable.name.as_deref().unwrap_or_default();
            let of = match variable.space {
                AddressSpace::Immediate => "the immediate data",
                _ => "the buffer",
            };
            format!("byte {offset} of {of} {name}")
        }
    }
}

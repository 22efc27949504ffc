//! Contracts of kernels: the conditions on the host under which every launch is safe. The verb `contract` prints them.
//!
//! `prove::contract` infers the conditions and proves that they suffice. For each condition it suggests a launch that breaks it,
//! which this module runs: a condition is shown to be needed if the launch has the fault.

mod results;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod tests;
mod text;
mod words;

use crate::check::source::check_program;
use crate::check::{Options, Session};
use crate::facts::contract::{
    Condition, Contract, ContractOutcome, Difference, Inequality, Sum, Term, Violation,
};
use crate::facts::{Certainty, Finding, Flag, Kind, Place};
use crate::ir::sites::SiteId;
use crate::launch::fields::fields;
use crate::launch::spec::{Binding, LaunchSpec};
use crate::program::Program;
use crate::prove::{self, Fault, HostSum, HostTerm, HostValue};
use naga::{AddressSpace, GlobalVariable, Handle, TypeInner};
pub use results::{
    AssumedValue, ContractReport, EntryReport, Results, SCHEMA, Timing, Verdict, ViolationReport,
};
use std::sync::Arc;
pub use text::report as text;

/// The largest length of an array in a launch that is run.
const MAX_LENGTH: i64 = 1 << 21;
/// The largest number of workgroups in a launch that is run.
const MAX_WORKGROUPS: u64 = 1 << 10;
/// The limit on steps of a subgroup in a launch that is run.
const MAX_STEPS: u64 = 1 << 20;

/// Infers the contract of an entry point, and runs the launches that show which conditions are needed.
pub fn contract(program: &Arc<Program>, entry: usize, session: &mut Session<'_>) -> Contract {
    let inferred = prove::contract(program, entry, &|| session.is_stopped());
    let mut launches = Launches { program, entry, session };
    let outcome = match inferred {
        prove::Contract::Proved(requirements) => {
            let conditions = requirements.into_iter().map(|requirement| {
                let otherwise = launches.violation(requirement.excludes, &requirement.broken_by);
                Condition { inequality: inequality(program, &requirement.sum), otherwise }
            });
            ContractOutcome::Proved(conditions.collect())
        }
        prove::Contract::Open(open) => {
            let mut violation = launches.violation(open.fault, &open.shown_by);
            violation.is_certain &= open.is_unavoidable;
            ContractOutcome::Open(violation)
        }
        prove::Contract::TooComplex | prove::Contract::Stopped => ContractOutcome::TooComplex,
    };
    Contract {
        source: program.source.clone(),
        language: program.language,
        entry: program.module.entry_points[entry].name.clone(),
        outcome,
    }
}

/// Launches of an entry point with values of the host that may lead to a fault.
struct Launches<'a, 'e> {
    program: &'a Arc<Program>,
    entry: usize,
    session: &'a mut Session<'e>,
}

impl Launches<'_, '_> {
    /// Runs a launch with these values, and returns the fault with the launch if it has the fault.
    fn violation(&mut self, fault: Fault, values: &[(HostValue, i64)]) -> Violation {
        let (kind, sites) = match fault {
            Fault::Race(sites) => (Kind::DataRace, sites.to_vec()),
            Fault::OutOfBounds(site) => (Kind::OutOfBounds, vec![site]),
            Fault::Divergence => (Kind::BarrierDivergence, Vec::new()),
        };
        let places = self.places(sites);
        let shown = self.shows(kind, &places, values);
        let is_certain = shown.as_ref().is_some_and(|(_, is_certain)| *is_certain);
        Violation { kind, places, shown_by: shown.map(|(flags, _)| flags), is_certain }
    }

    fn places(&self, sites: Vec<SiteId>) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::new();
        // An index into a value or into private memory has no site.
        for site in sites.into_iter().filter(|site| *site != SiteId::NONE) {
            let place = Place::of(self.program, site);
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places
    }

    /// Runs a launch with these values. If it has a fault of this kind at one of the places, returns its flags, and whether the
    /// fault depends on nothing that was not given.
    fn shows(
        &mut self,
        kind: Kind,
        places: &[Place],
        values: &[(HostValue, i64)],
    ) -> Option<(Vec<Flag>, bool)> {
        let (spec, flags) = self.spec(values)?;
        let entry = &self.program.module.entry_points[self.entry].name;
        let options =
            Options { kernels: vec![entry.clone()], launches: vec![spec], ..Options::default() };
        // A launch that cannot run shows nothing.
        let checked = check_program(self.program, &options, self.session).ok()?;
        let is_it = |finding: &&Finding| {
            let at = finding.places();
            finding.kind() == kind && places.iter().any(|place| at.contains(place))
        };
        let findings = checked.launches.iter().flat_map(|launch| &launch.findings).filter(is_it);
        let certain = findings.map(|finding| {
            let is_same = finding.places().iter().all(|place| places.contains(place));
            is_same && finding.certainty() == Certainty::Certain
        });
        certain.max().map(|is_certain| (flags, is_certain))
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
                    let name = self.program.module.global_variables[global].name.clone()?;
                    bindings.push((name, format!("random:{number}")));
                }
                HostValue::Word { global, offset, .. } => {
                    let (path, component, components) = field(self.program, global, offset)?;
                    let known = vectors.iter().position(|(known, _)| *known == path);
                    let at = known.unwrap_or_else(|| {
                        vectors.push((path, vec![1; components]));
                        vectors.len() - 1
                    });
                    *vectors[at].1.get_mut(component)? = number;
                }
            }
        }
        if workgroups.iter().map(|&count| u64::from(count)).product::<u64>() > MAX_WORKGROUPS {
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
        let step_limit = Some(MAX_STEPS);
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

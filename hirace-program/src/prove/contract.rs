//! Contracts: conditions on values of the host under which a kernel has no race, no divergent barrier and no index out of bounds.
//!
//! The walk runs with the grid, the lengths of buffers and the contents of constant memory as symbols. Where a proof fails, the
//! inequalities of the failure are projected onto the values of the host (`System::implied_for_host`): each inequality that
//! remains holds for all launches with the fault, so its negation is a condition that excludes them. The walk then runs again
//! under the condition, until all is proved. The conditions are found by a heuristic; that they suffice is proved.
//!
//! A condition must not make a kernel trivial: each access stays reachable, with several values of each id in its index, and in
//! several iterations of each loop. A fault that only other conditions would exclude is open.

use super::conflict::{Conflict, first_conflict};
use super::form::Form;
use super::freedom::Freedom;
use super::host::{HostLimits, HostSum, HostTerm, HostValue};
use super::rules::Rules;
use super::solve::{Effort, Interruption};
use super::symbol::Origin;
use super::system::{ImpliedForHost, Side, System};
use super::walk::Walk;
use super::{EFFORT, Facts};
use crate::ir::sites::SiteId;
use crate::program::Program;

/// The limit on walks for one entry point.
const MAX_WALKS: usize = 48;
/// The limit on steps of all walks for one entry point and of the proofs after them. They take about a second.
pub(super) const MAX_STEPS: u64 = 16_000_000;
/// The limit on conditions that are tried against a fault.
const MAX_CANDIDATES: usize = 6;
/// The limit on conditions of a contract.
const MAX_CONDITIONS: usize = 12;

/// What can go wrong at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The accesses at two sites, possibly the same, may race.
    Race([SiteId; 2]),
    /// An index of the access at a site may be out of bounds. The site of an index into a value, or into memory that is not
    /// shared, is [`SiteId::NONE`].
    OutOfBounds(SiteId),
    /// Not all invocations of a workgroup may reach a barrier.
    Divergence,
}

/// A condition of a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The sum that is nonnegative if the condition holds.
    pub sum: HostSum,
    /// The fault that it excludes.
    pub excludes: Fault,
    /// Values of a launch that meets the requirements before this one, but not this one, and that may have the fault. Other
    /// values of the host do not matter.
    pub broken_by: Vec<(HostValue, i64)>,
}

/// A fault that no condition excludes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenFault {
    /// The fault.
    pub fault: Fault,
    /// Values of a launch that may have the fault. Other values of the host do not matter.
    pub shown_by: Vec<(HostValue, i64)>,
    /// What decides whether a launch has the fault, as far as that is modeled.
    pub cause: Cause,
}

/// What decides whether a launch has a fault: the values that determine the addresses, or the index and the length, and all
/// conditions on the way. Later causes include earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// Ids of invocations and workgroups, the number of workgroups, and numbers of iterations. Since all conditions on the way
    /// depend on these alone, so do the bounds of loops.
    Ids,
    /// Also other values that the host gives: lengths of arrays, and integers at fixed offsets of memory that is not written.
    Host,
    /// Anything else: contents of memory that is written, of textures, and of read-only arrays at unknown indices; floats;
    /// results of atomics and subgroup operations; and values that the analysis does not model, such as variables that are
    /// assigned on several paths. Also if nothing is known.
    Contents,
}

impl From<Origin> for Cause {
    fn from(origin: Origin) -> Self {
        match origin {
            Origin::Ids | Origin::Grid => Self::Ids,
            Origin::Host => Self::Host,
            Origin::Contents => Self::Contents,
        }
    }
}

/// What is known about all launches of an entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contract {
    /// Each launch that meets all requirements has no race, no divergent barrier and no index out of bounds.
    Proved(Vec<Requirement>),
    /// No conditions were found that exclude this fault.
    Open(OpenFault),
    /// A limit of the analysis was exceeded.
    TooComplex,
    /// The analysis was stopped.
    Stopped,
}

/// Infers the contract of an entry point, for hosts within WebGPU's default limits. Ends soon after `is_stopped` returns true
/// for the first time. The work is bounded: it takes about a second at most.
pub fn contract(program: &Program, entry: usize, is_stopped: &dyn Fn() -> bool) -> Contract {
    contract_with_rules(program, entry, Rules::default(), is_stopped)
}

/// Does the same with these rules, for tests.
pub fn contract_with_rules(
    program: &Program,
    entry: usize,
    rules: Rules,
    is_stopped: &dyn Fn() -> bool,
) -> Contract {
    contract_within(program, entry, (rules, is_stopped), MAX_STEPS)
}

/// Does the same within this limit on steps.
pub(super) fn contract_within(
    program: &Program,
    entry: usize,
    (rules, is_stopped): (Rules, &dyn Fn() -> bool),
    steps: u64,
) -> Contract {
    let _span = tracing::trace_span!("contract").entered();
    let mut search = Search { program, entry, rules, is_stopped, walks: 0, steps };
    let mut requirements = Vec::new();
    let found = search.extend(&mut requirements);
    match found.and_then(|()| search.drop_redundant(&mut requirements)) {
        Ok(()) => Contract::Proved(requirements),
        Err(End::Open(open)) => Contract::Open(open),
        Err(End::Interrupted(Interruption::TooComplex)) => Contract::TooComplex,
        Err(End::Interrupted(Interruption::Stopped)) => Contract::Stopped,
    }
}

/// The reason why the search for requirements ends before all is proved.
enum End {
    /// No condition excludes this fault.
    Open(OpenFault),
    /// The search was interrupted.
    Interrupted(Interruption),
}

impl From<Interruption> for End {
    fn from(interruption: Interruption) -> Self {
        Self::Interrupted(interruption)
    }
}

/// The facts about every launch within WebGPU's limits.
pub(super) struct AnyLaunch {
    /// The number of workgroups in each dimension, if it is given.
    pub workgroups: Option<[u32; 3]>,
}

impl Facts for AnyLaunch {
    fn workgroups(&self) -> Option<[u32; 3]> {
        self.workgroups
    }

    fn limits(&self) -> HostLimits {
        HostLimits::WEBGPU
    }
}

/// The search for requirements.
struct Search<'a> {
    program: &'a Program,
    entry: usize,
    rules: Rules,
    is_stopped: &'a dyn Fn() -> bool,
    /// The number of walks so far.
    walks: usize,
    /// The steps that remain.
    steps: u64,
}

/// A fault that was not excluded, with conditions that may exclude it.
struct Unproved {
    open: OpenFault,
    candidates: Vec<HostSum>,
}

impl<'a> Search<'a> {
    /// Adds requirements until all is proved.
    ///
    /// # Errors
    /// A fault that no condition excludes, or the search was interrupted.
    fn extend(&mut self, requirements: &mut Vec<Requirement>) -> Result<(), End> {
        let mut walk = self.walk(requirements)?;
        let Some(first) = self.first_open(&mut walk)? else { return Ok(()) };
        let unconditional = self.freedom(&mut walk)?;
        let mut open = Some(first);
        while let Some(unproved) = open {
            let mut next = None;
            if requirements.len() == MAX_CONDITIONS {
                return Err(End::Open(unproved.open));
            }
            let Unproved { open: fault, candidates } = &unproved;
            for sum in candidates.iter().take(MAX_CANDIDATES).cloned() {
                let broken_by = fault.shown_by.clone();
                requirements.push(Requirement { sum, excludes: fault.fault, broken_by });
                let mut walk = self.walk(requirements)?;
                // A condition must not make the kernel trivial.
                if self.freedom(&mut walk)?.includes(&unconditional) {
                    let remaining = self.first_open(&mut walk)?;
                    let is_same = |remaining: &Unproved| {
                        remaining.open.fault == fault.fault && remaining.candidates == *candidates
                    };
                    if !remaining.as_ref().is_some_and(is_same) {
                        next = Some(remaining);
                        break;
                    }
                }
                requirements.pop();
            }
            open = match next {
                Some(next) => next,
                None => return Err(End::Open(unproved.open)),
            };
        }
        Ok(())
    }

    /// Removes requirements that the others make redundant, as far as the limits allow.
    ///
    /// # Errors
    /// The search was stopped.
    fn drop_redundant(&mut self, requirements: &mut Vec<Requirement>) -> Result<(), End> {
        let mut index = 0;
        while index < requirements.len() {
            let dropped = requirements.remove(index);
            let walk = self.walk(requirements);
            match walk.and_then(|mut walk| self.first_open(&mut walk)) {
                Ok(None) => continue,
                Err(End::Interrupted(Interruption::Stopped)) => {
                    return Err(Interruption::Stopped.into());
                }
                Ok(Some(_)) | Err(_) => requirements.insert(index, dropped),
            }
            index += 1;
        }
        Ok(())
    }

    /// Walks the entry point under these requirements.
    fn walk(&mut self, requirements: &[Requirement]) -> Result<Walk<'a>, End> {
        if (self.is_stopped)() {
            return Err(Interruption::Stopped.into());
        }
        self.walks += 1;
        if self.walks > MAX_WALKS {
            return Err(Interruption::TooComplex.into());
        }
        let effort = Effort::with_steps(EFFORT, self.steps);
        let mut walk = Walk::new(
            self.program,
            self.entry,
            &AnyLaunch { workgroups: None },
            (self.rules, effort),
        );
        walk.stop = self.is_stopped;
        walk.open_bounds = Some(Vec::new());
        for requirement in requirements {
            let fact = walk.form_of(&requirement.sum).ok_or(Interruption::TooComplex)?;
            walk.state.learn(vec![fact]);
        }
        walk.run(self.entry);
        self.steps = walk.effort.steps();
        match (walk.failed, walk.was_stopped) {
            (false, _) => Ok(walk),
            (true, true) => Err(Interruption::Stopped.into()),
            (true, false) => Err(Interruption::TooComplex.into()),
        }
    }

    /// Returns the first fault that the assumed conditions of a walk do not exclude.
    ///
    /// # Errors
    /// A fault that no condition excludes, or the search was interrupted.
    fn first_open(&mut self, walk: &mut Walk<'_>) -> Result<Option<Unproved>, End> {
        walk.effort = Effort::with_steps(walk.effort.inequalities(), self.steps);
        let open = walk.first_open();
        self.steps = walk.effort.steps();
        match open {
            Err(End::Interrupted(interruption)) => Err(interruption.into()),
            // Without the limits, the fault might have been excluded.
            Ok(Some(_)) | Err(_) if walk.effort.is_exhausted() => {
                Err(Interruption::TooComplex.into())
            }
            open => open,
        }
    }

    /// Returns what launches under the assumed conditions of a walk can do.
    ///
    /// # Errors
    /// The search was interrupted.
    fn freedom(&mut self, walk: &mut Walk<'_>) -> Result<Freedom, End> {
        // The proofs after this have as many inequalities as without it.
        let effort = Effort::with_steps(EFFORT, self.steps);
        let before = std::mem::replace(&mut walk.effort, effort);
        let freedom = walk.freedom();
        let effort = std::mem::replace(&mut walk.effort, before);
        self.steps = effort.steps();
        match freedom {
            _ if effort.is_exhausted() => Err(Interruption::TooComplex.into()),
            None => Err(Interruption::Stopped.into()),
            Some(freedom) => Ok(freedom),
        }
    }
}

impl Walk<'_> {
    /// Returns the first fault that the assumed conditions do not exclude.
    ///
    /// # Errors
    /// A fault that no condition excludes, or a limit was exceeded, or the walk was stopped.
    fn first_open(&mut self) -> Result<Option<Unproved>, End> {
        if self.is_divergent {
            return Err(End::Open(OpenFault {
                fault: Fault::Divergence,
                shown_by: Vec::new(),
                cause: Cause::Contents,
            }));
        }
        // Out-of-bounds indices come first: where they are clamped, they cause races.
        if let Some(open) = self.open_bounds.iter().flatten().next().cloned() {
            let implied = open.forms.first().and_then(|form| {
                let mut system = System::new(&self.symbols, |_| true);
                system.demand(-1, &[(Side::Both, form, -1)]);
                let facts = [(Side::Both, &open.facts[..])];
                system.implied_for_host(&facts, &self.iterations, &mut self.effort)
            });
            let assumed = &self.state.facts;
            let facts = open.facts.iter().filter(|fact| !assumed.contains(fact));
            let origins = open.forms.iter().chain(facts).map(|form| self.symbols.origin(form));
            let origin = match open.forms.is_empty() {
                true => Origin::Contents,
                false => origins.fold(open.conditions, Origin::max),
            };
            let fault = Fault::OutOfBounds(open.site);
            return Ok(Some(self.unproved(fault, implied.unwrap_or_default(), origin)));
        }
        let conflict = first_conflict(self)?;
        Ok(conflict.map(|Conflict { sites, implied, origin }| {
            self.unproved(Fault::Race(sites), implied, origin)
        }))
    }

    /// Returns the form of a sum of values of the host.
    fn form_of(&mut self, sum: &HostSum) -> Option<Form> {
        sum.terms.iter().try_fold(Form::constant(sum.constant), |form, (term, factor)| {
            let value = match term {
                HostTerm::Value(value) => self.host_value(*value)?,
                HostTerm::Product(factors) => {
                    let [a, b] = [0, 1].map(|index: usize| self.form_of(&factors[index]));
                    self.symbols.product(&a?, &b?)?
                }
            };
            form.plus(&value.checked_mul(*factor)?)
        })
    }

    /// Returns the sum of values of the host that a form is.
    pub(super) fn sum_of(&self, form: &Form) -> Option<HostSum> {
        let term = |&(id, factor): &(_, i64)| {
            let term = match (self.symbols.as_host_value(id), self.symbols.factors(id)) {
                (Some(value), _) => HostTerm::Value(value),
                (None, Some([a, b])) => {
                    let mut factors = [self.sum_of(a)?, self.sum_of(b)?];
                    factors.sort();
                    HostTerm::Product(Box::new(factors))
                }
                (None, None) => return None,
            };
            Some((term, factor))
        };
        let terms: Option<Vec<_>> = form.terms.iter().map(term).collect();
        let mut terms = terms?;
        terms.sort();
        Some(HostSum { constant: form.constant, terms })
    }

    fn unproved(&self, fault: Fault, implied: ImpliedForHost, origin: Origin) -> Unproved {
        let open = OpenFault { fault, shown_by: implied.values, cause: origin.into() };
        Unproved { open, candidates: self.conditions(implied.forms) }
    }

    /// Returns conditions each of which contradicts one of these inequalities, the most useful one first.
    fn conditions(&self, implied: Vec<Form>) -> Vec<HostSum> {
        let mut conditions: Vec<(u32, HostSum)> = Vec::new();
        for form in implied {
            let negated = form.checked_mul(-1).and_then(|form| form.checked_add_constant(-1));
            let Some(condition) = negated else { continue };
            // Conditions that no launch meets, and those that are large because rational bounds were combined.
            if self.symbols.range(&condition).1 < 0 || condition.terms.len() > 4 {
                continue;
            }
            if let Some(sum) = self.sum_of(&condition).filter(HostSum::is_plausible) {
                conditions.push((sum.cost(), sum));
            }
        }
        conditions.sort();
        conditions.dedup();
        conditions.into_iter().map(|(_, sum)| sum).collect()
    }
}

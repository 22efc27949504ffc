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
use super::form::{Form, SymbolId};
use super::host::{HostLimits, HostValue};
use super::rules::Rules;
use super::solve::{Effort, Interruption};
use super::symbol::{Level, LoopId, Origin};
use super::system::{ImpliedForHost, Side, System};
use super::walk::Walk;
use super::{EFFORT, Facts};
use crate::ir::sites::SiteId;
use crate::program::Program;
use naga::{GlobalVariable, Handle};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// The limit on walks for one entry point.
const MAX_WALKS: usize = 48;
/// The limit on steps of all walks for one entry point and of the proofs after them. They take about a second.
const MAX_STEPS: u64 = 16_000_000;
/// The steps that it takes to create a system of inequalities from one fact.
const FACT_STEPS: usize = 8;
/// The limit on conditions that are tried against a fault.
const MAX_CANDIDATES: usize = 6;
/// The limit on conditions of a contract.
const MAX_CONDITIONS: usize = 12;

/// A sum of values that the host gives, without wrapping.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostSum {
    /// The constant term.
    pub constant: i64,
    /// The other terms with their factors.
    pub terms: Vec<(HostTerm, i64)>,
}

/// A term of a [`HostSum`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HostTerm {
    /// A value.
    Value(HostValue),
    /// The product of two sums.
    Product(Box<[HostSum; 2]>),
}

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
    /// What decides whether a launch has the fault, as far as that is modelled.
    pub cause: Cause,
    /// Whether no host avoids the fault, if the launch that `shown_by` describes has it, with one workgroup in each dimension
    /// that is not mentioned. `false` if that is not known.
    ///
    /// It is `true` in two cases:
    ///
    /// 1. The cause is [`Cause::Ids`], nothing depends on the number of workgroups, and the launch has one workgroup in each
    ///    dimension. All launches contain the invocations of this launch, which do the same there.
    /// 2. The fault is a race within a workgroup on workgroup memory, the cause is at most [`Cause::Host`], and linear
    ///    inequalities on values of the host were found such that each launch that meets them has the race. They come from a
    ///    choice of two invocations and of the first or second iteration of each loop. With this choice, all conditions on the
    ///    way are linear in values of the host, and no division, remainder or product of them occurs. Exactly one of the
    ///    inequalities is violated by some launches, and these make the kernel trivial. Therefore a launch either makes the
    ///    kernel trivial or has the race. Several inequalities do not suffice, because a host could violate one in some
    ///    launches and another one in others, and so use all of the kernel without the race.
    ///
    /// In both cases, the requirements that were found before the fault must leave these values of the host free.
    ///
    /// A launch makes a kernel trivial if, compared with all launches, an access site is not reached, or is not reached in the
    /// second iteration of a loop, or is only reached with an id of 0 that its address depends on. Code that a host never
    /// enables is accused, too, if a single inequality enables it.
    pub is_unavoidable: bool,
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
struct AnyLaunch;

impl Facts for AnyLaunch {
    fn workgroups(&self) -> Option<[u32; 3]> {
        None
    }

    fn length(&self, _: Handle<GlobalVariable>) -> Option<u32> {
        None
    }

    fn word(&self, _: Handle<GlobalVariable>, _: u32) -> Option<u32> {
        None
    }

    fn limits(&self) -> HostLimits {
        HostLimits::WEBGPU
    }
}

/// What launches that meet the conditions can do.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Freedom {
    /// The ids that may be positive where a site uses them in its address, by site.
    positive: BTreeSet<(SiteId, SymbolId)>,
    /// The sites that may be reached.
    reached: BTreeSet<SiteId>,
    /// The sites that may be reached by two invocations of one workgroup, or of two workgroups, that differ in an id which the
    /// site depends on.
    several: BTreeSet<(SiteId, Level)>,
    /// The sites that may be reached in the second or a later iteration of each loop, by the loop.
    repeated: BTreeSet<(SiteId, LoopId)>,
}

impl Freedom {
    fn includes(&self, other: &Self) -> bool {
        self.positive.is_superset(&other.positive)
            && self.reached.is_superset(&other.reached)
            && self.several.is_superset(&other.several)
            && self.repeated.is_superset(&other.repeated)
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

/// How launches avoid a fault.
enum Avoidance {
    /// All launches have the fault.
    Impossible,
    /// Each launch without the fault meets the condition that this sum is nonnegative.
    OnlyBy(HostSum),
}

/// A fault that was not excluded, with conditions that may exclude it.
struct Unproved {
    open: OpenFault,
    candidates: Vec<HostSum>,
    /// How launches avoid the fault, if that is known.
    avoidance: Option<Avoidance>,
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
                return Err(self.open(unproved, requirements, &unconditional));
            }
            let Unproved { open: fault, candidates, .. } = &unproved;
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
                None => return Err(self.open(unproved, requirements, &unconditional)),
            };
        }
        Ok(())
    }

    /// Returns the end of the search at a fault that was found under these requirements and that no condition excludes.
    fn open(
        &mut self,
        unproved: Unproved,
        requirements: &[Requirement],
        unconditional: &Freedom,
    ) -> End {
        let Unproved { mut open, avoidance, .. } = unproved;
        let avoidance = avoidance.filter(|avoidance| {
            let values = match avoidance {
                Avoidance::Impossible => BTreeSet::new(),
                Avoidance::OnlyBy(sum) => sum.values().into_iter().collect(),
            };
            requirements.iter().all(|requirement| requirement.sum.leaves_free(&values))
        });
        let Some(avoidance) = avoidance else { return End::Open(open) };
        if let Avoidance::OnlyBy(sum) = avoidance {
            let excludes = open.fault;
            let condition = Requirement { sum, excludes, broken_by: Vec::new() };
            let walk = self.walk(&[requirements, &[condition]].concat());
            match walk.and_then(|mut walk| self.freedom(&mut walk)) {
                Err(End::Interrupted(Interruption::Stopped)) => {
                    return Interruption::Stopped.into();
                }
                Ok(freedom) if !freedom.includes(unconditional) => {}
                Ok(_) | Err(_) => return End::Open(open),
            }
        }
        open.is_unavoidable = true;
        End::Open(open)
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
        let mut walk = Walk::new(self.program, self.entry, &AnyLaunch, (self.rules, effort));
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
                is_unavoidable: false,
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
            return Ok(Some(self.unproved(fault, implied.unwrap_or_default(), origin, None)));
        }
        let conflict = first_conflict(self)?;
        Ok(conflict.map(|Conflict { sites, implied, origin, certain_if }| {
            self.unproved(Fault::Race(sites), implied, origin, certain_if)
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
    fn sum_of(&self, form: &Form) -> Option<HostSum> {
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

    fn unproved(
        &self,
        fault: Fault,
        implied: ImpliedForHost,
        origin: Origin,
        certain_if: Option<Vec<Form>>,
    ) -> Unproved {
        let candidates = self.conditions(implied.forms);
        let (shown_by, cause) = (implied.values, origin.into());
        let avoidance = match origin {
            Origin::Ids if has_one_workgroup(&shown_by) => Some(Avoidance::Impossible),
            _ => certain_if.and_then(|forms| self.violation(&forms)).map(Avoidance::OnlyBy),
        };
        let open = OpenFault { fault, shown_by, cause, is_unavoidable: false };
        Unproved { open, candidates, avoidance }
    }

    /// Returns the negation of the only one of these inequalities that some launches violate, if there is exactly one.
    fn violation(&self, forms: &[Form]) -> Option<HostSum> {
        let mut violation = None;
        for form in forms {
            let negated = form.checked_mul(-1)?.checked_add_constant(-1)?;
            if self.symbols.range(&negated).1 < 0 {
                continue;
            }
            if violation.is_some() {
                return None;
            }
            violation = Some(self.sum_of(&negated)?);
        }
        violation
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

    /// Returns what launches under the assumed conditions can do, or `None` if the walk was stopped.
    fn freedom(&mut self) -> Option<Freedom> {
        let instances = std::mem::take(&mut self.instances);
        let (mut reached, mut repeated) = (BTreeSet::new(), BTreeSet::new());
        let (mut positive, mut several) = (BTreeSet::new(), BTreeSet::new());
        let several_values = |ids: &[Form]| {
            ids.iter().filter(|id| id.as_constant().is_none()).cloned().collect::<Vec<_>>()
        };
        let different = [
            (Level::Invocation, several_values(&self.ids.local)),
            (Level::Workgroup, several_values(&self.ids.workgroup)),
        ];
        let ids = self.ids.local.iter().chain(&self.ids.workgroup);
        let ids: Vec<SymbolId> = ids.flat_map(|id| &id.terms).map(|(id, _)| *id).collect();
        let mut was_stopped = false;
        for instance in &instances {
            was_stopped = was_stopped || (self.stop)();
            if was_stopped || self.effort.is_exhausted() {
                break;
            }
            let open = self.open_bounds.iter().flatten().filter(|of| of.site == instance.site);
            let address = instance.address.forms().unwrap_or_default();
            let forms = open.flat_map(|open| &open.forms).chain(address);
            let mut mentioned = FxHashSet::default();
            forms.for_each(|form| mentioned.extend(self.symbols.mentioned_in(form)));
            self.effort.spend_steps(mentioned.len() + self.iterations.len());
            for &id in &ids {
                if mentioned.contains(&id)
                    && self.is_possible(&instance.facts, &Form::symbol(id), 1)
                {
                    positive.insert((instance.site, id));
                }
            }
            if self.is_possible(&instance.facts, &Form::constant(1), 1) {
                reached.insert(instance.site);
            }
            for (level, ids) in &different {
                let key = (instance.site, *level);
                if !several.contains(&key)
                    && ids.iter().any(|id| {
                        // A kernel that does not read an id may be meant for one value of it.
                        let symbols = || id.terms.iter().map(|(symbol, _)| *symbol);
                        let is_in = |fact: &Form| symbols().any(|symbol| fact.mentions(symbol));
                        let is_used = symbols().any(|symbol| mentioned.contains(&symbol))
                            || instance.facts.iter().any(is_in);
                        is_used && self.may_differ(&instance.facts, *level, id)
                    })
                {
                    several.insert(key);
                }
            }
            for iteration in self.iterations.clone() {
                let Some(&id) = self.symbols.get(iteration).loops.last() else { continue };
                let is_in = instance.facts.iter().any(|fact| fact.mentions(iteration));
                if is_in && self.is_possible(&instance.facts, &Form::symbol(iteration), 1) {
                    repeated.insert((instance.site, id));
                }
            }
        }
        self.instances = instances;
        (!was_stopped).then_some(Freedom { positive, reached, several, repeated })
    }

    /// Returns whether these facts may hold for two invocations with different values of an id at this level.
    fn may_differ(&mut self, facts: &[Form], level: Level, id: &Form) -> bool {
        if !self.effort.spend_steps(2 * FACT_STEPS * facts.len()) {
            return true;
        }
        let symbols = &self.symbols;
        let is_same = |id: SymbolId| {
            let symbol = symbols.get(id);
            symbol.level < level && symbol.loops.is_empty()
        };
        let mut system = System::new(symbols, is_same);
        system.demand(-1, &[(Side::First, id, 1), (Side::Second, id, -1)]);
        for fact in facts {
            system.demand(0, &[(Side::First, fact, 1)]);
            system.demand(0, &[(Side::Second, fact, 1)]);
        }
        !system.has_no_solution(&[], &mut self.effort)
    }

    /// Returns whether a form may be at least this large where these facts hold.
    fn is_possible(&mut self, facts: &[Form], form: &Form, least: i64) -> bool {
        if !self.effort.spend_steps(FACT_STEPS * facts.len()) {
            return true;
        }
        let mut system = System::new(&self.symbols, |_| true);
        system.demand(-least, &[(Side::Both, form, 1)]);
        // Facts about symbols that the form does not mention may contradict each other.
        facts.iter().for_each(|fact| system.demand(0, &[(Side::Both, fact, 1)]));
        !system.has_no_solution(&[], &mut self.effort)
    }
}

/// Returns whether a launch with these values has one workgroup in each dimension.
fn has_one_workgroup(launch: &[(HostValue, i64)]) -> bool {
    launch.iter().all(|(value, number)| !matches!(value, HostValue::Workgroups(_)) || *number == 1)
}

impl HostSum {
    /// Returns the values in the sum.
    fn values(&self) -> Vec<HostValue> {
        let values = self.terms.iter().flat_map(|(term, _)| match term {
            HostTerm::Value(value) => vec![*value],
            HostTerm::Product(factors) => factors.iter().flat_map(Self::values).collect(),
        });
        values.collect()
    }

    /// Returns whether the condition that the sum is nonnegative can be met for all of these values: it does not mention them,
    /// or a host meets it by a larger array whose length is not one of them.
    fn leaves_free(&self, values: &BTreeSet<HostValue>) -> bool {
        let is_free_length = |(term, factor): &(HostTerm, i64)| match term {
            HostTerm::Value(value @ HostValue::Length(_)) => *factor > 0 && !values.contains(value),
            _ => false,
        };
        let mut mentioned = self.values().into_iter();
        self.terms.iter().any(is_free_length) || !mentioned.any(|value| values.contains(&value))
    }

    /// Returns whether a host may mean the condition that the sum is nonnegative: it does not limit the length of an array, and
    /// limits a product only by the length of an array.
    fn is_plausible(&self) -> bool {
        let is_length = |term: &HostTerm| matches!(term, HostTerm::Value(HostValue::Length(_)));
        let is_product = |term: &HostTerm| matches!(term, HostTerm::Product(_));
        let has = |is: &dyn Fn(&HostTerm) -> bool, sign: i64| {
            self.terms.iter().any(|(term, factor)| is(term) && factor.signum() == sign)
        };
        !has(&is_length, -1) && (!has(&is_product, -1) || has(&is_length, 1))
    }

    fn mentions_grid(&self) -> bool {
        self.terms.iter().any(|(term, _)| match term {
            HostTerm::Value(value) => matches!(value, HostValue::Workgroups(_)),
            HostTerm::Product(factors) => factors.iter().any(Self::mentions_grid),
        })
    }

    /// Returns how unlikely it is that a host means this condition. Lower is better.
    fn cost(&self) -> u32 {
        let mut cost = 4 * self.terms.len() as u32;
        for (term, factor) in &self.terms {
            cost += match (term, *factor) {
                // At least so many elements.
                (HostTerm::Value(HostValue::Length(_)), _) => 0,
                // A limit on the grid.
                (HostTerm::Value(HostValue::Workgroups(_)), ..0) => 6,
                (HostTerm::Value(HostValue::Workgroups(_)), _) => 20,
                (HostTerm::Value(HostValue::Word { .. }), _) => 2,
                (HostTerm::Product(factors), _) => {
                    let is_grid = |sum: &HostSum| sum.mentions_grid();
                    if factors.iter().any(is_grid) { 20 } else { 5 }
                }
            };
            cost += u32::from(!factor.unsigned_abs().is_power_of_two());
        }
        // Large numbers are the largest grid, instead of the grid.
        let is_grid = |term: &HostTerm| matches!(term, HostTerm::Value(HostValue::Workgroups(_)));
        let others = self.terms.iter().filter(|(term, _)| !is_grid(term));
        let mut numbers = others.map(|(_, factor)| *factor).chain([self.constant]);
        if numbers.any(|number| number.unsigned_abs() > 1 << 12) {
            cost += 60;
        }
        cost
    }
}

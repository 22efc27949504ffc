//! Faults that no host avoids.
//!
//! The inequalities that a fault satisfies are necessary for it, not sufficient: facts may be missing, and symbols may have fewer
//! values than their ranges say. This module looks for conditions on the host that are sufficient. It starts from a fault that was
//! seen in a launch, and follows each invocation that took part in it alone (`Walk::followed`): its ids are constants, and loops
//! are unrolled, or walked for two iterations. Values of the host are symbols. It gives up wherever such a walk is not exact:
//!
//! * Each launch for which the facts hold lets the invocation reach the access (`State::is_exact`).
//! * Values of the host determine all facts, addresses, indices and lengths.
//! * The last barrier before both accesses of a race is the same one, unless they are in two workgroups. Barriers are in uniform
//!   control flow.
//!
//! Then each launch that meets the conditions has the fault. A launch without the fault violates one of them. If the launches that
//! violate the first one, those that violate the second one, and so on, all lack the same feature of the kernel (`Freedom`), then
//! every host that avoids the fault does without this feature: for example, no invocation ever reaches the access, or no loop
//! around it has a second iteration. Such a host makes the kernel trivial, so the fault is a bug of the kernel.
//!
//! An access of the race may be out of bounds in some of the launches. They have that fault instead. Textures are left out, since a
//! write outside of one is not a fault.

use super::EFFORT;
use super::contract::{AnyLaunch, MAX_STEPS};
use super::form::Form;
use super::freedom::Freedom;
use super::host::{HostSum, HostValue};
use super::instance::{Instance, OpenBounds};
use super::pairs::{Overlap, conflicts, overlaps};
use super::rules::Rules;
use super::solve::Effort;
use super::system::{Side, System};
use super::walk::Walk;
use crate::ir::memory::Space;
use crate::ir::sites::SiteId;
use crate::program::Program;
use naga::{GlobalVariable, Handle};
use rustc_hash::{FxHashMap, FxHashSet};

/// The limit on sufficient conditions that are tried.
const MAX_TRIED: usize = 12;

/// A fault that was seen in a launch, with the local ids of the invocations that took part in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SeenFault {
    /// A race.
    Race {
        /// The two accesses.
        accesses: [(SiteId, [u32; 3]); 2],
        /// For accesses in two workgroups, a dimension in which the ids of these differ.
        across: Option<usize>,
    },
    /// An access with an index out of bounds.
    OutOfBounds(SiteId, [u32; 3]),
}

/// What is given of the launches in which a fault may be unavoidable.
#[derive(Clone, Debug, Default)]
pub struct GivenValues {
    /// The number of workgroups in each dimension.
    pub workgroups: Option<[u32; 3]>,
    /// Variables whose contents or lengths are given, at least in part. What depends on them is not known to be avoidable or not.
    pub variables: Vec<Handle<GlobalVariable>>,
}

/// Returns for each fault whether a bug of the kernel causes it: each launch with the given values that avoids the fault makes the
/// kernel trivial. `false` if that is not known. The work for all of them is bounded. Ends soon after `is_stopped` returns true for
/// the first time.
pub fn are_unavoidable(
    program: &Program,
    entry: usize,
    given: &GivenValues,
    faults: &[SeenFault],
    is_stopped: &dyn Fn() -> bool,
) -> Vec<bool> {
    let _span = tracing::trace_span!("unavoidable").entered();
    let launches = AnyLaunch { workgroups: given.workgroups };
    let mut judge = Judge::new(program, entry, &launches, is_stopped);
    let unconditional = judge.freedom(None).filter(|_| !judge.walk.is_divergent);
    let mut is_unavoidable = |fault: &SeenFault| {
        let unconditional = unconditional.as_ref()?;
        for forms in judge.sufficient(*fault)? {
            if !judge.depend_on(&forms, &given.variables)
                && judge.have_common_loss(&forms, unconditional)?
            {
                return Some(true);
            }
        }
        Some(false)
    };
    faults.iter().map(|fault| is_unavoidable(fault).unwrap_or(false)).collect()
}

/// Returns sets of sums such that each launch for which all sums of a set are nonnegative has the fault, or an index out of bounds.
/// Only for tests.
#[doc(hidden)]
pub fn sufficient_conditions(
    program: &Program,
    entry: usize,
    fault: SeenFault,
) -> Vec<Vec<HostSum>> {
    let launches = AnyLaunch { workgroups: None };
    let mut judge = Judge::new(program, entry, &launches, &|| false);
    let is_convergent = judge.freedom(None).is_some() && !judge.walk.is_divergent;
    let sets = judge.sufficient(fault).filter(|_| is_convergent).unwrap_or_default();
    let sums = |forms: Vec<Form>| forms.iter().map(|form| judge.walk.sum_of(form)).collect();
    sets.into_iter().filter_map(sums).collect()
}

struct Judge<'a> {
    walk: Walk<'a>,
    entry: usize,
    /// By form: what no launch can do for which it is negative.
    lost: FxHashMap<Form, Freedom>,
}

impl<'a> Judge<'a> {
    fn new(
        program: &'a Program,
        entry: usize,
        launches: &'a AnyLaunch,
        is_stopped: &'a dyn Fn() -> bool,
    ) -> Self {
        let effort = Effort::with_steps(EFFORT, MAX_STEPS);
        let mut walk = Walk::new(program, entry, launches, (Rules::default(), effort));
        walk.stop = is_stopped;
        walk.open_bounds = Some(Vec::new());
        Self { walk, entry, lost: FxHashMap::default() }
    }

    /// Returns sets of forms such that each launch for which all forms of a set are nonnegative has the fault, if all barriers are
    /// in uniform control flow. Returns `None` if a limit was exceeded.
    fn sufficient(&mut self, fault: SeenFault) -> Option<Vec<Vec<Form>>> {
        let sufficient = match fault {
            SeenFault::Race { accesses: [(a, first), (b, second)], across } => {
                let first = self.follow(&[a, b], first, None)?.0;
                let second = self.follow(&[a, b], second, across)?.0;
                races(&first, &second, across.is_some())
            }
            SeenFault::OutOfBounds(site, local) => {
                let open = self.follow(&[site], local, None)?.1;
                let open = open.into_iter().filter(|open| open.is_exact && open.site == site);
                open.flat_map(|open| outside(&open)).collect()
            }
        };
        let mut simplified: Vec<Vec<Form>> = Vec::new();
        for forms in sufficient {
            if let Some(forms) = self.simplified(forms)
                && !simplified.contains(&forms)
            {
                simplified.push(forms);
                if simplified.len() == MAX_TRIED {
                    break;
                }
            }
        }
        Some(simplified)
    }

    /// Walks the kernel, for launches for which this form is negative if there is one. Returns what they can do.
    fn freedom(&mut self, negative: Option<&Form>) -> Option<Freedom> {
        self.walk.restart();
        if let Some(form) = negative {
            let fact = form.checked_mul(-1)?.checked_add_constant(-1)?;
            self.walk.state.learn(vec![fact]);
        }
        self.run()?;
        let freedom = self.walk.freedom()?;
        (!self.walk.effort.is_exhausted()).then_some(freedom)
    }

    fn run(&mut self) -> Option<()> {
        let steps = self.walk.effort.steps();
        self.walk.effort = Effort::with_steps(EFFORT, steps);
        self.walk.run(self.entry);
        (!self.walk.failed).then_some(())
    }

    /// Follows the invocation with this local id in the first workgroup, or in the second one in a dimension. Returns its accesses at
    /// these sites, and all its indices that may be out of bounds. That its workgroup exists is among their facts.
    fn follow(
        &mut self,
        sites: &[SiteId],
        local: [u32; 3],
        second_in: Option<usize>,
    ) -> Option<(Vec<Instance>, Vec<OpenBounds>)> {
        self.walk.restart();
        let mut workgroup = [0; 3];
        if let Some(dimension) = second_in {
            workgroup[dimension] = 1;
            let exists = self.walk.ids.workgroups[dimension].checked_add_constant(-2)?;
            self.walk.state.learn(vec![exists]);
        }
        let constants = |ids: [u32; 3]| ids.map(|id| Form::constant(id.into()));
        let local = std::mem::replace(&mut self.walk.ids.local, constants(local));
        let workgroup = std::mem::replace(&mut self.walk.ids.workgroup, constants(workgroup));
        self.walk.followed = Some(sites.to_vec());
        let ended = self.run();
        self.walk.followed = None;
        (self.walk.ids.local, self.walk.ids.workgroup) = (local, workgroup);
        ended?;
        let open = self.walk.open_bounds.as_mut().map(std::mem::take);
        Some((std::mem::take(&mut self.walk.instances), open.unwrap_or_default()))
    }

    /// Returns the forms that the others do not imply to be nonnegative; `None` if values of the host do not determine them, or if no
    /// launch is known to have nonnegative values for all of them.
    fn simplified(&mut self, mut forms: Vec<Form>) -> Option<Vec<Form>> {
        let symbols = &self.walk.symbols;
        if !forms.iter().all(|form| symbols.is_determined_by_host(form)) {
            return None;
        }
        let mut seen = FxHashSet::default();
        forms.retain(|form| symbols.range(form).0 < 0 && seen.insert(form.clone()));
        let mut is_possible = |forms: &mut dyn Iterator<Item = (i64, &Form, i64)>| {
            let mut system = System::new(&self.walk.symbols, |_| true);
            forms.for_each(|(constant, form, factor)| {
                system.demand(constant, &[(Side::Both, form, factor)]);
            });
            !system.has_no_solution(&[], &mut self.walk.effort)
        };
        if !is_possible(&mut forms.iter().map(|form| (0, form, 1))) {
            return None;
        }
        let mut index = 0;
        while index < forms.len() {
            let others = forms.iter().enumerate().filter(|(other, _)| *other != index);
            let others = others.map(|(_, form)| (0, form, 1));
            let is_implied = !is_possible(&mut others.chain([(-1, &forms[index], -1)]));
            if is_implied {
                forms.remove(index);
            } else {
                index += 1;
            }
        }
        Some(forms)
    }

    /// Returns whether any of these forms depends on the contents or the length of one of these variables.
    fn depend_on(&self, forms: &[Form], variables: &[Handle<GlobalVariable>]) -> bool {
        let is_of_variable = |value| match value {
            HostValue::Workgroups(_) => false,
            HostValue::Length(global) | HostValue::Word { global, .. } => {
                variables.contains(&global)
            }
        };
        // A form that is not a sum of values of the host depends on anything.
        let depends = |form| self.walk.sum_of(form).is_none_or(|sum| sum.contains(&is_of_variable));
        !variables.is_empty() && forms.iter().any(depends)
    }

    /// Returns whether all launches for which any of these forms is negative lack a feature that launches can have.
    fn have_common_loss(&mut self, forms: &[Form], unconditional: &Freedom) -> Option<bool> {
        if forms.is_empty() {
            return Some(true);
        }
        let mut common = unconditional.clone();
        for form in forms {
            if !self.lost.contains_key(form) {
                let freedom = self.freedom(Some(form))?;
                self.lost.insert(form.clone(), unconditional.without(&freedom));
            }
            common = common.and(&self.lost[form]);
        }
        Some(!common.is_empty())
    }
}

/// Returns sets of forms such that the index is out of bounds if all forms of a set are nonnegative.
fn outside(open: &OpenBounds) -> Vec<Vec<Form>> {
    let sets = open.forms.iter().filter_map(|form| {
        let negative = form.checked_mul(-1)?.checked_add_constant(-1)?;
        Some(open.facts.iter().cloned().chain([negative]).collect())
    });
    sets.collect()
}

/// Returns sets of forms such that two of these accesses by two invocations race if all forms of a set are nonnegative. `is_across`:
/// the invocations are in two workgroups.
fn races(first: &[Instance], second: &[Instance], is_across: bool) -> Vec<Vec<Form>> {
    let pairs = first.iter().flat_map(|a| second.iter().map(move |b| (a, b)));
    let races = pairs.filter(|(a, b)| {
        a.is_exact
            && b.is_exact
            && a.global == b.global
            && a.space != Space::Texture
            && match is_across {
                // No barrier orders two workgroups, and each has its own workgroup memory.
                true => a.space != Space::Workgroup && conflicts(a, b, Rules::default()).1,
                false => a.interval == b.interval && conflicts(a, b, Rules::default()).0,
            }
    });
    let forms = races.flat_map(|(a, b)| {
        let ways = match (a.address.forms(), b.address.forms()) {
            (Some(_), Some(_)) => overlaps(&a.address, &b.address),
            _ => Vec::new(),
        };
        let forms = ways.into_iter().filter_map(|way| {
            let forms: Option<Vec<[Form; 2]>> = way.iter().map(Overlap::forms).collect();
            let facts = a.facts.iter().chain(&b.facts).cloned();
            Some(forms?.into_iter().flatten().chain(facts).collect())
        });
        forms.collect::<Vec<Vec<Form>>>()
    });
    forms.collect()
}

//! What launches can do under conditions, so that no condition makes a kernel trivial.

use super::form::{Form, SymbolId};
use super::instance::{EnclosingLoop, Iteration};
use super::symbol::Level;
use super::system::{Side, System};
use super::walk::Walk;
use crate::ir::sites::SiteId;
use crate::ir::walk::{FunctionId, StatementId};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// The steps that it takes to create a system of inequalities from one fact.
const FACT_STEPS: usize = 8;

/// Something that launches can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Feature {
    /// The site is reached with a positive id, which its address depends on.
    Positive(SiteId, SymbolId),
    /// The site is reached.
    Reached(SiteId),
    /// The site is reached by two invocations of one workgroup, or of two workgroups, that differ in an id which the site depends
    /// on.
    Several(SiteId, Level),
    /// The site is reached in the second or a later iteration of the loop.
    Repeated(SiteId, (FunctionId, StatementId)),
}

/// What launches that meet some conditions may do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Freedom {
    features: BTreeSet<Feature>,
}

impl Freedom {
    /// Returns whether all that is possible in `other` is possible.
    pub fn includes(&self, other: &Self) -> bool {
        self.features.is_superset(&other.features)
    }

    /// Returns whether nothing is possible.
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// Returns what is possible in both.
    pub fn and(&self, other: &Self) -> Self {
        Self { features: self.features.intersection(&other.features).copied().collect() }
    }

    /// Returns what is possible in `self` and not in `other`.
    pub fn without(&self, other: &Self) -> Self {
        Self { features: self.features.difference(&other.features).copied().collect() }
    }
}

impl Walk<'_> {
    /// Returns what launches under the assumed conditions can do, or `None` if the walk was stopped.
    pub fn freedom(&mut self) -> Option<Freedom> {
        let instances = std::mem::take(&mut self.instances);
        let mut features = BTreeSet::new();
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
                    features.insert(Feature::Positive(instance.site, id));
                }
            }
            if self.is_possible(&instance.facts, &Form::constant(1), 1) {
                features.insert(Feature::Reached(instance.site));
            }
            for (level, ids) in &different {
                let several = Feature::Several(instance.site, *level);
                if !features.contains(&several)
                    && ids.iter().any(|id| {
                        // A kernel that does not read an id may be meant for one value of it.
                        let symbols = || id.terms.iter().map(|(symbol, _)| *symbol);
                        let is_in = |fact: &Form| symbols().any(|symbol| fact.mentions(symbol));
                        let is_used = symbols().any(|symbol| mentioned.contains(&symbol))
                            || instance.facts.iter().any(is_in);
                        is_used && self.may_differ(&instance.facts, *level, id)
                    })
                {
                    features.insert(several);
                }
            }
            for EnclosingLoop { statement, iteration } in &instance.enclosing_loops {
                let is_repeated = match *iteration {
                    Iteration::Any(number) => {
                        self.is_possible(&instance.facts, &Form::symbol(number), 1)
                    }
                    Iteration::Unrolled(number) => number > 0,
                };
                if is_repeated {
                    features.insert(Feature::Repeated(instance.site, *statement));
                }
            }
        }
        self.instances = instances;
        (!was_stopped).then_some(Freedom { features })
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

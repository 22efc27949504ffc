//! Workgroups that access their own memory in the same way: one of them represents all.
//!
//! The accesses that a slice shows are split into two parts: those to workgroup memory, and those to memory
//! that workgroups share. Whether two workgroups do the same in the first part is decided from its code,
//! which writes nothing. Workgroup ids differ, and so do values computed from them and values read at
//! addresses computed from them. As long as all conditions have the same results, two workgroups run through
//! the code in lockstep. If no address differs either, both access the same words of their memories, by the
//! same invocations, between the same barriers. So workgroups are in one *class* if all conditions that may
//! differ have the same results, for each invocation and each iteration. A slice of these conditions alone
//! determines the results.
//!
//! Loops that contain no shown access are omitted from one of the parts, because the other part shows whether
//! they terminate.

use super::loosen::Loosened;
use super::nest::Nest;
use super::shrink::{insert, registers_of};
use super::taint::{looks_at_texels, taint};
use super::{AccessDetail, KnownFacts, Slice, SliceRequest, Slices, access};
use crate::ir::access::Action;
use crate::ir::memory::{MemoryId, Space};
use crate::ir::sites::SiteId;
use crate::vm::code::{
    AccessEvent, Check, Code, Instruction, MemoryAccess, MemoryRef, Pairing, Register,
};
use crate::vm::operands::{Operands, RegisterSet, one};
use naga::BuiltIn;
use std::collections::{BTreeMap, BTreeSet};

/// A rule of the classification, which tests can disable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Each workgroup has its own id.
    Groups,
    /// Invocations of different workgroups have different global ids.
    Globals,
    /// A value computed from a value that differs may differ.
    Computed,
    /// A value read at an address that differs may differ.
    Loads,
    /// A value stored to an array of an invocation at an address that differs may be in any element.
    Arrays,
    /// Workgroups that access different words are not in one class.
    Addresses,
    /// Workgroups whose conditions have different results are not in one class.
    Conditions,
}

impl Rule {
    /// All rules.
    pub const ALL: [Self; 7] = [
        Self::Groups,
        Self::Globals,
        Self::Computed,
        Self::Loads,
        Self::Arrays,
        Self::Addresses,
        Self::Conditions,
    ];
}

/// The set of rules that are applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    without: Option<Rule>,
}

impl Rules {
    /// Returns all rules except this one. The classification may then be wrong.
    pub fn without(rule: Rule) -> Self {
        Self { without: Some(rule) }
    }

    fn keep(self, rule: Rule) -> bool {
        self.without != Some(rule)
    }
}

/// A slice in two parts, of which the first need not be run for each workgroup.
#[derive(Debug)]
pub struct Parts {
    /// The accesses to workgroup memory. It terminates; workgroups of one class take the same number of
    /// steps.
    pub own: Slice,
    /// The accesses to memory that workgroups share.
    pub shared: Slice,
    /// The code that determines the classes; `None` if all workgroups are in one class. In each workgroup it
    /// shows reads of a dummy memory whose addresses are the results of the conditions. Workgroups that show
    /// the same reads are in one class.
    pub sorting: Option<Code>,
}

impl Slices {
    /// Returns a slice of what is not known of the kernel, in parts, for a dispatch of this size. Returns
    /// `None` if the kernel does not access workgroup memory, or if it accesses it in a way that classes do
    /// not cover.
    pub fn parts(&self, known: &KnownFacts, workgroups: [u32; 3]) -> Option<Parts> {
        let own = self.sites_of_own()?;
        let is_away = |site: SiteId| known.accesses.contains(&site);
        let look = |is_seen: bool| if is_seen { AccessDetail::Closely } else { AccessDetail::Away };
        let look_at_all = |site| look(!is_away(site));
        let look_at_own = |site| look(!is_away(site) && own.contains(&site));
        let look_at_shared = |site| look(!is_away(site) && !own.contains(&site));
        let (turns, none) = (|site| known.turns.get(&site).copied(), |_| Some(0));
        let asked = SliceRequest {
            look: &look_at_all,
            undecided: BTreeSet::new(),
            waits: true,
            turns: &turns,
            most_steps: known.most_steps,
            operands: &self.operands,
        };
        let undecided = super::undecided(&self.code, &self.loosened.taint, &asked);
        let asked = SliceRequest { undecided, ..asked };
        let asked_of_own = SliceRequest { look: &look_at_own, ..asked.clone() };
        if !self.shows_any(&asked_of_own) {
            return None;
        }
        let asked_of_shared = SliceRequest { look: &look_at_shared, ..asked.clone() };
        let waits = self.shows_any(&asked_of_shared);
        let asked_of_shared = SliceRequest { waits, ..asked_of_shared };
        // One of the parts keeps all loops that are not known to terminate.
        let ways = [
            (asked_of_own.clone(), asked_of_shared.without_loops(&none)),
            (asked_of_own.without_loops(&none), asked_of_shared),
        ];
        let mut best: Option<(Slice, &SliceRequest<'_>, Vec<usize>)> = None;
        for (asked_of_own, asked_of_shared) in &ways {
            let own = self.asked(asked_of_own);
            let differing = Differing::of(&own.code, workgroups, self.rules);
            let Some(conditions) = differing.conditions(&own.code, &asked.undecided) else {
                continue;
            };
            let is_better = best.as_ref().is_none_or(|(_, _, best)| conditions.len() < best.len());
            if is_better {
                let is_one = conditions.is_empty();
                best = Some((own, asked_of_shared, conditions));
                if is_one {
                    break;
                }
            }
        }
        let (own, asked_of_shared, conditions) = best?;
        let sorting = match conditions[..] {
            [] => None,
            _ if !self.rules.keep(Rule::Conditions) => None,
            _ => Some(sorting(&own.code, &conditions)?),
        };
        Some(Parts { own, shared: self.asked(asked_of_shared), sorting })
    }

    /// Returns the same slices with fewer rules, to test the tests.
    #[must_use]
    pub fn with_rules(self, rules: Rules) -> Self {
        Self { rules, ..self }
    }

    /// Returns the sites that access workgroup memory; `None` if one of them also accesses other memory.
    fn sites_of_own(&self) -> Option<BTreeSet<SiteId>> {
        let sites = |is_own: bool| -> BTreeSet<SiteId> {
            let accesses = self
                .code
                .accesses
                .iter()
                .filter(|access| matches!(access.memory, MemoryRef::Workgroup(_)) == is_own);
            accesses.filter_map(|access| Some(access.event.as_ref()?.site)).collect()
        };
        let own = sites(true);
        own.is_disjoint(&sites(false)).then_some(own)
    }

    fn shows_any(&self, asked: &SliceRequest<'_>) -> bool {
        self.code.instructions.iter().any(|one| asked.shows(&self.code, *one))
    }
}

impl<'a> SliceRequest<'a> {
    /// Returns the same request without loops that contain nothing to show.
    fn without_loops(&self, none: &'a dyn Fn(SiteId) -> Option<u64>) -> Self {
        Self { turns: none, most_steps: 0, ..self.clone() }
    }
}

/// The registers that may hold different values in the same invocation of two workgroups, as long as these
/// run in lockstep.
struct Differing {
    registers: RegisterSet,
    rules: Rules,
}

impl Differing {
    fn of(code: &Code, workgroups: [u32; 3], rules: Rules) -> Self {
        let mut registers = RegisterSet::empty(code);
        for &(builtin, register) in &code.builtins {
            for component in 0..registers_of(builtin) {
                let is_one = workgroups.get(component as usize).is_some_and(|count| *count <= 1);
                let differs = match builtin {
                    BuiltIn::WorkGroupId => !is_one && rules.keep(Rule::Groups),
                    BuiltIn::GlobalInvocationId => !is_one && rules.keep(Rule::Globals),
                    BuiltIn::LocalInvocationId
                    | BuiltIn::LocalInvocationIndex
                    | BuiltIn::WorkGroupSize
                    | BuiltIn::NumWorkGroups
                    | BuiltIn::SubgroupId
                    | BuiltIn::SubgroupSize
                    | BuiltIn::SubgroupInvocationId
                    | BuiltIn::NumSubgroups => false,
                    _ => true,
                };
                if differs {
                    registers.insert(one(register + component));
                }
            }
        }
        let table = Operands::table(code);
        registers.grow_forward(
            code,
            &table,
            |differing, instruction, operands| match instruction {
                Instruction::Copy { to, from } | Instruction::Assign { to, from } => {
                    let components = (0..to.count).filter(|at| differing.has(from + at));
                    components.map(|at| one(to.start + at)).collect()
                }
                _ if Self::is_source(code, instruction)
                    || follows(rules, instruction)
                        && operands.sources.iter().any(|source| differing.any(*source)) =>
                {
                    operands.results.clone()
                }
                _ => Vec::new(),
            },
        );
        Self { registers, rules }
    }

    fn has(&self, register: Register) -> bool {
        self.registers.has(register)
    }

    /// Returns whether the result of an instruction may differ regardless of its operands. Live code of a
    /// slice has no such instruction.
    fn is_source(code: &Code, instruction: Instruction) -> bool {
        match instruction {
            Instruction::Atomic { .. } | Instruction::Subgroup { .. } => true,
            Instruction::Image { index } => looks_at_texels(code, index),
            _ => false,
        }
    }

    /// Returns the indices of the conditions that may differ; `None` if an access may differ. `undecided` are
    /// memories whose accesses are not shown.
    fn conditions(&self, code: &Code, undecided: &BTreeSet<MemoryId>) -> Option<Vec<usize>> {
        let mut conditions = Vec::new();
        for (at, &instruction) in code.instructions.iter().enumerate() {
            match instruction {
                Instruction::If { condition, .. } | Instruction::BreakIf { condition, .. }
                    if self.has(condition) =>
                {
                    conditions.push(at);
                }
                Instruction::Switch { selector, .. } if self.has(selector) => return None,
                _ if self.touches_other(code, undecided, instruction) => return None,
                _ => {}
            }
        }
        Some(conditions)
    }

    /// Returns whether workgroups may differ in what an instruction accesses, or in which indices are out of
    /// bounds there.
    fn touches_other(
        &self,
        code: &Code,
        undecided: &BTreeSet<MemoryId>,
        instruction: Instruction,
    ) -> bool {
        let differs = |register| self.has(register) && self.rules.keep(Rule::Addresses);
        match instruction {
            // The other part checks indices into shared memory, for all workgroups.
            Instruction::Address { index, check, .. } => {
                differs(index) && !is_shared(&code.checks[check as usize], undecided)
            }
            Instruction::AddressFrom { base, index, check, .. } => {
                (differs(index) || differs(base))
                    && !is_shared(&code.checks[check as usize], undecided)
            }
            Instruction::Load { address, access, .. } => {
                let access = &code.accesses[access as usize];
                let event = access.event.as_ref().map(|event| event.address);
                matches!(access.memory, MemoryRef::Workgroup(_))
                    && (differs(address) || event.is_some_and(differs))
            }
            // Slices do not contain these instructions.
            Instruction::Store { .. }
            | Instruction::Atomic { .. }
            | Instruction::Subgroup { .. } => true,
            _ => false,
        }
    }
}

/// Returns whether a difference in the operands of an instruction is followed to its results.
fn follows(rules: Rules, instruction: Instruction) -> bool {
    rules.keep(match instruction {
        Instruction::Load { .. } => Rule::Loads,
        Instruction::Gather { .. } | Instruction::Scatter { .. } => Rule::Arrays,
        _ => Rule::Computed,
    })
}

fn is_shared(check: &Check, undecided: &BTreeSet<MemoryId>) -> bool {
    let is_decided = check.memory.is_some_and(|memory| !undecided.contains(&memory));
    is_decided && check.buffer.is_some()
}

/// Returns code that shows the results of the conditions at these indices and does nothing else.
fn sorting(code: &Code, conditions: &[usize]) -> Option<Code> {
    let first = u32::try_from(code.sites).ok()?;
    let (mut accesses, mut before) = (code.accesses.clone(), BTreeMap::new());
    for (&at, number) in conditions.iter().zip(first..) {
        let (Instruction::If { condition, .. } | Instruction::BreakIf { condition, .. }) =
            code.instructions[at]
        else {
            continue;
        };
        let event = AccessEvent {
            site: SiteId(number),
            action: Action::Read,
            space: Space::Workgroup,
            commutes: false,
            address: condition,
            extent: Box::default(),
            pairing: Pairing::Alone,
        };
        let memory = MemoryRef::Workgroup(0);
        accesses.push(MemoryAccess { memory, parts: Box::default(), event: Some(event) });
        let access = accesses.len() as u32 - 1;
        before.insert(at, Instruction::Load { to: 0, address: condition, access });
    }
    let code = insert(code, &before, accesses);
    let nest = Nest::of(&code)?;
    let is_left = |one: &Instruction| !matches!(one, Instruction::Pass { .. });
    let kept = code.instructions.iter().map(is_left).collect();
    let operands = Operands::table(&code);
    let taint = taint(&code, &operands, &BTreeSet::new());
    let slices = Slices {
        code,
        operands,
        nest,
        loosened: Loosened { kept, taint, exact: true },
        reads: BTreeSet::new(),
        rules: Rules::default(),
    };
    let look =
        |site: SiteId| if site.0 >= first { AccessDetail::Closely } else { AccessDetail::Away };
    let asked = SliceRequest {
        look: &look,
        undecided: BTreeSet::new(),
        waits: false,
        turns: &|_| Some(0),
        most_steps: 0,
        operands: &slices.operands,
    };
    let Slice { code, .. } = slices.asked(&asked);
    // All conditions must be shown; otherwise the result would be too coarse.
    let shown = code.instructions.iter().filter(|one| {
        access(&code, **one)
            .is_some_and(|access| access.event.as_ref().is_some_and(|event| event.site.0 >= first))
    });
    (shown.count() == conditions.len()).then_some(code)
}

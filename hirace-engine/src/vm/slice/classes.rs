//! Workgroups that access their own memory in the same way: one of them represents all.
//!
//! The accesses that a slice shows are split into two parts: those to workgroup memory, and those to memory
//! that workgroups share. The code of the first part, which writes nothing, determines whether two
//! workgroups do the same in it. Workgroup ids differ, and so do values computed from them and values read at
//! addresses computed from them. As long as all conditions have the same results, two workgroups run through
//! the code in lockstep. If no address differs either, both access the same words of their memories, by the
//! same invocations, between the same barriers. So workgroups are in one *class* if all conditions that may
//! differ have the same results, for each invocation and each iteration. A slice of these conditions alone
//! determines the results.
//!
//! Loops that contain no shown access are omitted from one of the parts, because the other part shows whether
//! they terminate.

use super::nest::Nest;
use super::over_approximation::LoosenedSlice;
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

    fn has(self, rule: Rule) -> bool {
        self.without != Some(rule)
    }
}

/// A slice in two parts, of which the first need not be run for each workgroup.
#[derive(Debug)]
pub struct Parts {
    /// The accesses to workgroup memory. This slice terminates. Workgroups of one class take the same number
    /// of steps in it.
    pub own: Slice,
    /// The accesses to memory that workgroups share.
    pub shared: Slice,
    /// The code that determines the classes; `None` if all workgroups are in one class. In each workgroup it
    /// shows reads of a dummy memory whose addresses are the results of the conditions. Workgroups that show
    /// the same reads are in one class.
    pub sorting: Option<Code>,
}

impl Slices {
    /// Returns a slice, in two parts, of the accesses that are not known yet, for a dispatch of this size.
    /// Returns `None` if the kernel does not access workgroup memory, or if it accesses it in a way that classes do
    /// not cover.
    pub fn parts(&self, known: &KnownFacts, workgroups: [u32; 3]) -> Option<Parts> {
        let own = self.find_own_sites()?;
        let is_known = |site: SiteId| known.accesses.contains(&site);
        let detail = |is_shown: bool| {
            if is_shown { AccessDetail::WithAddress } else { AccessDetail::Hidden }
        };
        let detail_of_all = |site| detail(!is_known(site));
        let detail_of_own = |site| detail(!is_known(site) && own.contains(&site));
        let detail_of_shared = |site| detail(!is_known(site) && !own.contains(&site));
        let (iterations, no_iterations) =
            (|site| known.max_iterations.get(&site).copied(), |_| Some(0));
        let request = SliceRequest {
            detail_of: &detail_of_all,
            undecided: BTreeSet::new(),
            waits: true,
            max_iterations: &iterations,
            max_skipped_steps: known.max_skipped_steps,
            operands: &self.operands,
        };
        let undecided = super::undecided(&self.code, &self.loosened.taint, &request);
        let request = SliceRequest { undecided, ..request };
        let own_request = SliceRequest { detail_of: &detail_of_own, ..request.clone() };
        if !self.shows_any(&own_request) {
            return None;
        }
        let shared_request = SliceRequest { detail_of: &detail_of_shared, ..request.clone() };
        let waits = self.shows_any(&shared_request);
        let shared_request = SliceRequest { waits, ..shared_request };
        // One of the parts keeps all loops that are not known to terminate.
        let splits = [
            (own_request.clone(), shared_request.without_loops(&no_iterations)),
            (own_request.without_loops(&no_iterations), shared_request),
        ];
        let mut best: Option<(Slice, &SliceRequest<'_>, Vec<usize>)> = None;
        for (own_request, shared_request) in &splits {
            let own = self.build(own_request);
            let differing = DifferingRegisters::of(&own.code, workgroups, self.rules);
            let Some(conditions) = differing.conditions(&own.code, &request.undecided) else {
                continue;
            };
            let is_better =
                best.as_ref().is_none_or(|(_, _, fewest)| conditions.len() < fewest.len());
            if is_better {
                let has_no_conditions = conditions.is_empty();
                best = Some((own, shared_request, conditions));
                if has_no_conditions {
                    break;
                }
            }
        }
        let (own, shared_request, conditions) = best?;
        let sorting = match conditions[..] {
            [] => None,
            _ if !self.rules.has(Rule::Conditions) => None,
            _ => Some(create_sorting_code(&own.code, &conditions)?),
        };
        Some(Parts { own, shared: self.build(shared_request), sorting })
    }

    /// Returns the same slices with fewer rules, to test the tests.
    #[must_use]
    pub fn with_rules(self, rules: Rules) -> Self {
        Self { rules, ..self }
    }

    /// Returns the sites that access workgroup memory; `None` if one of them also accesses other memory.
    fn find_own_sites(&self) -> Option<BTreeSet<SiteId>> {
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

    fn shows_any(&self, request: &SliceRequest<'_>) -> bool {
        self.code.instructions.iter().any(|instruction| request.shows(&self.code, *instruction))
    }
}

impl<'a> SliceRequest<'a> {
    /// Returns the same request without loops that contain nothing to show.
    fn without_loops(&self, no_iterations: &'a dyn Fn(SiteId) -> Option<u64>) -> Self {
        Self { max_iterations: no_iterations, max_skipped_steps: 0, ..self.clone() }
    }
}

/// The registers that may hold different values in the same invocation of two workgroups, as long as these
/// run in lockstep.
struct DifferingRegisters {
    registers: RegisterSet,
    rules: Rules,
}

impl DifferingRegisters {
    fn of(code: &Code, workgroups: [u32; 3], rules: Rules) -> Self {
        let mut registers = RegisterSet::empty(code);
        for &(builtin, register) in &code.builtins {
            for component in 0..registers_of(builtin) {
                let is_single = workgroups.get(component as usize).is_some_and(|count| *count <= 1);
                let differs = match builtin {
                    BuiltIn::WorkGroupId => !is_single && rules.has(Rule::Groups),
                    BuiltIn::GlobalInvocationId => !is_single && rules.has(Rule::Globals),
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
                _ if self.may_differ_in_access(code, undecided, instruction) => return None,
                _ => {}
            }
        }
        Some(conditions)
    }

    /// Returns whether workgroups may differ in what an instruction accesses, or in which indices are out of
    /// bounds there.
    fn may_differ_in_access(
        &self,
        code: &Code,
        undecided: &BTreeSet<MemoryId>,
        instruction: Instruction,
    ) -> bool {
        let differs = |register| self.has(register) && self.rules.has(Rule::Addresses);
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
    rules.has(match instruction {
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
fn create_sorting_code(code: &Code, conditions: &[usize]) -> Option<Code> {
    let first = u32::try_from(code.sites).ok()?;
    let (mut accesses, mut shown_conditions) = (code.accesses.clone(), BTreeMap::new());
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
        shown_conditions.insert(at, Instruction::Load { to: 0, address: condition, access });
    }
    let code = insert(code, &shown_conditions, accesses);
    let nest = Nest::of(&code)?;
    let is_kept = |instruction: &Instruction| !matches!(instruction, Instruction::Pass { .. });
    let kept = code.instructions.iter().map(is_kept).collect();
    let operands = Operands::table(&code);
    let taint = taint(&code, &operands, &BTreeSet::new());
    let slices = Slices {
        code,
        operands,
        nest,
        loosened: LoosenedSlice { kept, taint, exact: true },
        reads: BTreeSet::new(),
        rules: Rules::default(),
    };
    let detail = |site: SiteId| {
        if site.0 >= first { AccessDetail::WithAddress } else { AccessDetail::Hidden }
    };
    let request = SliceRequest {
        detail_of: &detail,
        undecided: BTreeSet::new(),
        waits: false,
        max_iterations: &|_| Some(0),
        max_skipped_steps: 0,
        operands: &slices.operands,
    };
    let Slice { code, .. } = slices.build(&request);
    // All conditions must be shown; otherwise the result would be too coarse.
    let shown = code.instructions.iter().filter(|instruction| {
        access(&code, **instruction)
            .is_some_and(|access| access.event.as_ref().is_some_and(|event| event.site.0 >= first))
    });
    (shown.count() == conditions.len()).then_some(code)
}

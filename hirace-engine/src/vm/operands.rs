//! The registers that each instruction reads and writes, and the solver for data-flow analyses of registers.
//!
//! [`Operands::of`] is the only table of uses and definitions; every analysis of flat code reads it. An
//! analysis is a [`RegisterSet`] that holds for the whole code, regardless of control flow. It grows along the
//! operands until nothing changes:
//!
//! - *forward* ([`RegisterSet::grow_forward`]), from sources to results: which registers may hold data
//!   (`slice::taint`), which differ between workgroups (`slice::classes`);
//! - *backward* ([`RegisterSet::grow_backward`]), from results to sources: which registers are live
//!   (`machine::liveness`), which a slice needs (`slice`).
//!
//! Both terminate because a set only grows and code has finitely many registers.
//!
//! To add an analysis, write one file that creates a set, inserts the registers with which the analysis
//! starts, and calls one of the two functions.

use super::code::{Code, ImageOperation, Instruction, Length, Range, Register};

/// The registers that an instruction reads and writes.
#[derive(Clone, Debug, Default)]
pub(in crate::vm) struct Operands {
    /// The registers that it may write.
    pub results: Vec<Range>,
    /// The registers from which the results are computed.
    pub sources: Vec<Range>,
    /// The registers on which everything else depends that it does: addresses and values of accesses,
    /// conditions, operands of claims.
    pub effects: Vec<Range>,
    /// Whether it reads registers that are not listed.
    pub reads_others: bool,
}

impl Operands {
    /// Returns the operands of each instruction of `code`.
    pub fn table(code: &Code) -> Vec<Self> {
        code.instructions.iter().map(|instruction| Self::of(code, *instruction)).collect()
    }

    /// Returns the operands of an instruction of `code`.
    pub fn of(code: &Code, instruction: Instruction) -> Self {
        let acts = |effects: Vec<Range>| Self { effects, ..Self::default() };
        let computes = |result: Range, sources: &[Range]| Self {
            results: vec![result],
            sources: sources.to_vec(),
            ..Self::default()
        };
        match instruction {
            Instruction::Copy { to, from } | Instruction::Assign { to, from } => {
                computes(to, &[Range { start: from, ..to }])
            }
            Instruction::Clear { to } => computes(to, &[]),
            Instruction::Binary { out, left, right, .. } => computes(out, &[left, right]),
            Instruction::Unary { out, operand, .. } => {
                computes(out, &[Range { start: operand, ..out }])
            }
            Instruction::Compute { index } => {
                let computation = &code.computations[index as usize];
                computes(computation.out, &computation.operands)
            }
            Instruction::Length { to, .. } => computes(one(to), &[]),
            Instruction::Address { to, index, .. } => computes(one(to), &[one(index)]),
            Instruction::AddressFrom { to, base, index, .. } => {
                computes(one(to), &[one(base), one(index)])
            }
            Instruction::Offset { to, base, .. } => computes(one(to), &[one(base)]),
            Instruction::Gather { to, address } => {
                let sources = [numbered(code, address), vec![one(address)]].concat();
                Self { reads_others: true, ..computes(to, &sources) }
            }
            Instruction::Scatter { address, from } => Self {
                results: numbered(code, address),
                sources: vec![one(address), from],
                reads_others: true,
                ..Self::default()
            },
            Instruction::Subgroup { index } => Self {
                reads_others: true,
                ..computes(code.subgroup_steps[index as usize].out, &[])
            },
            Instruction::Image { index } => {
                let step = &code.image_steps[index as usize];
                let (result, level) = match step.operation {
                    ImageOperation::Store | ImageOperation::Atomic { .. } => (None, None),
                    ImageOperation::Size { level } => (Some(step.value), level.map(one)),
                    _ => (Some(step.value), None),
                };
                Self {
                    results: result.into_iter().collect(),
                    sources: level.into_iter().collect(),
                    reads_others: true,
                    ..Self::default()
                }
            }
            Instruction::Load { to, address, access } => Self {
                results: parts(code, access, to),
                sources: vec![one(address)],
                ..acts(vec![one(address)])
            },
            Instruction::Store { address, from, access } => {
                acts([parts(code, access, from), vec![one(address)]].concat())
            }
            Instruction::Atomic { to, address, operation } => {
                let operation = &code.atomics[operation as usize];
                // Values of 64 bits take two registers each.
                let count = u32::from(operation.scalar.width).div_ceil(4);
                let values = [Some(operation.value), operation.compare].into_iter().flatten();
                let values = values.map(|start| Range { start, count });
                let count = count + u32::from(operation.compare.is_some());
                let results = to.map(|start| Range { start, count }).into_iter().collect();
                Self { results, ..acts(values.chain([one(address)]).collect()) }
            }
            Instruction::If { condition, .. } | Instruction::BreakIf { condition, .. } => {
                acts(vec![one(condition)])
            }
            Instruction::Switch { selector, chosen, .. } => {
                let effects = vec![one(selector)];
                Self { effects, ..computes(one(chosen), &[one(selector)]) }
            }
            Instruction::Case { chosen, .. } => acts(vec![one(chosen)]),
            Instruction::Claim { index } => {
                let claimed = &code.claims[index as usize];
                acts(vec![claimed.left, claimed.right, claimed.result])
            }
            Instruction::Count { .. } => Self { reads_others: true, ..Self::default() },
            Instruction::Else { .. }
            | Instruction::EndIf
            | Instruction::Loop { .. }
            | Instruction::Continuing { .. }
            | Instruction::Back { .. }
            | Instruction::Pass { .. }
            | Instruction::EndSwitch
            | Instruction::Break
            | Instruction::Continue
            | Instruction::Call { .. }
            | Instruction::Return { .. }
            | Instruction::FunctionEnd
            | Instruction::Barrier { .. }
            | Instruction::Fence { .. } => Self::default(),
        }
    }

    /// Returns whether the instruction writes a register in `set`.
    pub fn write_any(&self, set: &RegisterSet) -> bool {
        self.results.iter().any(|range| set.any(*range))
    }
}

/// Returns the range of one register.
pub(in crate::vm) fn one(start: Register) -> Range {
    Range { start, count: 1 }
}

/// Returns the registers of an access's parts, for a value that starts at this register.
fn parts(code: &Code, access: u32, start: Register) -> Vec<Range> {
    let parts = code.accesses[access as usize].parts.iter();
    parts.map(|part| Range { start: start + part.register, count: part.leaf.registers() }).collect()
}

/// Returns the registers whose numbers `address` may hold; all registers if this is not known.
fn numbered(code: &Code, address: Register) -> Vec<Range> {
    let all = vec![Range { start: 0, count: code.registers }];
    let mut numbered = Vec::new();
    let (mut left, mut seen) = (vec![address], Vec::new());
    while let Some(register) = left.pop() {
        if seen.contains(&register) {
            continue;
        }
        seen.push(register);
        let writes_number = |instruction: &&Instruction| match **instruction {
            Instruction::Address { to, .. }
            | Instruction::AddressFrom { to, .. }
            | Instruction::Offset { to, .. } => to == register,
            Instruction::Copy { to, .. }
            | Instruction::Assign { to, .. }
            | Instruction::Clear { to } => to.indices().contains(&(register as usize)),
            _ => false,
        };
        let mut writers = code.instructions.iter().filter(writes_number).peekable();
        if writers.peek().is_none() {
            return all;
        }
        for writer in writers {
            match *writer {
                // The base of a variable: the address is at least the offset, and the index is clamped to the
                // variable's length.
                Instruction::Address { stride, offset, check, .. } => {
                    match elements(code, stride, offset, check) {
                        Some(elements) => numbered.push(elements),
                        None => return all,
                    }
                }
                // An offset into the element.
                Instruction::AddressFrom { base, .. } => left.push(base),
                _ => return all,
            }
        }
    }
    numbered
}

/// Returns the registers of the variable that [`Instruction::Address`] with these operands points into, if its length is known.
pub(in crate::vm) fn elements(code: &Code, stride: u32, offset: u32, check: u32) -> Option<Range> {
    let Length::Fixed(length) = code.lengths[code.checks[check as usize].length as usize] else {
        return None;
    };
    let end = offset.saturating_add(stride.saturating_mul(length)).min(code.registers);
    Some(Range { start: offset, count: end.saturating_sub(offset) })
}

/// A set of registers of some code.
#[derive(Clone, Debug)]
pub(in crate::vm) struct RegisterSet(Vec<bool>);

impl RegisterSet {
    /// Creates the empty set of the registers of `code`.
    pub fn empty(code: &Code) -> Self {
        Self(vec![false; code.registers as usize])
    }

    /// Creates the set of all registers of `code`.
    pub fn full(code: &Code) -> Self {
        Self(vec![true; code.registers as usize])
    }

    /// Returns whether the set contains a register.
    pub fn has(&self, register: Register) -> bool {
        self.0.get(register as usize).copied().unwrap_or(true)
    }

    /// Returns whether the set contains one of these registers.
    pub fn any(&self, range: Range) -> bool {
        self.0.get(range.indices()).is_none_or(|registers| registers.contains(&true))
    }

    /// Adds registers. Returns whether one of them is new.
    pub fn insert(&mut self, range: Range) -> bool {
        let registers = self.0.get_mut(range.indices()).unwrap_or_default();
        registers.iter_mut().fold(false, |news, has| news | !std::mem::replace(has, true))
    }

    /// Adds the registers that `transfer` returns for each instruction, until there are no new ones.
    pub fn grow_forward<'t>(
        &mut self,
        code: &Code,
        table: &'t [Operands],
        transfer: impl Fn(&Self, Instruction, &'t Operands) -> Vec<Range>,
    ) {
        while code.instructions.iter().zip(table).fold(false, |news, (instruction, operands)| {
            let ranges = transfer(self, *instruction, operands);
            ranges.into_iter().fold(news, |news, range| news | self.insert(range))
        }) {}
    }

    /// Adds the sources of each instruction that writes a register of the set, until there are no new ones.
    /// Considers only the instructions whose indices satisfy `is_considered`.
    pub fn grow_backward(&mut self, table: &[Operands], is_considered: impl Fn(usize) -> bool) {
        while table.iter().enumerate().rev().fold(
            false,
            |news, (at, operands)| match is_considered(at) && operands.write_any(self) {
                true => {
                    operands.sources.iter().fold(news, |news, range| self.insert(*range) | news)
                }
                false => news,
            },
        ) {}
    }
}

//! Divisors that the host provides: specialization constants that are 0 by default, and that the module divides by.

use super::declared::SpirvDeclarations;
use super::specialized::SpecializedConstants;
use super::words::{Instruction, Words};
use crate::program::{HostSize, HostValue};
use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};

/// The assumed value of a divisor.
const ASSUMED: u64 = 4;

/// Computes the constants of `words` with the values `given`, and assumes values for divisors that are 0 by default. Adds these to
/// `given`, and returns them. `Err` is the index of an unsupported instruction.
pub fn specialize(
    words: &Words,
    declared: &mut SpirvDeclarations,
    given: &mut FxHashMap<u32, u64>,
) -> Result<(SpecializedConstants, Vec<HostValue>), usize> {
    let divisors = divisors(words);
    let mut assumed = Vec::new();
    loop {
        let specialized = SpecializedConstants::read(words, declared, given);
        // A constant that is computed by a division by zero ends the evaluation.
        let last = specialized.as_ref().err().map_or(usize::MAX, |at| *at);
        let mut zeros = FxHashSet::default();
        for (at, divisor) in &divisors {
            if *at <= last {
                roots(*divisor, words, declared, given, &mut zeros);
            }
        }
        if zeros.is_empty() {
            return specialized.map(|specialized| (specialized, assumed));
        }
        let mut zeros: Vec<u32> = zeros.into_iter().collect();
        zeros.sort_unstable();
        for id in zeros {
            given.insert(id, ASSUMED);
            let Some(constant) = declared.spec_ids.get(&id).copied() else { continue };
            let name = declared.names.get(&id).cloned();
            assumed.push(HostValue { constant, size: HostSize::Divisor(name), value: ASSUMED });
        }
    }
}

/// Returns the divisors of the integer divisions of `words`, with the index of the instruction.
fn divisors(words: &Words) -> Vec<(usize, u32)> {
    let of = |instruction: Instruction<'_>| {
        let (op, divisor) = match instruction.op()? {
            Op::SpecConstantOp => (Op::from_u32(instruction.operand(2)?)?, instruction.operand(4)?),
            op => (op, instruction.operand(3)?),
        };
        let divides = matches!(op, Op::SDiv | Op::UDiv | Op::SRem | Op::SMod | Op::UMod);
        divides.then_some((instruction.index, divisor))
    };
    words.instructions().filter_map(of).collect()
}

/// Adds the specialization constants that make a divisor zero: that are zero, not given, and that its value is computed from.
fn roots(
    divisor: u32,
    words: &Words,
    declared: &SpirvDeclarations,
    given: &FxHashMap<u32, u64>,
    found: &mut FxHashSet<u32>,
) {
    let (mut next, mut seen) = (vec![divisor], FxHashSet::default());
    while let Some(id) = next.pop() {
        if !declared.open.contains(&id) || !seen.insert(id) {
            continue;
        }
        let is_composite = declared.composites.contains_key(&id);
        if !is_composite && declared.constants.get(&id).is_some_and(|value| *value != 0) {
            continue;
        }
        if declared.spec_ids.contains_key(&id) {
            found.extend((!given.contains_key(&id)).then_some(id));
            continue;
        }
        let declares = |instruction: &Instruction<'_>| instruction.operand(1) == Some(id);
        let mut open = words.instructions().filter(|instruction| {
            matches!(instruction.op(), Some(Op::SpecConstantOp | Op::SpecConstantComposite))
        });
        if let Some(instruction) = open.find(declares) {
            let from = usize::from(instruction.op() == Some(Op::SpecConstantOp));
            next.extend(instruction.operands(2 + from));
        }
    }
}

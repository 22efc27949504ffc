//! Divisors that the host provides: specialization constants that are 0 by default, and that the module divides by.

use super::declarations::SpirvDeclarations;
use super::evaluate::{Value, evaluate};
use super::specialized::SpecializedConstants;
use super::types::Type;
use super::words::{Instruction, Words};
use crate::program::{HostSize, HostValue};
use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};

/// The maximum number of instructions that a divisor is followed through.
const STEPS: u32 = 256;
/// The maximum depth of an expression that is evaluated.
const DEPTH: u32 = 8;
/// The assumed value of a divisor.
const ASSUMED: u64 = 4;

/// Computes the constants of `words` with the values `given`, and assumes values for divisors that are 0 by default. Adds these to
/// `given`, and returns them. `Err` is the index of an unsupported instruction.
pub fn specialize(
    words: &Words,
    declared: &mut SpirvDeclarations,
    given: &mut FxHashMap<u32, u64>,
) -> Result<(SpecializedConstants, Vec<HostValue>), usize> {
    let divisions = Divisions::of(words);
    let mut assumed = Vec::new();
    loop {
        let specialized = SpecializedConstants::read(words, declared, given);
        // A constant that is computed by a division by zero ends the evaluation.
        let last = specialized.as_ref().err().map_or(usize::MAX, |at| *at);
        let mut zeros = FxHashSet::default();
        for (at, divisor) in &divisions.divisors {
            if *at <= last {
                zeros.extend(divisions.zeros(*divisor, declared, given));
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

/// The integer divisions of a module.
struct Divisions<'a> {
    words: &'a Words,
    /// By the id of a result: the index of its instruction.
    results: FxHashMap<u32, usize>,
    /// The divisors, each with the index of the instruction that divides.
    divisors: Vec<(usize, u32)>,
}

impl<'a> Divisions<'a> {
    fn of(words: &'a Words) -> Self {
        let divisor = |instruction: Instruction<'_>| {
            let (op, divisor) = match instruction.op()? {
                Op::SpecConstantOp => {
                    (Op::from_u32(instruction.operand(2)?)?, instruction.operand(4)?)
                }
                op => (op, instruction.operand(3)?),
            };
            let divides = matches!(op, Op::SDiv | Op::UDiv | Op::SRem | Op::SMod | Op::UMod);
            divides.then_some((instruction.index, divisor))
        };
        let result =
            |instruction: Instruction<'_>| Some((instruction.result()?.0, instruction.index));
        Self {
            words,
            results: words.instructions().filter_map(result).collect(),
            divisors: words.instructions().filter_map(divisor).collect(),
        }
    }

    /// Returns the operands of the instruction with this result, and its operation.
    fn operation(&self, id: u32) -> Option<(Op, &'a [u32])> {
        let instruction = self.words.get(*self.results.get(&id)?)?;
        match instruction.op()? {
            Op::SpecConstantOp => {
                Some((Op::from_u32(instruction.operand(2)?)?, instruction.operands(3)))
            }
            op => Some((op, instruction.operands(2))),
        }
    }

    /// Returns the specialization constants that make a divisor zero: those that it is computed from, that are zero, and that are
    /// not given.
    fn zeros(
        &self,
        divisor: u32,
        declared: &SpirvDeclarations,
        given: &FxHashMap<u32, u64>,
    ) -> Vec<u32> {
        let (mut zeros, mut next, mut steps) = (Vec::new(), vec![divisor], STEPS);
        while let Some(id) = next.pop().filter(|_| steps > 0) {
            steps -= 1;
            if declared.spec_ids.contains_key(&id) {
                let ty = declared.results.get(&id).and_then(|ty| declared.types.get(ty));
                let is_integer = matches!(ty, Some(Type::Int { width: ..=32, .. }));
                let is_zero = is_integer && declared.constants.get(&id) == Some(&0);
                zeros.extend((is_zero && !given.contains_key(&id)).then_some(id));
            } else if let Some((op, operands)) = self.operation(id)
                && (is_composite(op) || self.value(id, declared, DEPTH) == Some(0))
            {
                next.extend(operands);
            }
        }
        zeros
    }

    /// Returns the value of a scalar that only depends on constants.
    fn value(&self, id: u32, declared: &SpirvDeclarations, depth: u32) -> Option<u64> {
        if let Some(value) = declared.constants.get(&id) {
            return Some((*value).into());
        }
        let (op, operands) = self.operation(id).filter(|_| depth > 0)?;
        // No operation on constants has more operands. Each level multiplies the steps by their number.
        if operands.len() > 3 {
            return None;
        }
        let ty = |id: u32| declared.types.get(declared.results.get(&id)?);
        let (from, to) = (ty(*operands.first()?)?, ty(id)?);
        let of = |id: &u32| self.value(*id, declared, depth - 1).map(Value::Scalar);
        let values: Vec<Value> = operands.iter().map(of).collect::<Option<_>>()?;
        evaluate(op, from, to, &values.iter().collect::<Vec<_>>())?.scalar()
    }
}

fn is_composite(op: Op) -> bool {
    matches!(op, Op::CompositeConstruct | Op::SpecConstantComposite)
}

//! Divisions and remainders that naga translates incorrectly or rejects.

use super::Prepare;
use crate::front::spirv::evaluate::Value;
use crate::front::spirv::words::Instruction;
use rspirv::spirv::Op;

impl Prepare<'_> {
    /// Replaces a division or remainder, if necessary. Returns whether it did.
    ///
    /// naga computes `OpSMod` with floating-point numbers, and only for scalars. It also rejects a constant divisor of zero, which
    /// may be in code that does not run; such a divisor is computed instead.
    pub fn is_division(&mut self, op: Op, at: Instruction<'_>, operands: [u32; 2]) -> bool {
        let [a, mut b] = operands;
        let [Some(ty), Some(id)] = [0, 1].map(|index| at.operand(index)) else { return false };
        let has_zero = self.specialized.value(b).is_some_and(has_zero);
        if has_zero && let Some(of) = self.declared.results.get(&b) {
            let nothing = self.put(at, Op::ISub, *of, &[b, b]);
            b = self.put(at, Op::IAdd, *of, &[nothing, b]);
        }
        if op != Op::SMod {
            if has_zero {
                self.keep(at, &[op as u32, ty, id, a, b]);
            }
            return has_zero;
        }
        match self.declared.vector(ty) {
            Some((of, count)) => {
                let mut parts = Vec::new();
                for index in 0..count {
                    let [a, b] = [a, b]
                        .map(|vector| self.put(at, Op::CompositeExtract, of, &[vector, index]));
                    let part = self.fresh();
                    self.floored(at, of, part, [a, b]);
                    parts.push(part);
                }
                self.keep(
                    at,
                    &[&[Op::CompositeConstruct as u32, ty, id], parts.as_slice()].concat(),
                );
            }
            _ => self.floored(at, ty, id, [a, b]),
        }
        true
    }

    /// Computes the remainder whose sign is that of the divisor.
    fn floored(&mut self, at: Instruction<'_>, ty: u32, id: u32, [a, b]: [u32; 2]) {
        let bool = self.pool.bool;
        // The zero of the type.
        let zero = self.put(at, Op::ISub, ty, &[a, a]);
        let rest = self.put(at, Op::SRem, ty, &[a, b]);
        let is_rest = self.put(at, Op::INotEqual, bool, &[rest, zero]);
        let [of_rest, of_divisor] =
            [rest, b].map(|value| self.put(at, Op::SLessThan, bool, &[value, zero]));
        let differ = self.put(at, Op::LogicalNotEqual, bool, &[of_rest, of_divisor]);
        let moves = self.put(at, Op::LogicalAnd, bool, &[is_rest, differ]);
        let moved = self.put(at, Op::IAdd, ty, &[rest, b]);
        self.keep(at, &[Op::Select as u32, ty, id, moves, moved, rest]);
    }
}

fn has_zero(value: &Value) -> bool {
    match value {
        Value::Scalar(bits) => *bits == 0,
        Value::Composite(parts) => parts.iter().any(has_zero),
    }
}

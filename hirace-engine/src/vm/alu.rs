//! Runs computations on the registers of a fragment: finds the operands and calls [`super::ops`].

use super::code::{Computation, Operation, Range, Register, SubgroupOperation, SubgroupStep};
use super::ops::{self, Slot};
use naga::{BinaryOperator, Scalar, UnaryOperator};

/// The registers of an instruction, split into those of the result, to write, and all others, to read.
struct SplitRegisters<'a, const N: usize> {
    before: &'a [Slot<N>],
    out: &'a mut [Slot<N>],
    after: &'a [Slot<N>],
    start: usize,
}

impl<'a, const N: usize> SplitRegisters<'a, N> {
    fn new(registers: &'a mut [Slot<N>], out: Range) -> Self {
        let start = out.start as usize;
        let (before, rest) = registers.split_at_mut(start);
        let (out, after) = rest.split_at_mut(out.count as usize);
        Self { before, out, after, start }
    }

    /// Returns the registers of an operand, which the result never overlaps.
    #[inline(always)]
    fn operand(&self, range: Range) -> &'a [Slot<N>] {
        let (start, count) = (range.start as usize, range.count as usize);
        if start < self.start {
            &self.before[start..start + count]
        } else if count == 0 {
            &[]
        } else {
            let start = start - self.start - self.out.len();
            &self.after[start..start + count]
        }
    }
}

/// Runs an operator with two operands, with the vector extensions that the processor has.
#[cfg_attr(
    vectors,
    multiversion::multiversion(targets(
        "x86_64+avx+avx2+bmi1+bmi2+lzcnt+popcnt+sse3+ssse3+sse4.1+sse4.2"
    ))
)]
pub fn binary<const N: usize>(
    registers: &mut [Slot<N>],
    op: BinaryOperator,
    scalar: Scalar,
    out: Range,
    left: Range,
    right: Range,
) {
    if let (1, 1, 1) = (out.count, left.count, right.count) {
        // Most operands are scalars.
        let operands = [registers[left.start as usize], registers[right.start as usize]];
        let [left, right] = operands.each_ref().map(std::slice::from_ref);
        let out = std::slice::from_mut(&mut registers[out.start as usize]);
        return ops::binary::binary(op, scalar, left, right, out);
    }
    let split = SplitRegisters::new(registers, out);
    let (left, right) = (split.operand(left), split.operand(right));
    ops::binary::binary(op, scalar, left, right, split.out);
}

/// Runs an operator with one operand.
pub fn unary<const N: usize>(
    registers: &mut [Slot<N>],
    op: UnaryOperator,
    scalar: Scalar,
    out: Range,
    operand: Register,
) {
    let split = SplitRegisters::new(registers, out);
    let operand = split.operand(Range { start: operand, count: out.count });
    ops::unary::unary(op, scalar, operand, split.out);
}

/// Runs any other computation.
pub fn compute<const N: usize>(registers: &mut [Slot<N>], computation: &Computation) {
    let split = SplitRegisters::new(registers, computation.out);
    let operands = computation.operands.map(|range| split.operand(range));
    let [a, b, c, _] = operands;
    let out = split.out;
    match computation.operation {
        Operation::Select(scalar) => ops::relational::select(scalar, a, b, c, out),
        Operation::Convert { from, to } => ops::convert::convert(from, to, a, out),
        Operation::Bitcast { from, to } => ops::convert::bitcast(from, to, a, out),
        Operation::Relational(fun, scalar) => ops::relational::relational(fun, scalar, a, out),
        Operation::Multiply(scalar, left, right) => {
            ops::matrix::multiply(scalar, (a, left), (b, right), out);
        }
        Operation::Transpose(scalar, shape) => ops::matrix::transpose(scalar, a, shape, out),
        Operation::Math(fun, scalar) => {
            let count = operands.iter().take_while(|operand| !operand.is_empty()).count();
            ops::math::math(fun, scalar, &operands[..count], out);
        }
    }
}

/// Runs a subgroup operation among the lanes in `active`.
pub fn subgroup<const N: usize>(registers: &mut [Slot<N>], step: &SubgroupStep, active: u64) {
    let split = SplitRegisters::new(registers, step.out);
    let operand = split.operand(step.operand);
    match step.operation {
        SubgroupOperation::Ballot => {
            if let Ok(out) = split.out.try_into() {
                ops::subgroup::ballot(operand.first(), active, out);
            }
        }
        SubgroupOperation::Gather(mode, index) => {
            let index = index.map(|start| split.operand(Range { start, count: 1 }));
            let index = index.and_then(<[_]>::first);
            ops::subgroup::gather(&mode, index, operand, active, split.out);
        }
        SubgroupOperation::Collective(op, collective, scalar) => {
            ops::subgroup::collective(op, collective, scalar, operand, active, split.out);
        }
    }
}

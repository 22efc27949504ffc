//! Checks the source's claims about values where the values are computed.

use super::Context;
use super::fragment::Fragment;
use crate::ir::claims::Claim;
use crate::vm::code::{Range, ResultClaim};
use crate::vm::run::{BrokenClaim, Invocation};
use naga::{BinaryOperator, Scalar, ScalarKind};

impl<V> Context<'_, '_, V> {
    /// Records the invocations for which a claim does not hold.
    #[inline(never)]
    pub(super) fn claim<const N: usize>(&mut self, f: &Fragment<N>, index: u32, fuel: &mut u64) {
        // Restores the fuel, so that a kernel takes the same number of steps with and without the claim.
        *fuel += 1;
        let result_claim = &self.setup.code.claims[index as usize];
        for lane in (0..N).filter(|lane| f.mask >> lane & 1 == 1) {
            if holds(f, result_claim, lane) {
                continue;
            }
            let words = |range: Range| f.registers[range.indices()].iter().map(|lanes| lanes[lane]);
            let local = f.first + lane as u32;
            self.tally.record_broken_claim(index, || BrokenClaim {
                claim: result_claim.claim,
                op: result_claim.op,
                scalar: result_claim.scalar,
                left: words(result_claim.left).collect(),
                right: words(result_claim.right).collect(),
                span: result_claim.span,
                invocation: Invocation { workgroup: self.workgroup, local },
                count: 0,
            });
        }
    }
}

/// Returns whether a claim holds in a lane.
pub(in crate::vm) fn holds<const N: usize>(
    f: &Fragment<N>,
    result_claim: &ResultClaim,
    lane: usize,
) -> bool {
    let mut results = f.registers[result_claim.result.indices()].iter().map(|lanes| lanes[lane]);
    match result_claim.claim {
        Claim::InRange => {
            let first = |range: Range| f.registers[range.start as usize][lane];
            in_range(
                result_claim.op,
                result_claim.scalar,
                first(result_claim.left),
                first(result_claim.right),
            )
        }
        // Vectors differ if any of their components differ.
        Claim::Different => results.any(|word| word != 0),
        Claim::Holds | Claim::Equal | Claim::Unreached => results.all(|word| word != 0),
    }
}

/// Returns whether the result of a 32-bit integer operator fits in 32 bits.
fn in_range(op: BinaryOperator, scalar: Scalar, left: u32, right: u32) -> bool {
    if scalar.kind == ScalarKind::Sint {
        let (left, right) = (left as i32, right as i32);
        return match op {
            BinaryOperator::Add => left.checked_add(right).is_some(),
            BinaryOperator::Subtract => left.checked_sub(right).is_some(),
            BinaryOperator::Multiply => left.checked_mul(right).is_some(),
            _ => true,
        };
    }
    match op {
        BinaryOperator::Add => left.checked_add(right).is_some(),
        BinaryOperator::Subtract => left.checked_sub(right).is_some(),
        BinaryOperator::Multiply => left.checked_mul(right).is_some(),
        _ => true,
    }
}

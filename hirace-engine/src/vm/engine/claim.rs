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
    pub(super) fn claim<const N: usize>(&mut self, f: &Fragment<N>, index: u32, left: &mut u64) {
        // Restores the fuel, so that a kernel takes the same number of steps with and without the claim.
        *left += 1;
        let claimed = &self.setup.code.claims[index as usize];
        for lane in (0..N).filter(|lane| f.mask >> lane & 1 == 1) {
            if holds(f, claimed, lane) {
                continue;
            }
            let words = |of: Range| f.registers[of.indices()].iter().map(|lanes| lanes[lane]);
            let local = f.first + lane as u32;
            self.tally.record_broken_claim(index, || BrokenClaim {
                claim: claimed.claim,
                op: claimed.op,
                scalar: claimed.scalar,
                left: words(claimed.left).collect(),
                right: words(claimed.right).collect(),
                span: claimed.span,
                invocation: Invocation { workgroup: self.workgroup, local },
                count: 0,
            });
        }
    }
}

/// Returns whether a claim holds in a lane.
pub(in crate::vm) fn holds<const N: usize>(
    f: &Fragment<N>,
    claimed: &ResultClaim,
    lane: usize,
) -> bool {
    let mut results = f.registers[claimed.result.indices()].iter().map(|lanes| lanes[lane]);
    match claimed.claim {
        Claim::InRange => {
            let first = |of: Range| f.registers[of.start as usize][lane];
            in_range(claimed.op, claimed.scalar, first(claimed.left), first(claimed.right))
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

//! Functions of subgroups and quads: what the active invocations of a subgroup give each other.
#![allow(unused_variables, reason = "the functions stand for WGSL's and have no bodies")]

use super::classes::{Integer, Numeric};
use super::never_executed;
use glam::UVec4;

/// `subgroupAdd(e)`: the sum over all invocations.
pub fn subgroup_add<T: Numeric>(e: T) -> T {
    never_executed()
}

/// `subgroupMul(e)`: the product over all invocations.
pub fn subgroup_mul<T: Numeric>(e: T) -> T {
    never_executed()
}

/// `subgroupMin(e)`: the least of all invocations.
pub fn subgroup_min<T: Numeric>(e: T) -> T {
    never_executed()
}

/// `subgroupMax(e)`: the greatest of all invocations.
pub fn subgroup_max<T: Numeric>(e: T) -> T {
    never_executed()
}

/// `subgroupInclusiveAdd(e)`: the sum over the invocations up to this one.
pub fn subgroup_inclusive_add<T: Numeric>(e: T) -> T {
    never_executed()
}

/// `subgroupInclusiveMul(e)`: the product over the invocations up to this one.
pub fn subgroup_inclusive_mul<T: Numeric>(e: T) -> T {
    never_executed()
}

/// `subgroupExclusiveAdd(e)`: the sum over the invocations before this one.
pub fn subgroup_exclusive_add<T: Numeric>(e: T) -> T {
    never_executed()
}

/// `subgroupExclusiveMul(e)`: the product over the invocations before this one.
pub fn subgroup_exclusive_mul<T: Numeric>(e: T) -> T {
    never_executed()
}

/// `subgroupAnd(e)`: all invocations' bits, by `&`.
pub fn subgroup_and<T: Integer>(e: T) -> T {
    never_executed()
}

/// `subgroupOr(e)`: all invocations' bits, by `|`.
pub fn subgroup_or<T: Integer>(e: T) -> T {
    never_executed()
}

/// `subgroupXor(e)`: all invocations' bits, by `^`.
pub fn subgroup_xor<T: Integer>(e: T) -> T {
    never_executed()
}

/// `subgroupAll(e)`: whether `e` is true for all invocations.
pub fn subgroup_all(e: bool) -> bool {
    never_executed()
}

/// `subgroupAny(e)`: whether `e` is true for any invocation.
pub fn subgroup_any(e: bool) -> bool {
    never_executed()
}

/// `subgroupBallot(e)`: a bit for each invocation, 1 where `e` is true.
pub fn subgroup_ballot(e: bool) -> UVec4 {
    never_executed()
}

/// `subgroupElect()`: true for the first active invocation alone.
pub fn subgroup_elect() -> bool {
    never_executed()
}

/// `subgroupBroadcastFirst(e)`: what the first active invocation gives.
pub fn subgroup_broadcast_first<T: Numeric>(e: T) -> T {
    never_executed()
}

/// `subgroupBroadcast(e, id)`: what invocation `id`, a constant, gives.
pub fn subgroup_broadcast<T: Numeric>(e: T, id: u32) -> T {
    never_executed()
}

/// `subgroupShuffle(e, id)`: what invocation `id` gives.
pub fn subgroup_shuffle<T: Numeric>(e: T, id: u32) -> T {
    never_executed()
}

/// `subgroupShuffleDown(e, delta)`: what the invocation `delta` after this one gives.
pub fn subgroup_shuffle_down<T: Numeric>(e: T, delta: u32) -> T {
    never_executed()
}

/// `subgroupShuffleUp(e, delta)`: what the invocation `delta` before this one gives.
pub fn subgroup_shuffle_up<T: Numeric>(e: T, delta: u32) -> T {
    never_executed()
}

/// `subgroupShuffleXor(e, mask)`: what the invocation whose id differs by the bits of `mask` gives.
pub fn subgroup_shuffle_xor<T: Numeric>(e: T, mask: u32) -> T {
    never_executed()
}

/// `quadBroadcast(e, id)`: what invocation `id` of the quad, a constant, gives.
pub fn quad_broadcast<T: Numeric>(e: T, id: u32) -> T {
    never_executed()
}

/// `quadSwapX(e)`: what the quad's invocation beside this one gives.
pub fn quad_swap_x<T: Numeric>(e: T) -> T {
    never_executed()
}

/// `quadSwapY(e)`: what the quad's invocation above or below this one gives.
pub fn quad_swap_y<T: Numeric>(e: T) -> T {
    never_executed()
}

/// `quadSwapDiagonal(e)`: what the quad's invocation across from this one gives.
pub fn quad_swap_diagonal<T: Numeric>(e: T) -> T {
    never_executed()
}

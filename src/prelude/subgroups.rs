//! Functions of subgroups and quads, which exchange values between the active invocations.
#![allow(unused_variables, reason = "the functions represent WGSL functions and have no bodies")]

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

/// `subgroupMin(e)`: the minimum over all invocations.
pub fn subgroup_min<T: Numeric>(e: T) -> T {
    never_executed()
}

/// `subgroupMax(e)`: the maximum over all invocations.
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

/// `subgroupAnd(e)`: the bitwise and over all invocations.
pub fn subgroup_and<T: Integer>(e: T) -> T {
    never_executed()
}

/// `subgroupOr(e)`: the bitwise or over all invocations.
pub fn subgroup_or<T: Integer>(e: T) -> T {
    never_executed()
}

/// `subgroupXor(e)`: the bitwise exclusive or over all invocations.
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

/// `subgroupBallot(e)`: one bit per invocation, which is 1 if `e` is true for the invocation.
pub fn subgroup_ballot(e: bool) -> UVec4 {
    never_executed()
}

/// `subgroupElect()`: true only for the first active invocation.
pub fn subgroup_elect() -> bool {
    never_executed()
}

/// `subgroupBroadcastFirst(e)`: the value of the first active invocation.
pub fn subgroup_broadcast_first<T: Numeric>(e: T) -> T {
    never_executed()
}

/// `subgroupBroadcast(e, id)`: the value of invocation `id`, which is a constant.
pub fn subgroup_broadcast<T: Numeric>(e: T, id: u32) -> T {
    never_executed()
}

/// `subgroupShuffle(e, id)`: the value of invocation `id`.
pub fn subgroup_shuffle<T: Numeric>(e: T, id: u32) -> T {
    never_executed()
}

/// `subgroupShuffleDown(e, delta)`: the value of the invocation whose id is larger by `delta`.
pub fn subgroup_shuffle_down<T: Numeric>(e: T, delta: u32) -> T {
    never_executed()
}

/// `subgroupShuffleUp(e, delta)`: the value of the invocation whose id is smaller by `delta`.
pub fn subgroup_shuffle_up<T: Numeric>(e: T, delta: u32) -> T {
    never_executed()
}

/// `subgroupShuffleXor(e, mask)`: the value of the invocation whose id differs in the bits of `mask`.
pub fn subgroup_shuffle_xor<T: Numeric>(e: T, mask: u32) -> T {
    never_executed()
}

/// `quadBroadcast(e, id)`: the value of invocation `id` of the quad, which is a constant.
pub fn quad_broadcast<T: Numeric>(e: T, id: u32) -> T {
    never_executed()
}

/// `quadSwapX(e)`: the value of the quad's horizontal neighbor.
pub fn quad_swap_x<T: Numeric>(e: T) -> T {
    never_executed()
}

/// `quadSwapY(e)`: the value of the quad's vertical neighbor.
pub fn quad_swap_y<T: Numeric>(e: T) -> T {
    never_executed()
}

/// `quadSwapDiagonal(e)`: the value of the quad's diagonal neighbor.
pub fn quad_swap_diagonal<T: Numeric>(e: T) -> T {
    never_executed()
}

//! Subgroup and quad functions.

use super::super::tree::Scalar::{Bool, U32};
use super::Emit::{Call, Template};
use super::Parameter::{Constant, Scalar, T, Vector};
use super::{Builtin, Class, row};

/// Creates the row of a function on one number per invocation.
const fn numeric(name: &'static str, function: &'static str) -> Builtin {
    row(name, Class::Numeric, &[T], T, Call(function))
}

/// Creates the row of a function on one integer per invocation.
const fn integer(name: &'static str, function: &'static str) -> Builtin {
    row(name, Class::Integer, &[T], T, Call(function))
}

/// Creates the row of a function that reads the value of the invocation at an offset.
const fn shuffle(name: &'static str, function: &'static str) -> Builtin {
    row(name, Class::Numeric, &[T, Scalar(U32)], T, Call(function))
}

pub(super) const FUNCTIONS: &[Builtin] = &[
    numeric("subgroup_add", "subgroupAdd"),
    numeric("subgroup_mul", "subgroupMul"),
    numeric("subgroup_min", "subgroupMin"),
    numeric("subgroup_max", "subgroupMax"),
    numeric("subgroup_inclusive_add", "subgroupInclusiveAdd"),
    numeric("subgroup_inclusive_mul", "subgroupInclusiveMul"),
    numeric("subgroup_exclusive_add", "subgroupExclusiveAdd"),
    numeric("subgroup_exclusive_mul", "subgroupExclusiveMul"),
    integer("subgroup_and", "subgroupAnd"),
    integer("subgroup_or", "subgroupOr"),
    integer("subgroup_xor", "subgroupXor"),
    row("subgroup_all", Class::None, &[Scalar(Bool)], Scalar(Bool), Call("subgroupAll")),
    row("subgroup_any", Class::None, &[Scalar(Bool)], Scalar(Bool), Call("subgroupAny")),
    row("subgroup_ballot", Class::None, &[Scalar(Bool)], Vector(4, U32), Call("subgroupBallot")),
    // naga does not support WGSL's own function. The first active invocation is the one with no active invocation
    // before it.
    row(
        "subgroup_elect",
        Class::None,
        &[],
        Scalar(Bool),
        Template("(subgroupExclusiveAdd(1u) == 0u)"),
    ),
    numeric("subgroup_broadcast_first", "subgroupBroadcastFirst"),
    row("subgroup_broadcast", Class::Numeric, &[T, Constant(U32)], T, Call("subgroupBroadcast")),
    shuffle("subgroup_shuffle", "subgroupShuffle"),
    shuffle("subgroup_shuffle_down", "subgroupShuffleDown"),
    shuffle("subgroup_shuffle_up", "subgroupShuffleUp"),
    shuffle("subgroup_shuffle_xor", "subgroupShuffleXor"),
    row("quad_broadcast", Class::Numeric, &[T, Constant(U32)], T, Call("quadBroadcast")),
    numeric("quad_swap_x", "quadSwapX"),
    numeric("quad_swap_y", "quadSwapY"),
    numeric("quad_swap_diagonal", "quadSwapDiagonal"),
];

//! Functions of memory and of several invocations: atomics, barriers, and subgroup and quad functions. Atomics are functions on
//! places, and `std`'s methods of `Atomic<T>`. The methods take no memory orderings, because all atomics in WGSL are relaxed.

use super::Emit::{self, Call, Retried, Template};
use super::Parameter::{
    ArrayPlace, AtomicPlace, Constant, Exchange, Held, Place, Scalar, T, Unit, Vector,
};
use super::{Builtin, Class};
use crate::types::Scalar::{Bool, U32, Usize};

/// WGSL has only the weak form; the strong form is built from it.
const WEAK: Emit = Call("atomicCompareExchangeWeak");
const STRONG: Emit = Retried("atomicCompareExchangeWeak");

pub(super) const FUNCTIONS: &[Builtin] = table! {
    "atomic_load": Class::Atomic, [AtomicPlace] => T, Call("atomicLoad");
    "atomic_store": Class::Atomic, [AtomicPlace, T] => Unit, Call("atomicStore");
    "atomic_add": Class::Atomic, [AtomicPlace, T] => T, Call("atomicAdd");
    "atomic_sub": Class::Atomic, [AtomicPlace, T] => T, Call("atomicSub");
    "atomic_max": Class::Atomic, [AtomicPlace, T] => T, Call("atomicMax");
    "atomic_min": Class::Atomic, [AtomicPlace, T] => T, Call("atomicMin");
    "atomic_and": Class::Atomic, [AtomicPlace, T] => T, Call("atomicAnd");
    "atomic_or": Class::Atomic, [AtomicPlace, T] => T, Call("atomicOr");
    "atomic_xor": Class::Atomic, [AtomicPlace, T] => T, Call("atomicXor");
    "atomic_exchange": Class::Atomic, [AtomicPlace, T] => T, Call("atomicExchange");
    "atomic_compare_exchange_weak": Class::Atomic, [AtomicPlace, T, T] => Exchange, WEAK;
    "workgroup_barrier": Class::None, [] => Unit, Call("workgroupBarrier");
    "storage_barrier": Class::None, [] => Unit, Call("storageBarrier");
    "texture_barrier": Class::None, [] => Unit, Call("textureBarrier");
    "subgroup_barrier": Class::None, [] => Unit, Call("subgroupBarrier");
    "workgroup_uniform_load": Class::Any, [Place] => Held, Call("workgroupUniformLoad");
    "array_length": Class::None, [ArrayPlace] => Scalar(U32), Call("arrayLength");
    "subgroup_add": Class::Numeric, [T] => T, Call("subgroupAdd");
    "subgroup_mul": Class::Numeric, [T] => T, Call("subgroupMul");
    "subgroup_min": Class::Numeric, [T] => T, Call("subgroupMin");
    "subgroup_max": Class::Numeric, [T] => T, Call("subgroupMax");
    "subgroup_inclusive_add": Class::Numeric, [T] => T, Call("subgroupInclusiveAdd");
    "subgroup_inclusive_mul": Class::Numeric, [T] => T, Call("subgroupInclusiveMul");
    "subgroup_exclusive_add": Class::Numeric, [T] => T, Call("subgroupExclusiveAdd");
    "subgroup_exclusive_mul": Class::Numeric, [T] => T, Call("subgroupExclusiveMul");
    "subgroup_and": Class::Integer, [T] => T, Call("subgroupAnd");
    "subgroup_or": Class::Integer, [T] => T, Call("subgroupOr");
    "subgroup_xor": Class::Integer, [T] => T, Call("subgroupXor");
    "subgroup_all": Class::None, [Scalar(Bool)] => Scalar(Bool), Call("subgroupAll");
    "subgroup_any": Class::None, [Scalar(Bool)] => Scalar(Bool), Call("subgroupAny");
    "subgroup_ballot": Class::None, [Scalar(Bool)] => Vector(4, U32), Call("subgroupBallot");
    // naga does not support WGSL's own function. The first active invocation is the one with no active invocation
    // before it.
    "subgroup_elect": Class::None, [] => Scalar(Bool), Template("(subgroupExclusiveAdd(1u) == 0u)");
    "subgroup_broadcast_first": Class::Numeric, [T] => T, Call("subgroupBroadcastFirst");
    "subgroup_broadcast": Class::Numeric, [T, Constant(U32)] => T, Call("subgroupBroadcast");
    "subgroup_shuffle": Class::Numeric, [T, Scalar(U32)] => T, Call("subgroupShuffle");
    "subgroup_shuffle_down": Class::Numeric, [T, Scalar(U32)] => T, Call("subgroupShuffleDown");
    "subgroup_shuffle_up": Class::Numeric, [T, Scalar(U32)] => T, Call("subgroupShuffleUp");
    "subgroup_shuffle_xor": Class::Numeric, [T, Scalar(U32)] => T, Call("subgroupShuffleXor");
    "quad_broadcast": Class::Numeric, [T, Constant(U32)] => T, Call("quadBroadcast");
    "quad_swap_x": Class::Numeric, [T] => T, Call("quadSwapX");
    "quad_swap_y": Class::Numeric, [T] => T, Call("quadSwapY");
    "quad_swap_diagonal": Class::Numeric, [T] => T, Call("quadSwapDiagonal");
};

pub(super) const METHODS: &[Builtin] = table! {
    "load": Class::Atomic, [AtomicPlace] => T, Call("atomicLoad");
    "store": Class::Atomic, [AtomicPlace, T] => Unit, Call("atomicStore");
    "fetch_add": Class::Atomic, [AtomicPlace, T] => T, Call("atomicAdd");
    "fetch_sub": Class::Atomic, [AtomicPlace, T] => T, Call("atomicSub");
    "fetch_max": Class::Atomic, [AtomicPlace, T] => T, Call("atomicMax");
    "fetch_min": Class::Atomic, [AtomicPlace, T] => T, Call("atomicMin");
    "fetch_and": Class::Atomic, [AtomicPlace, T] => T, Call("atomicAnd");
    "fetch_or": Class::Atomic, [AtomicPlace, T] => T, Call("atomicOr");
    "fetch_xor": Class::Atomic, [AtomicPlace, T] => T, Call("atomicXor");
    "swap": Class::Atomic, [AtomicPlace, T] => T, Call("atomicExchange");
    "compare_exchange": Class::Atomic, [AtomicPlace, T, T] => Exchange, STRONG;
    "compare_exchange_weak": Class::Atomic, [AtomicPlace, T, T] => Exchange, WEAK;
    "len": Class::None, [ArrayPlace] => Scalar(Usize), Call("arrayLength");
};

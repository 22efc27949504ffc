//! Atomics: WGSL's functions on places, and `std`'s methods of `Atomic<T>`. The methods take no memory orderings,
//! because all atomics in WGSL are relaxed.

use super::Emit::{self, Call, Retried};
use super::Parameter::{AtomicPlace, Exchange, T, Unit};
use super::{Builtin, Class, row};

/// Creates the row of a function that replaces the value and returns the old one.
const fn modify(name: &'static str, function: &'static str) -> Builtin {
    row(name, Class::Atomic, &[AtomicPlace, T], T, Call(function))
}

/// Creates the row of a compare-exchange. WGSL has only the weak form; the strong form is built from it.
const fn exchange(name: &'static str, emit: Emit) -> Builtin {
    row(name, Class::Atomic, &[AtomicPlace, T, T], Exchange, emit)
}

const WEAK: Emit = Call("atomicCompareExchangeWeak");
const STRONG: Emit = Retried("atomicCompareExchangeWeak");

pub(super) const FUNCTIONS: &[Builtin] = &[
    row("atomic_load", Class::Atomic, &[AtomicPlace], T, Call("atomicLoad")),
    row("atomic_store", Class::Atomic, &[AtomicPlace, T], Unit, Call("atomicStore")),
    modify("atomic_add", "atomicAdd"),
    modify("atomic_sub", "atomicSub"),
    modify("atomic_max", "atomicMax"),
    modify("atomic_min", "atomicMin"),
    modify("atomic_and", "atomicAnd"),
    modify("atomic_or", "atomicOr"),
    modify("atomic_xor", "atomicXor"),
    modify("atomic_exchange", "atomicExchange"),
    exchange("atomic_compare_exchange_weak", WEAK),
];

pub(super) const METHODS: &[Builtin] = &[
    row("load", Class::Atomic, &[AtomicPlace], T, Call("atomicLoad")),
    row("store", Class::Atomic, &[AtomicPlace, T], Unit, Call("atomicStore")),
    modify("fetch_add", "atomicAdd"),
    modify("fetch_sub", "atomicSub"),
    modify("fetch_max", "atomicMax"),
    modify("fetch_min", "atomicMin"),
    modify("fetch_and", "atomicAnd"),
    modify("fetch_or", "atomicOr"),
    modify("fetch_xor", "atomicXor"),
    modify("swap", "atomicExchange"),
    exchange("compare_exchange", STRONG),
    exchange("compare_exchange_weak", WEAK),
];

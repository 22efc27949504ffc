//! Atomics. All WGSL atomics are relaxed, so there are no orderings to choose from: they do not order other accesses.
#![allow(unused_variables, reason = "the functions represent WGSL functions and have no bodies")]

use super::classes::{
    AtomicPlace, AtomicSource, AtomicValue, Sealed, SealedLoadable, UniformLoadable,
};
use super::never_executed;

/// WGSL's `atomic<T>`: memory that several invocations may access at the same time, of type `u32` or `i32`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Atomic<T>(T);

impl<T> Atomic<T> {
    /// Creates an atomic with this value, for a test to write to a buffer.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// Returns the value, for a test that has read a buffer.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T: AtomicValue> Atomic<T> {
    /// `atomicLoad(&self)`.
    pub fn load(&self) -> T {
        never_executed()
    }

    /// `atomicStore(&self, value)`.
    pub fn store(&self, value: T) {
        never_executed()
    }

    /// `atomicAdd(&self, value)`, wrapping; returns the old value.
    pub fn fetch_add(&self, value: T) -> T {
        never_executed()
    }

    /// `atomicSub(&self, value)`, wrapping; returns the old value.
    pub fn fetch_sub(&self, value: T) -> T {
        never_executed()
    }

    /// `atomicMax(&self, value)`; returns the old value.
    pub fn fetch_max(&self, value: T) -> T {
        never_executed()
    }

    /// `atomicMin(&self, value)`; returns the old value.
    pub fn fetch_min(&self, value: T) -> T {
        never_executed()
    }

    /// `atomicAnd(&self, value)`; returns the old value.
    pub fn fetch_and(&self, value: T) -> T {
        never_executed()
    }

    /// `atomicOr(&self, value)`; returns the old value.
    pub fn fetch_or(&self, value: T) -> T {
        never_executed()
    }

    /// `atomicXor(&self, value)`; returns the old value.
    pub fn fetch_xor(&self, value: T) -> T {
        never_executed()
    }

    /// `atomicExchange(&self, value)`: stores `value` and returns the old one.
    pub fn swap(&self, value: T) -> T {
        never_executed()
    }

    /// Stores `new` if the value is `current`. Returns the old value, as `Ok` if `new` was stored. Repeats
    /// `atomicCompareExchangeWeak(&self, current, new)` while it fails spuriously.
    pub fn compare_exchange(&self, current: T, new: T) -> Result<T, T> {
        never_executed()
    }

    /// `atomicCompareExchangeWeak(&self, current, new)`: stores `new` if the value is `current`. Returns the old value, as `Ok`
    /// if `new` was stored. May fail spuriously.
    pub fn compare_exchange_weak(&self, current: T, new: T) -> Result<T, T> {
        never_executed()
    }

    /// Returns the same memory for plain accesses: `*hits.plain() += 1` is a plain read and a plain write, and races with
    /// accesses of other invocations.
    #[allow(
        clippy::mut_from_ref,
        reason = "no reference is created: a kernel's Rust code does not run"
    )]
    pub fn plain(&self) -> &mut T {
        never_executed()
    }
}

/// `atomicLoad(place)`.
pub fn atomic_load<P: AtomicSource>(place: P) -> P::Value {
    never_executed()
}

/// `atomicStore(place, value)`.
pub fn atomic_store<P: AtomicPlace>(place: P, value: P::Value) {
    never_executed()
}

/// `atomicAdd(place, value)`, wrapping; returns the old value.
pub fn atomic_add<P: AtomicPlace>(place: P, value: P::Value) -> P::Value {
    never_executed()
}

/// `atomicSub(place, value)`, wrapping; returns the old value.
pub fn atomic_sub<P: AtomicPlace>(place: P, value: P::Value) -> P::Value {
    never_executed()
}

/// `atomicMax(place, value)`; returns the old value.
pub fn atomic_max<P: AtomicPlace>(place: P, value: P::Value) -> P::Value {
    never_executed()
}

/// `atomicMin(place, value)`; returns the old value.
pub fn atomic_min<P: AtomicPlace>(place: P, value: P::Value) -> P::Value {
    never_executed()
}

/// `atomicAnd(place, value)`; returns the old value.
pub fn atomic_and<P: AtomicPlace>(place: P, value: P::Value) -> P::Value {
    never_executed()
}

/// `atomicOr(place, value)`; returns the old value.
pub fn atomic_or<P: AtomicPlace>(place: P, value: P::Value) -> P::Value {
    never_executed()
}

/// `atomicXor(place, value)`; returns the old value.
pub fn atomic_xor<P: AtomicPlace>(place: P, value: P::Value) -> P::Value {
    never_executed()
}

/// `atomicExchange(place, value)`: stores `value` and returns the old one.
pub fn atomic_exchange<P: AtomicPlace>(place: P, value: P::Value) -> P::Value {
    never_executed()
}

/// `atomicCompareExchangeWeak(place, current, new)`: stores `new` if the value is `current`. Returns the old value, as `Ok` if
/// `new` was stored. May fail spuriously.
pub fn atomic_compare_exchange_weak<P: AtomicPlace>(
    place: P,
    current: P::Value,
    new: P::Value,
) -> Result<P::Value, P::Value> {
    never_executed()
}

impl<T> Sealed for &Atomic<T> {}
impl<T> Sealed for &mut Atomic<T> {}
impl<T: AtomicValue> AtomicSource for &Atomic<T> {
    type Value = T;
}
impl<T: AtomicValue> AtomicSource for &mut Atomic<T> {
    type Value = T;
}
impl<T: AtomicValue> AtomicPlace for &Atomic<T> {}
impl<T: AtomicValue> AtomicPlace for &mut Atomic<T> {}
impl<T: AtomicValue> SealedLoadable for Atomic<T> {}
impl<T: AtomicValue> UniformLoadable for Atomic<T> {
    type Value = T;
}

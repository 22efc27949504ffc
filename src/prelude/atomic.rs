//! Atomics. All of WGSL's are relaxed, so there are no orderings to choose from: nothing is ordered by them.
#![allow(unused_variables, reason = "the functions stand for WGSL's and have no bodies")]

use super::classes::{AtomicPlace, AtomicSource, AtomicValue};
use super::never_executed;

/// WGSL's `atomic<T>`: memory that invocations may touch at the same time, of type `u32` or `i32`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Atomic<T>(T);

impl<T> Atomic<T> {
    /// An atomic that holds `value`: what a test puts into a buffer.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// What it holds: what a test finds in a buffer.
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

    /// `atomicAdd(&self, value)`, wrapping; gives the old value.
    pub fn fetch_add(&self, value: T) -> T {
        never_executed()
    }

    /// `atomicSub(&self, value)`, wrapping; gives the old value.
    pub fn fetch_sub(&self, value: T) -> T {
        never_executed()
    }

    /// `atomicMax(&self, value)`; gives the old value.
    pub fn fetch_max(&self, value: T) -> T {
        never_executed()
    }

    /// `atomicMin(&self, value)`; gives the old value.
    pub fn fetch_min(&self, value: T) -> T {
        never_executed()
    }

    /// `atomicAnd(&self, value)`; gives the old value.
    pub fn fetch_and(&self, value: T) -> T {
        never_executed()
    }

    /// `atomicOr(&self, value)`; gives the old value.
    pub fn fetch_or(&self, value: T) -> T {
        never_executed()
    }

    /// `atomicXor(&self, value)`; gives the old value.
    pub fn fetch_xor(&self, value: T) -> T {
        never_executed()
    }

    /// `atomicExchange(&self, value)`: stores `value` and gives the old one.
    pub fn swap(&self, value: T) -> T {
        never_executed()
    }

    /// Stores `new` if the value is `current`, and gives the old value, `Ok` if it stored:
    /// `atomicCompareExchangeWeak(&self, current, new)`, again while it fails although the value is `current`.
    pub fn compare_exchange(&self, current: T, new: T) -> Result<T, T> {
        never_executed()
    }

    /// `atomicCompareExchangeWeak(&self, current, new)`: stores `new` if the value is `current`, and gives the
    /// old value, `Ok` if it stored. May fail although the value is `current`.
    pub fn compare_exchange_weak(&self, current: T, new: T) -> Result<T, T> {
        never_executed()
    }

    /// The same memory, touched as if it were not atomic: `*hits.plain() += 1` is a plain read and a plain
    /// write, and races with what others do.
    #[allow(clippy::mut_from_ref, reason = "no reference comes of it: a kernel's Rust is not run")]
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

/// `atomicAdd(place, value)`, wrapping; gives the old value.
pub fn atomic_add<P: AtomicPlace>(place: P, value: P::Value) -> P::Value {
    never_executed()
}

/// `atomicSub(place, value)`, wrapping; gives the old value.
pub fn atomic_sub<P: AtomicPlace>(place: P, value: P::Value) -> P::Value {
    never_executed()
}

/// `atomicMax(place, value)`; gives the old value.
pub fn atomic_max<P: AtomicPlace>(place: P, value: P::Value) -> P::Value {
    never_executed()
}

/// `atomicMin(place, value)`; gives the old value.
pub fn atomic_min<P: AtomicPlace>(place: P, value: P::Value) -> P::Value {
    never_executed()
}

/// `atomicAnd(place, value)`; gives the old value.
pub fn atomic_and<P: AtomicPlace>(place: P, value: P::Value) -> P::Value {
    never_executed()
}

/// `atomicOr(place, value)`; gives the old value.
pub fn atomic_or<P: AtomicPlace>(place: P, value: P::Value) -> P::Value {
    never_executed()
}

/// `atomicXor(place, value)`; gives the old value.
pub fn atomic_xor<P: AtomicPlace>(place: P, value: P::Value) -> P::Value {
    never_executed()
}

/// `atomicExchange(place, value)`: stores `value` and gives the old one.
pub fn atomic_exchange<P: AtomicPlace>(place: P, value: P::Value) -> P::Value {
    never_executed()
}

/// `atomicCompareExchangeWeak(place, current, new)`: stores `new` if the value is `current`, and gives the old
/// value, `Ok` if it stored. May fail although the value is `current`.
pub fn atomic_compare_exchange_weak<P: AtomicPlace>(
    place: P,
    current: P::Value,
    new: P::Value,
) -> Result<P::Value, P::Value> {
    never_executed()
}

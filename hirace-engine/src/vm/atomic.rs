//! Atomic read-modify-write operations of every function and type.

use naga::{AtomicFunction, Scalar, ScalarKind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// One atomic operation by one invocation. 32-bit values are in the low half.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Update {
    /// The function that is applied to the old value.
    pub function: AtomicFunction,
    /// The scalar type of the value.
    pub scalar: Scalar,
    /// The operand.
    pub value: u64,
    /// The expected value of a compare-and-exchange.
    pub compare: Option<u64>,
}

/// Locks for 64-bit atomics. The host has no atomic operation on their two words, so each operation holds one
/// of these locks. Plain accesses do not take the lock; seeing half of a value is one effect of a data race.
static WIDE_LOCKS: [Mutex<()>; 64] = [const { Mutex::new(()) }; 64];

impl Update {
    /// Performs the operation on the word (or two words) at `index` of a buffer. Returns the old value; 0 if
    /// the index is out of bounds.
    pub fn on_buffer(&self, words: &[AtomicU32], index: usize) -> u64 {
        if self.scalar.width == 8 {
            let [Some(low), Some(high)] = [words.get(index), words.get(index + 1)] else {
                return 0;
            };
            let lock = &WIDE_LOCKS[index / 2 % WIDE_LOCKS.len()];
            let _held = lock.lock().unwrap_or_else(PoisonError::into_inner);
            let read = |word: &AtomicU32| u64::from(word.load(Ordering::Relaxed));
            let old = read(low) | read(high) << 32;
            let new = self.apply(old);
            low.store(new as u32, Ordering::Relaxed);
            high.store((new >> 32) as u32, Ordering::Relaxed);
            return old;
        }
        let Some(word) = words.get(index) else { return 0 };
        let update = |old: u32| Some(self.apply(old.into()) as u32);
        let old = match (self.function, self.scalar.kind) {
            (AtomicFunction::Add, ScalarKind::Sint | ScalarKind::Uint) => {
                word.fetch_add(self.value as u32, Ordering::Relaxed)
            }
            _ => word
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, update)
                .unwrap_or_else(|old| old),
        };
        old.into()
    }

    /// Performs the operation on the word (or two words) at `index` of a workgroup variable.
    pub fn on_words(&self, words: &mut [u32], index: usize) -> u64 {
        if self.scalar.width == 8 {
            let Some([low, high]) = words.get_mut(index..index + 2) else { return 0 };
            let old = u64::from(*low) | u64::from(*high) << 32;
            let new = self.apply(old);
            (*low, *high) = (new as u32, (new >> 32) as u32);
            return old;
        }
        let Some(word) = words.get_mut(index) else { return 0 };
        let old = u64::from(*word);
        *word = self.apply(old) as u32;
        old
    }

    /// Returns whether the operation changes the old value.
    pub fn changes(&self, old: u64) -> bool {
        let new = self.apply(old);
        if self.scalar.width == 8 { new != old } else { new as u32 != old as u32 }
    }

    /// Returns the new value.
    pub fn apply(&self, old: u64) -> u64 {
        let value = self.value;
        let signed = |bits: u64| match self.scalar.width {
            8 => bits as i64,
            _ => i64::from(bits as u32 as i32),
        };
        match (self.function, self.scalar.kind) {
            (AtomicFunction::Exchange { compare: None }, _) => value,
            (AtomicFunction::Exchange { compare: Some(_) }, _) => {
                if self.compare == Some(old) {
                    value
                } else {
                    old
                }
            }
            (function, ScalarKind::Float) => self.apply_float(function, old),
            (AtomicFunction::Add, _) => old.wrapping_add(value),
            (AtomicFunction::Subtract, _) => old.wrapping_sub(value),
            (AtomicFunction::And, _) => old & value,
            (AtomicFunction::ExclusiveOr, _) => old ^ value,
            (AtomicFunction::InclusiveOr, _) => old | value,
            (AtomicFunction::Min, ScalarKind::Sint) => signed(old).min(signed(value)) as u64,
            (AtomicFunction::Max, ScalarKind::Sint) => signed(old).max(signed(value)) as u64,
            (AtomicFunction::Min, _) => old.min(value),
            (AtomicFunction::Max, _) => old.max(value),
        }
    }

    fn apply_float(&self, function: AtomicFunction, old: u64) -> u64 {
        if self.scalar.width == 8 {
            let (a, b) = (f64::from_bits(old), f64::from_bits(self.value));
            return match function {
                AtomicFunction::Add => a + b,
                AtomicFunction::Subtract => a - b,
                AtomicFunction::Min => a.min(b),
                AtomicFunction::Max => a.max(b),
                _ => a,
            }
            .to_bits();
        }
        let (a, b) = (f32::from_bits(old as u32), f32::from_bits(self.value as u32));
        let new = match function {
            AtomicFunction::Add => a + b,
            AtomicFunction::Subtract => a - b,
            AtomicFunction::Min => a.min(b),
            AtomicFunction::Max => a.max(b),
            _ => a,
        };
        new.to_bits().into()
    }
}

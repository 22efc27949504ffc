//! Shadow words: 32 bits where the dispatch's ids leave room for clocks, otherwise 64.

use crate::observe::width::STATE_BITS;
use bytemuck::Zeroable;
use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, BitXor, Div, Not};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// A shadow word. It is 0 for an untouched granule.
pub(super) trait Word:
    Copy
    + Debug
    + Default
    + Ord
    + From<bool>
    + From<u8>
    + From<u32>
    + Div<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    /// A word that workgroups share.
    type Cell: Debug + Send + Sync + Zeroable;
    /// Number of bits.
    const BITS: u32;

    /// Creates a word from these bits, which must fit.
    fn of(bits: u64) -> Self;
    /// Returns the bits.
    fn bits(self) -> u64;
    /// Returns the wrapping sum: lanes that do not take part are computed too.
    fn plus(self, other: Self) -> Self;
    /// Returns the wrapping product.
    fn times(self, factor: Self) -> Self;
    /// Returns the value of a cell.
    fn load(cell: &Self::Cell) -> Self;
    /// Writes the word to a cell.
    fn store(self, cell: &Self::Cell);
    /// Writes the word to a cell that holds `old`; returns the current value if it differs.
    fn exchange(self, cell: &Self::Cell, old: Self) -> Result<(), Self>;

    /// Returns the automaton's state as an index.
    #[inline(always)]
    fn state(self) -> usize {
        (self & Self::from((1u8 << STATE_BITS) - 1)).bits() as usize
    }
}

macro_rules! words {
    ($($word:ty, $cell:ty;)*) => {$(
        impl Word for $word {
            type Cell = $cell;
            const BITS: u32 = <$word>::BITS;

            #[inline(always)]
            fn of(bits: u64) -> Self {
                bits as Self
            }

            #[inline(always)]
            fn bits(self) -> u64 {
                self.into()
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn times(self, factor: Self) -> Self {
                self.wrapping_mul(factor)
            }

            #[inline(always)]
            fn load(cell: &$cell) -> Self {
                cell.load(Relaxed)
            }

            #[inline(always)]
            fn store(self, cell: &$cell) {
                cell.store(self, Relaxed);
            }

            #[inline(always)]
            fn exchange(self, cell: &$cell, old: Self) -> Result<(), Self> {
                cell.compare_exchange_weak(old, self, Relaxed, Relaxed).map(|_| ())
            }
        }
    )*};
}

words! {
    u32, AtomicU32;
    u64, AtomicU64;
}

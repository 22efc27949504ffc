//! The bits that follow one granule: 32 of them where the dispatch's ids leave room for clocks, else 64.

use crate::observe::width::STATE_BITS;
use bytemuck::Zeroable;
use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, BitXor, Div, Not};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// A shadow word. 0 for a granule not yet touched.
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
    /// How many bits it has.
    const BITS: u32;

    /// These bits, of which it has to have enough.
    fn of(bits: u64) -> Self;
    /// Its bits.
    fn bits(self) -> u64;
    /// The sum, without what is over the top: lanes that have no part are computed too.
    fn plus(self, other: Self) -> Self;
    /// The product, likewise.
    fn times(self, factor: Self) -> Self;
    /// What a cell holds.
    fn load(cell: &Self::Cell) -> Self;
    /// Puts it into a cell.
    fn store(self, cell: &Self::Cell);
    /// Puts it into a cell that holds `old`; gives what is there instead, if that is something else.
    fn exchange(self, cell: &Self::Cell, old: Self) -> Result<(), Self>;

    /// The automaton's state, as an index.
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

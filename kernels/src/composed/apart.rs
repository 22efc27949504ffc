//! Types whose `impl`s stand by themselves, in other modules.

use hirace::prelude::*;

/// A part of a full turn, which is 2^32.
#[hirace::monitor]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Angle {
    /// Its parts.
    pub parts: u32,
}

/// What angles can do.
pub mod arithmetic {
    use super::Angle;
    use std::ops::{Add, Neg};

    #[hirace::monitor]
    impl Angle {
        /// A right angle.
        pub const QUARTER: Self = Self::of(1 << 30);

        /// So many parts.
        pub const fn of(parts: u32) -> Self {
            Self { parts }
        }

        /// In which quarter of the circle it ends.
        pub fn quarter(self) -> usize {
            top(self.parts, 2)
        }
    }

    #[hirace::monitor]
    fn top(word: u32, bits: u32) -> usize {
        (word >> (32 - bits)) as usize
    }

    #[hirace::monitor]
    impl Add for Angle {
        type Output = Self;

        fn add(self, other: Self) -> Self {
            Self::of(self.parts.wrapping_add(other.parts))
        }
    }

    #[hirace::monitor]
    impl Neg for Angle {
        type Output = Self;

        fn neg(self) -> Self {
            Self::of(self.parts.wrapping_neg())
        }
    }
}

/// From numbers and to them.
pub mod conversions {
    #[hirace::monitor]
    impl From<u32> for super::Angle {
        fn from(parts: u32) -> Self {
            Self { parts }
        }
    }

    #[hirace::monitor]
    impl From<super::Angle> for u32 {
        fn from(angle: super::Angle) -> Self {
            angle.parts
        }
    }

    #[hirace::monitor]
    impl super::Angle {
        /// Counts the quarter that it ends in.
        #[rustfmt::skip]
        pub fn count(self, counts: &mut [u32]) {
            counts[self.quarter()] += 1;
//          ^^^^^^^^^^^^^^^^^^^^^^ race: read/write on counts[..]
//          ^^^^^^^^^^^^^^^^^^^^^^ race: write/read on counts[..]
        }
    }
}

#[hirace::monitor]
fn opposite(angle: Angle) -> Angle {
    angle + Angle::QUARTER + Angle::QUARTER
}

/// Angles across from those that are given, and the ones less than these.
#[hirace::monitor(workgroup_size(16))]
pub fn turned(#[builtin(global_invocation_id)] id: UVec3, angles: &[u32], found: &mut [[u32; 3]]) {
    let i = id.x as usize;
    let across = opposite(angles[i].into());
    found[i] = [across.into(), across.quarter() as u32, (-across).parts];
}

/// The quarters are counted without an atomic.
#[hirace::monitor(workgroup_size(16))]
pub fn racy(#[builtin(global_invocation_id)] id: UVec3, angles: &[u32], counts: &mut [u32]) {
    Angle::from(angles[id.x as usize]).count(counts);
}

#[cfg(test)]
mod tests {
    use super::{Angle, racy, turned};
    use crate::support::{clean, numbers};
    use hirace::Launch;

    #[test]
    fn impls_elsewhere_come_along() {
        let angles = numbers(32, 400);
        let launch = Launch::new().workgroups(2).buffer("angles", &angles);
        let run = clean(&turned::kernel(), launch.buffer("found", &[[0u32; 3]; 32]));
        let expected: Vec<[u32; 3]> = angles
            .iter()
            .map(|&parts| {
                let across = parts.wrapping_add(1 << 31);
                [across, across >> 30, 0u32.wrapping_sub(across)]
            })
            .collect();
        assert_eq!(run.read::<[u32; 3]>("found"), expected);
        assert_eq!(u32::from(-Angle::of(5)), u32::MAX - 4);
    }

    #[test]
    fn a_race_in_an_impl_elsewhere_is_reported_there() {
        let launch = Launch::new().workgroups(2).buffer("angles", &numbers(32, 401));
        let text = include_str!("apart.rs");
        crate::support::racy(&racy::kernel(), launch.zeros("counts", 4), text);
    }
}

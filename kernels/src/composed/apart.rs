//! Types with stand-alone `impl` blocks in other modules.

use hirace::prelude::*;

/// An angle, in units of 1/2^32 of a full turn.
#[hirace::monitor]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Angle {
    /// Size of the angle in these units.
    pub parts: u32,
}

/// Arithmetic of angles.
pub mod arithmetic {
    use super::Angle;
    use std::ops::{Add, Neg};

    #[hirace::monitor]
    impl Angle {
        /// A right angle.
        pub const QUARTER: Self = Self::of(1 << 30);

        /// Returns the angle of this many units.
        pub const fn of(parts: u32) -> Self {
            Self { parts }
        }

        /// Returns the quarter of the circle in which the angle ends.
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

/// Conversions from and to integers.
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
        /// Counts the quarter in which the angle ends.
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

/// Computes the opposite of each angle, its quarter and its negation.
#[hirace::monitor(workgroup_size(16))]
pub fn turned(#[builtin(global_invocation_id)] id: UVec3, angles: &[u32], found: &mut [[u32; 3]]) {
    let i = id.x as usize;
    let across = opposite(angles[i].into());
    found[i] = [across.into(), across.quarter() as u32, (-across).parts];
}

/// Counts quarters without an atomic.
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

//! The assignment of threads of instances to invocations, and the placement of locations. Both multiply by a factor
//! that is coprime to the number of elements, so that each instance has each of its threads and each of its locations
//! exactly once.

use super::{EnvironmentError, Parameters};
use serde::{Deserialize, Serialize};

/// The two factors of the permutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Permutation {
    /// The factor that permutes the invocations of a workgroup.
    pub first: u32,
    /// The factor that permutes all instances: it places each further location away from the previous one.
    pub second: u32,
}

impl Permutation {
    /// Primes for workgroups of up to 256 invocations, and up to 1024 workgroups.
    pub const DEFAULT: Self = Self { first: 419, second: 1031 };

    /// The factors of MC Mutants and of WebGPU's conformance tests.
    pub const PUBLISHED: Self = Self { first: 109, second: 419 };

    /// Checks that the permutation covers all instances of an environment, and that its products fit in a word.
    pub fn check(self, parameters: &Parameters) -> Result<(), EnvironmentError> {
        let size = parameters.workgroup_size;
        let instances = u64::from(size) * u64::from(parameters.testing_workgroups);
        let factors = [("first", self.first, size.into()), ("second", self.second, instances)];
        for (which, factor, of) in factors {
            let shared = greatest_common_divisor(factor.into(), of);
            if shared != 1 {
                return Err(EnvironmentError::NotCoprime { which, factor, of, shared });
            }
            if of.checked_mul(factor.into()).is_none_or(|product| product > u32::MAX.into()) {
                return Err(EnvironmentError::Wraps { which, factor, of });
            }
        }
        Ok(())
    }
}

impl Default for Permutation {
    fn default() -> Self {
        Self::DEFAULT
    }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Preset;

    fn of(workgroup_size: u32, testing_workgroups: u32) -> Parameters {
        let max_workgroups = testing_workgroups;
        let basic = Preset::Basic.parameters();
        Parameters { workgroup_size, testing_workgroups, max_workgroups, ..basic }
    }

    #[test]
    fn the_default_fits_whatever_is_drawn() {
        for size in 1..=256 {
            for workgroups in [2, 419, 838, 1024] {
                assert_eq!(Permutation::DEFAULT.check(&of(size, workgroups)), Ok(()));
            }
        }
    }

    #[test]
    fn what_shares_a_factor_is_refused_with_the_numbers() {
        let shared = Permutation::PUBLISHED.check(&of(256, 838)).unwrap_err();
        let expected =
            EnvironmentError::NotCoprime { which: "second", factor: 419, of: 214_528, shared: 419 };
        assert_eq!(shared, expected);
        let shared = Permutation::PUBLISHED.check(&of(218, 2)).unwrap_err();
        let expected =
            EnvironmentError::NotCoprime { which: "first", factor: 109, of: 218, shared: 109 };
        assert_eq!(shared, expected);
    }

    #[test]
    fn products_fit_a_word() {
        let wraps = Permutation::DEFAULT.check(&of(1024, 65_535)).unwrap_err();
        assert!(matches!(wraps, EnvironmentError::Wraps { which: "second", .. }), "{wraps}");
        // The check itself does not overflow.
        let wraps = Permutation::DEFAULT.check(&of(u32::MAX, u32::MAX)).unwrap_err();
        assert!(
            matches!(wraps, EnvironmentError::Wraps { .. } | EnvironmentError::NotCoprime { .. }),
            "{wraps}"
        );
    }
}

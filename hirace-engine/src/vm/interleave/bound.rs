//! An upper bound of the number of interleavings.

/// Returns the number of ways to interleave units with these numbers of steps: (Σ kᵢ)! / Π kᵢ!, or
/// [`u128::MAX`] if it is not less than that.
///
/// Units that do fewer steps, or that wait for one another, have fewer interleavings.
pub fn interleavings(steps: &[u64]) -> u128 {
    let mut total = 0u128;
    let mut product = 1u128;
    for steps in steps {
        let steps = u128::from(*steps);
        let ways = binomial(total + steps, total.min(steps));
        let Some(next) = ways.and_then(|ways| product.checked_mul(ways)) else { return u128::MAX };
        (total, product) = (total + steps, next);
    }
    product
}

/// Returns the binomial coefficient of `of` over `chosen`, which is at most half of `of`; `None` on overflow.
fn binomial(of: u128, chosen: u128) -> Option<u128> {
    // Each intermediate quotient is exact: it is a binomial coefficient. It at least doubles in each round,
    // so few rounds run before it overflows.
    (1..=chosen).try_fold(1u128, |ways, nth| Some(ways.checked_mul(of - chosen + nth)? / nth))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_that_are_known() {
        assert_eq!(interleavings(&[]), 1);
        assert_eq!(interleavings(&[5]), 1);
        assert_eq!(interleavings(&[0, 3, 0]), 1);
        assert_eq!(interleavings(&[2, 2]), 6);
        assert_eq!(interleavings(&[1; 8]), 40_320);
        assert_eq!(interleavings(&[4, 4, 4]), 34_650);
        assert_eq!(interleavings(&[1; 34]), (1..=34u128).product());
        // 35! is greater than 2^128.
        assert_eq!(interleavings(&[1; 35]), u128::MAX);
        assert_eq!(interleavings(&[u64::MAX, u64::MAX]), u128::MAX);
        assert_eq!(interleavings(&[u64::MAX, 1]), 1 << 64);
        assert_eq!(interleavings(&vec![u64::MAX; 100_000]), u128::MAX);
    }

    /// Counts by definition: the last step is that of any unit that has one.
    fn counted(steps: &mut [u64]) -> u128 {
        if steps.iter().all(|steps| *steps == 0) {
            return 1;
        }
        let mut ways = 0;
        for unit in 0..steps.len() {
            if steps[unit] > 0 {
                steps[unit] -= 1;
                ways += counted(steps);
                steps[unit] += 1;
            }
        }
        ways
    }

    proptest! {
        #[test]
        fn bound_equals_the_enumerated_number_of_interleavings(mut steps in prop::collection::vec(0u64..4, 0..4)) {
            prop_assert_eq!(interleavings(&steps), counted(&mut steps));
        }
    }
}

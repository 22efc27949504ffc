//! A monitored module that uses items from outside, by imports and by paths.

/// Kernels and helper functions.
#[hirace::monitor]
pub mod inside {
    use super::super::layout::{Params, SIZE};
    use crate::composed::steps::*;
    use hirace::prelude::*;

    /// Has the same name as the function that it calls.
    pub fn doubled(x: u32) -> u32 {
        crate::composed::steps::doubled(x) + 1
    }

    /// A struct with members of a type from another file.
    #[derive(Clone, Copy, Debug)]
    pub struct Pair {
        /// Parameters of the first step.
        pub first: Params,
        /// Parameters of the second step.
        pub second: Params,
    }

    /// Takes two steps.
    pub fn both(x: u32, pair: Pair) -> u32 {
        advance(advance(x, pair.first), pair.second)
    }

    /// Uses all of these items.
    #[kernel(workgroup_size(SIZE))]
    pub fn clean(#[builtin(global_invocation_id)] id: UVec3, pairs: &[Pair], out: &mut [u32]) {
        let advance = both(id.x, pairs[id.x % 2]);
        out[id.x] = doubled(advance) + deeper::advance(1);
    }
}

/// Uses items of a monitored module from outside the module.
#[hirace::monitor(workgroup_size(4))]
pub fn outside(
    #[builtin(global_invocation_id)] id: hirace::prelude::UVec3,
    pairs: &[inside::Pair],
    out: &mut [u32],
) {
    out[id.x] = inside::both(id.x, pairs[0]);
}

#[cfg(test)]
mod tests {
    use super::inside::{Pair, both, clean as kernel};
    use crate::composed::layout::Params;
    use crate::support::clean;
    use hirace::Launch;

    fn pairs() -> [Pair; 2] {
        let params = |offset, modulus| Params { offset, modulus };
        [
            Pair { first: params(1, 70), second: params(2, 50) },
            Pair { first: params(3, 90), second: params(9, 110) },
        ]
    }

    #[test]
    fn what_is_imported_and_what_is_named_by_its_path_comes_along() {
        let launch = Launch::new().workgroups(2).buffer("pairs", &pairs()).zeros("out", 32);
        let run = clean(&kernel::kernel(), launch);
        let expected = (0..32u32).map(|x| 2 * both(x, pairs()[x as usize % 2]) + 1 + 3);
        assert_eq!(run.read::<u32>("out"), expected.collect::<Vec<u32>>());
    }

    #[test]
    fn parts_of_a_module_are_used_outside_of_it() {
        let launch = Launch::new().workgroups(1).buffer("pairs", &pairs()).zeros("out", 4);
        let run = clean(&super::outside::kernel(), launch);
        let expected: Vec<u32> = (0..4).map(|x| both(x, pairs()[0])).collect();
        assert_eq!(run.read::<u32>("out"), expected);
    }
}

//! Sums of a short list, by strategies that types select.

/// Each invocation writes a value that is computed from the sum.
#[hirace::monitor]
pub mod sums {
    use hirace::prelude::*;

    /// A way to compute the sum, for the invocation with this index.
    trait Way {
        fn sum(list: &[f32], index: usize) -> f32;
    }

    /// Each invocation sums the whole list.
    struct Alone;

    /// The invocations of a subgroup compute the sum together.
    struct Together;

    impl Way for Alone {
        fn sum(list: &[f32], _index: usize) -> f32 {
            list.iter().sum()
        }
    }

    impl Way for Together {
        fn sum(list: &[f32], index: usize) -> f32 {
            subgroup_add(list[index])
        }
    }

    fn total<W: Way>(list: &[f32], index: usize) -> f32 {
        W::sum(list, index)
    }

    /// A value that is computed from a sum.
    trait Series {
        type Of: Way;

        fn value(list: &[f32], index: usize) -> f32;
    }

    /// The sum, multiplied by the invocation's number.
    struct Weighted;

    impl Series for Weighted {
        type Of = Together;

        fn value(list: &[f32], index: usize) -> f32 {
            total::<Self::Of>(list, index) * list[index]
        }
    }

    fn leave<S: Series>(list: &[f32], index: usize) -> f32 {
        S::value(list, index)
    }

    /// Computes the sum of the first `END` numbers.
    #[kernel(workgroup_size(END))]
    pub fn alone<const END: usize>(
        #[builtin(local_invocation_index)] index: u32,
        input: &[f32],
        output: &mut [f32],
    ) {
        output[index] = Alone::sum(&input[..END], index as usize);
    }

    /// Computes the sum over a subgroup.
    #[kernel(workgroup_size(END))]
    pub fn together<const END: usize>(
        #[builtin(local_invocation_index)] index: u32,
        input: &[f32],
        output: &mut [f32],
    ) {
        output[index] = Together::sum(input, index as usize);
    }

    /// Computes the sum over a subgroup, multiplied by each number.
    #[kernel(workgroup_size(END))]
    pub fn weighted<const END: usize>(
        #[builtin(local_invocation_index)] index: u32,
        input: &[f32],
        output: &mut [f32],
    ) {
        output[index] = leave::<Weighted>(input, index as usize);
    }

    /// Adds all values to one element instead of one per invocation.
    #[rustfmt::skip]
    #[kernel(workgroup_size(4))]
    pub fn racy(
        #[builtin(local_invocation_index)] index: u32,
        input: &[f32],
        output: &mut [f32],
    ) {
        output[0] += input[index];
//      ^^^^^^^^^ race: read/write on output[..]
//      ^^^^^^^^^ race: write/read on output[..]
    }
}

#[cfg(test)]
mod tests {
    use super::sums;
    use crate::support::{clean, racy};
    use hirace::{Kernel, Launch};

    const INPUT: [f32; 4] = [-1.0, 10.0, 1.0, 5.0];

    fn launch() -> Launch {
        Launch::new().workgroups(1).buffer("input", &INPUT).zeros("output", 4)
    }

    fn left(kernel: &Kernel) -> Vec<f32> {
        clean(kernel, launch()).read("output")
    }

    #[test]
    fn all_ways_come_to_the_same_sum() {
        let sum = INPUT.iter().sum::<f32>();
        assert_eq!(left(&sums::alone::kernel::<4>()), [sum; 4]);
        assert_eq!(left(&sums::together::kernel::<4>()), [sum; 4]);
        assert_eq!(left(&sums::weighted::kernel::<4>()), INPUT.map(|n| sum * n));
    }

    #[test]
    fn one_place_for_all_races() {
        racy(&sums::racy::kernel(), launch(), include_str!("sums.rs"));
    }
}

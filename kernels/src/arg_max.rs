//! Finds the position of the largest number of each block: a reduction of structs, generic over the block's size.

/// One workgroup reduces `N` numbers.
#[hirace::monitor]
pub mod arg_max {
    use hirace::prelude::*;

    /// A number and its position.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Candidate {
        /// The number.
        pub value: i32,
        /// Position of the number.
        pub index: u32,
    }

    /// Returns the candidate with the larger value, or the first one if the values are equal.
    fn better(a: Candidate, b: Candidate) -> Candidate {
        if b.value > a.value || b.value == a.value && b.index < a.index { b } else { a }
    }

    /// Reduces by a tree, with a barrier in each iteration.
    #[kernel(workgroup_size(N))]
    pub fn clean<const N: usize>(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_id)] local: UVec3,
        #[builtin(workgroup_id)] group: UVec3,
        input: &[i32],
        largest: &mut [Candidate],
        #[workgroup] tile: &mut [Candidate; N],
    ) {
        let lane = local.x;
        tile[lane] = Candidate { value: input[id.x], index: id.x };
        workgroup_barrier();
        let mut half = N as u32 / 2;
        while half > 0 {
            if lane < half {
                tile[lane] = better(tile[lane], tile[lane + half]);
            }
            workgroup_barrier();
            half /= 2;
        }
        if lane == 0 {
            largest[group.x] = tile[0];
        }
    }

    /// Uses `<=` instead of `<`: one extra invocation takes part in each iteration and writes what its neighbor reads.
    #[rustfmt::skip]
    #[kernel(workgroup_size(N))]
    pub fn racy<const N: usize>(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_id)] local: UVec3,
        #[builtin(workgroup_id)] group: UVec3,
        input: &[i32],
        largest: &mut [Candidate],
        #[workgroup] tile: &mut [Candidate; N],
    ) {
        let lane = local.x;
        tile[lane] = Candidate { value: input[id.x], index: id.x };
        workgroup_barrier();
        let mut half = N as u32 / 2;
        while half > 0 {
            if lane <= half && lane + half < N as u32 {
                tile[lane] = better(tile[lane], tile[lane + half]);
//              ^^^^^^^^^^ race: write/read on tile[..].value
//                                              ^^^^^^^^^^^^^^^^^ race: read/write on tile[..].value
            }
            workgroup_barrier();
            half /= 2;
        }
        if lane == 0 {
            largest[group.x] = tile[0];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::arg_max::{self, Candidate};
    use crate::support::{clean, integers, racy};
    use hirace::Launch;

    fn launch(input: &[i32], groups: usize) -> Launch {
        Launch::new()
            .workgroups(groups as u32)
            .buffer("input", input)
            .buffer("largest", &vec![Candidate { value: 0, index: 0 }; groups])
    }

    fn expected(input: &[i32], block: usize) -> Vec<Candidate> {
        let blocks = input.chunks(block).zip((0..).step_by(block));
        blocks
            .map(|(numbers, start)| {
                let value = *numbers.iter().max().unwrap();
                let index = start + numbers.iter().position(|n| *n == value).unwrap() as u32;
                Candidate { value, index }
            })
            .collect()
    }

    #[test]
    fn the_first_of_the_largest_is_found_in_blocks_of_any_size() {
        let input = integers(40, 256, 5);
        let run = clean(&arg_max::clean::kernel::<64>(), launch(&input, 4));
        assert_eq!(run.read::<Candidate>("largest"), expected(&input, 64));
        let run = clean(&arg_max::clean::kernel::<16>(), launch(&input, 16));
        assert_eq!(run.read::<Candidate>("largest"), expected(&input, 16));
    }

    #[test]
    fn one_invocation_too_many_races() {
        let launch = launch(&integers(40, 256, 5), 4);
        racy(&arg_max::racy::kernel::<64>(), launch, include_str!("arg_max.rs"));
    }
}

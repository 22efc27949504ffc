//! Every subgroup operation.

/// Results are per subgroup; the workgroup has one or several.
#[hirace::monitor]
pub mod subgroups {
    use hirace::prelude::*;

    /// Uses reductions and prefix operations.
    #[kernel(workgroup_size(32))]
    pub fn arithmetic(
        #[builtin(local_invocation_index)] lane: u32,
        input: &[u32],
        output: &mut [[u32; 14]],
    ) {
        let x = input[lane];
        let small = 1 + x % 2;
        output[lane] = [
            subgroup_add(x),
            subgroup_mul(small),
            subgroup_min(x),
            subgroup_max(x),
            subgroup_inclusive_add(x),
            subgroup_inclusive_mul(small),
            subgroup_exclusive_add(x),
            subgroup_exclusive_mul(small),
            subgroup_and(x),
            subgroup_or(x),
            subgroup_xor(x),
            subgroup_all(x < 50) as u32,
            subgroup_any(x == 7) as u32,
            subgroup_ballot(x % 3 == 0).x,
        ];
    }

    /// Uses values of other invocations.
    #[kernel(workgroup_size(32))]
    pub fn exchange(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(subgroup_invocation_id)] place: u32,
        #[builtin(subgroup_size)] size: u32,
        input: &[u32],
        moved: &mut [[u32; 10]],
    ) {
        let x = input[lane];
        let down = subgroup_shuffle_down(x, 1);
        let up = subgroup_shuffle_up(x, 1);
        moved[lane] = [
            subgroup_broadcast(x, 2),
            subgroup_broadcast_first(x),
            subgroup_shuffle(x, size - 1 - place),
            subgroup_shuffle_xor(x, 1),
            if place + 1 < size { down } else { 0 },
            if place > 0 { up } else { 0 },
            quad_broadcast(x, 1),
            quad_swap_x(x),
            quad_swap_y(x),
            quad_swap_diagonal(x),
        ];
    }
}

#[cfg(test)]
mod tests {
    use super::subgroups;
    use crate::support::{below, clean};
    use hirace::Launch;

    fn launch(input: &[u32], size: u32) -> Launch {
        Launch::new().workgroups(1).subgroup_size(size).buffer("input", input)
    }

    fn arithmetic(all: &[u32], lane: usize) -> [u32; 14] {
        let small: Vec<u32> = all.iter().map(|x| 1 + x % 2).collect();
        let sum = |n: &[u32]| n.iter().sum();
        let product = |n: &[u32]| n.iter().product();
        let ballot = all.iter().zip(0..).map(|(x, i)| u32::from(x % 3 == 0) << i).sum();
        [
            sum(all),
            product(&small),
            *all.iter().min().unwrap(),
            *all.iter().max().unwrap(),
            sum(&all[..=lane]),
            product(&small[..=lane]),
            sum(&all[..lane]),
            product(&small[..lane]),
            all.iter().fold(u32::MAX, |a, b| a & b),
            all.iter().fold(0, |a, b| a | b),
            all.iter().fold(0, |a, b| a ^ b),
            u32::from(all.iter().all(|x| *x < 50)),
            u32::from(all.contains(&7)),
            ballot,
        ]
    }

    fn exchange(all: &[u32], lane: usize) -> [u32; 10] {
        [
            all[2],
            all[0],
            all[all.len() - 1 - lane],
            all[lane ^ 1],
            all.get(lane + 1).copied().unwrap_or(0),
            if lane > 0 { all[lane - 1] } else { 0 },
            all[lane & !3 | 1],
            all[lane ^ 1],
            all[lane ^ 2],
            all[lane ^ 3],
        ]
    }

    #[test]
    fn values_are_joined_over_each_subgroup() {
        let input = below(60, 32, 49);
        for size in [4, 8, 16, 32] {
            let launch = launch(&input, size).buffer("output", &[[0u32; 14]; 32]);
            let run = clean(&subgroups::arithmetic::kernel(), launch);
            let subgroups = input.chunks(run.subgroup_size() as usize);
            let expected =
                subgroups.flat_map(|all| (0..all.len()).map(|lane| arithmetic(all, lane)));
            assert_eq!(run.read::<[u32; 14]>("output"), expected.collect::<Vec<_>>());
        }
    }

    #[test]
    fn values_come_from_the_right_invocation() {
        let input = below(60, 32, 50);
        for size in [4, 8, 16, 32] {
            let launch = launch(&input, size).buffer("moved", &[[0u32; 10]; 32]);
            let run = clean(&subgroups::exchange::kernel(), launch);
            let subgroups = input.chunks(run.subgroup_size() as usize);
            let expected = subgroups.flat_map(|all| (0..all.len()).map(|lane| exchange(all, lane)));
            assert_eq!(run.read::<[u32; 10]>("moved"), expected.collect::<Vec<_>>());
        }
    }
}

//! Kernels that are single functions and use items of the same file or imported ones.

use super::layout::{Plan, SIZE, WIDTH};
use super::steps::{self, advance, doubled as twice, row, shift};
use hirace::prelude::*;

/// Walks from each starting number.
#[hirace::monitor(workgroup_size(SIZE))]
pub fn walk(#[builtin(global_invocation_id)] id: UVec3, plan: &Plan, out: &mut [u32]) {
    if id.x < out.len() {
        let from = plan.starts[id.x % WIDTH as u32];
        out[id.x] = steps::deeper::advance(advance(twice(from) + id.x, plan.params)) + bias(id.x);
    }
}

/// Is defined after the kernel that uses it.
#[hirace::monitor]
fn bias(x: u32) -> u32 {
    match x {
        NONE => 0,
        _ => BIAS,
    }
}

#[hirace::monitor]
const BIAS: u32 = 3;

#[hirace::monitor]
const NONE: u32 = 0;

/// Sums the rows of a tile.
#[hirace::monitor(workgroup_size(WIDTH, WIDTH))]
pub fn rows(
    #[builtin(local_invocation_id)] local: UVec3,
    input: &[u32],
    out: &mut [u32],
    #[workgroup] tile: &mut [[u32; WIDTH]; WIDTH],
) {
    tile[local.y][local.x] = input[local.y * WIDTH as u32 + local.x];
    workgroup_barrier();
    if local.x == 0 {
        out[local.y] = row(tile, local.y);
    }
}

/// Calls a function of another file that races.
#[hirace::monitor(workgroup_size(SIZE))]
pub fn racy(#[builtin(global_invocation_id)] id: UVec3, out: &mut [u32]) {
    shift(out, id.x);
}

/// A generic kernel that uses items of the same file.
#[hirace::monitor(workgroup_size(N))]
pub fn generic<const N: usize>(#[builtin(global_invocation_id)] id: UVec3, out: &mut [u32]) {
    out[id.x] = twice(id.x) + bias(N as u32);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::composed::layout::Params;
    use crate::support::{clean, numbers, racy as races};
    use hirace::Launch;

    fn plan() -> Plan {
        Plan { params: Params { offset: 5, modulus: 1000 }, starts: [1, 20, 300, 4000] }
    }

    fn expected(x: u32) -> u32 {
        let plan = plan();
        let next = advance(2 * plan.starts[x as usize % WIDTH] + x, plan.params);
        2 * next + 1 + if x == 0 { 0 } else { BIAS }
    }

    #[test]
    fn what_a_kernel_uses_comes_from_everywhere() {
        let launch = Launch::new().workgroups(3).buffer("plan", &plan()).zeros("out", 40);
        let run = clean(&walk::kernel(), launch);
        assert_eq!(run.read::<u32>("out"), (0..40).map(expected).collect::<Vec<u32>>());
    }

    #[test]
    fn constants_of_other_files_are_lengths_and_sizes() {
        let input = numbers(16, 3);
        let run = clean(&rows::kernel(), Launch::new().buffer("input", &input).zeros("out", 4));
        let expected: Vec<u32> =
            input.chunks(4).map(|row| row.iter().fold(0, |a: u32, b| a.wrapping_add(*b))).collect();
        assert_eq!(run.read::<u32>("out"), expected);
    }

    #[test]
    fn generic_kernels_compose_too() {
        let run = clean(&generic::kernel::<8>(), Launch::new().workgroups(2).zeros("out", 16));
        assert_eq!(run.read::<u32>("out"), (0..16).map(|x| 2 * x + 3).collect::<Vec<u32>>());
    }

    #[test]
    fn a_race_in_another_file_is_reported_there() {
        let launch = Launch::new().workgroups(1).zeros("out", 17);
        let checked = hirace::check(&racy::kernel(), launch.clone()).unwrap();
        let finding = checked.findings().next().unwrap();
        assert!(
            finding.accesses.iter().all(|access| access.file.ends_with("steps.rs")),
            "{finding:?}"
        );
        races(&racy::kernel(), launch, include_str!("steps.rs"));
    }

    #[test]
    fn kernels_in_a_function_use_what_stands_there_and_around_it() {
        #[hirace::monitor(workgroup_size(4))]
        fn local(#[builtin(global_invocation_id)] id: UVec3, out: &mut [u32]) {
            out[id.x] = triple(id.x) + bias(1);
        }
        #[hirace::monitor]
        fn triple(x: u32) -> u32 {
            3 * x
        }
        let run = clean(&local::kernel(), Launch::new().workgroups(1).zeros("out", 4));
        assert_eq!(run.read::<u32>("out"), [3, 6, 9, 12]);
    }
}

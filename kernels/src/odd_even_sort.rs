//! Odd-even transposition sort: one dispatch per element, or a single one, which is wrong.

/// Sorts pairs that start at even positions, then those at odd positions, over the whole buffer.
#[hirace::monitor]
pub mod odd_even_sort {
    use hirace::prelude::*;

    /// Sorts two neighboring elements.
    #[rustfmt::skip]
    fn order(data: &mut [i32], left: u32) {
        let right = left + 1;
        if right < data.len() && data[left] > data[right] {
//                               ^^^^^^^^^^ race: read/write on data[..]
//                                            ^^^^^^^^^^^ race: read/write on data[..]
            let larger = data[left];
//                       ^^^^^^^^^^ race: read/write on data[..]
            data[left] = data[right];
//          ^^^^^^^^^^ race: write/read on data[..]
//          ^^^^^^^^^^ race: write/write on data[..]
//                       ^^^^^^^^^^^ race: read/write on data[..]
            data[right] = larger;
//          ^^^^^^^^^^^ race: write/read on data[..]
//          ^^^^^^^^^^^ race: write/write on data[..]
        }
    }

    /// Sorts pairs that start at even positions.
    #[kernel(workgroup_size(4))]
    pub fn even(#[builtin(global_invocation_id)] id: UVec3, data: &mut [i32]) {
        order(data, 2 * id.x);
    }

    /// Sorts pairs that start at odd positions.
    #[kernel(workgroup_size(4))]
    pub fn odd(#[builtin(global_invocation_id)] id: UVec3, data: &mut [i32]) {
        order(data, 2 * id.x + 1);
    }

    /// Does both in one dispatch. A barrier orders them in a workgroup, but not across the border of two workgroups.
    #[rustfmt::skip]
    #[kernel(workgroup_size(4))]
    pub fn racy(#[builtin(global_invocation_id)] id: UVec3, data: &mut [i32]) {
        for _ in 0..data.len() / 2 {
            order(data, 2 * id.x);
            storage_barrier();
            order(data, 2 * id.x + 1);
            storage_barrier();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::odd_even_sort;
    use crate::support::{clean, integers, racy};
    use hirace::Launch;

    #[test]
    fn as_many_dispatches_as_numbers_sort_them() {
        let mut data = integers(500, 19, 10);
        let mut launch = Launch::new().buffer("data", &data);
        for _ in 0..10 {
            launch = launch.dispatch("even", 3).dispatch("odd", 3);
        }
        let run = clean(&odd_even_sort::even::kernel(), launch);
        data.sort_unstable();
        assert_eq!(run.read::<i32>("data"), data);
    }

    #[test]
    fn workgroups_race_at_their_seams() {
        let launch = Launch::new().workgroups(2).buffer("data", &integers(500, 18, 10));
        racy(&odd_even_sort::racy::kernel(), launch, include_str!("odd_even_sort.rs"));
    }
}

//! Structs with members that are used atomically, read and written as a whole.

/// Counts in structs that are plain in Rust.
#[hirace::monitor]
pub mod copies {
    use hirace::prelude::*;

    /// A count with other members.
    #[derive(Clone, Copy)]
    pub struct Cell {
        /// Used atomically.
        pub count: u32,
        /// Never used atomically.
        pub weight: f32,
        /// Only the second element is used atomically.
        pub most: [u32; 3],
    }

    /// Copies structs after all invocations have counted.
    #[kernel(workgroup_size(16))]
    pub fn clean(
        #[builtin(local_invocation_index)] lane: u32,
        cells: &mut [Cell; 16],
        #[workgroup] counted: &mut [Cell; 4],
    ) {
        if lane < 4 {
            counted[lane] = cells[lane];
        }
        workgroup_barrier();
        atomic_add(&mut counted[lane / 4].count, lane);
        atomic_max(&mut counted[lane / 4].most[1], lane);
        workgroup_barrier();
        if lane >= 4 {
            let mut cell = counted[lane % 4];
            cell.weight *= 2.0;
            cells[lane] = cell;
        }
    }

    /// Copies structs while other invocations count.
    #[rustfmt::skip]
    #[kernel(workgroup_size(16))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        cells: &mut [Cell; 16],
        seen: &mut [Cell; 16],
    ) {
        atomic_add(&mut cells[0].count, lane);
//      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: atomic/read on cells[..].count
        seen[lane] = cells[0];
//                   ^^^^^^^^ race: read/atomic on cells[..].count
    }
}

#[cfg(test)]
mod tests {
    use super::copies;
    use crate::support::{clean, racy};
    use hirace::Launch;

    type Cell = (u32, f32, [u32; 3]);

    fn cells() -> [Cell; 16] {
        std::array::from_fn(|i| (i as u32, i as f32 + 0.5, [1, 2, 3]))
    }

    #[test]
    fn every_member_is_copied() {
        let launch = Launch::new().workgroups(1).buffer("cells", &cells());
        let run = clean(&copies::clean::kernel(), launch);
        let mut expected = cells();
        for i in 4..16 {
            let (count, weight, [first, second, third]) = expected[i % 4];
            let least = 4 * (i as u32 % 4);
            let most = [first, second.max(least + 3), third];
            expected[i] = (count + 4 * least + 6, weight * 2.0, most);
        }
        assert_eq!(run.one::<[Cell; 16]>("cells"), expected);
    }

    #[test]
    fn a_copy_is_no_atomic_load() {
        let launch = Launch::new().workgroups(1).buffer("cells", &cells()).buffer("seen", &cells());
        racy(&copies::racy::kernel(), launch, include_str!("copies.rs"));
    }
}

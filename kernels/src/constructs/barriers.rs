//! Every barrier, with the memory that it orders.

/// Pairs of neighbors exchange values.
#[hirace::monitor]
pub mod barriers {
    use hirace::prelude::*;

    /// Uses each barrier for the memory that its name says; neighbors share a subgroup, unless subgroups have size 1.
    #[kernel(workgroup_size(32))]
    pub fn clean(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(subgroup_size)] size: u32,
        data: &mut [u32; 32],
        results: &mut [u32; 32],
        image: &TextureStorage1d<R32Uint, ReadWrite>,
        #[workgroup] tile: &mut [u32; 32],
        #[workgroup] by_subgroup: &mut [u32; 32],
    ) {
        let other = lane ^ 1;
        tile[lane] = lane;
        workgroup_barrier();
        data[lane] = tile[other] * 2;
        storage_barrier();
        image.store(lane, UVec4::splat(data[other] + 1));
        texture_barrier();
        by_subgroup[lane] = image.load(other).x;
        subgroup_barrier();
        if size > 1 {
            results[lane] = by_subgroup[other];
        }
    }

    /// Uses a wrong barrier in each place.
    #[rustfmt::skip]
    #[kernel(workgroup_size(32))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        data: &mut [u32; 32],
        results: &mut [u32; 32],
        image: &TextureStorage1d<R32Uint, ReadWrite>,
        #[workgroup] tile: &mut [u32; 32],
    ) {
        let other = lane ^ 1;
        tile[lane] = lane;
//      ^^^^^^^^^^ race: write/read on tile[..]
        storage_barrier();
        data[lane] = tile[other] * 2;
//      ^^^^^^^^^^ race: write/read on data[..]
//                   ^^^^^^^^^^^ race: read/write on tile[..]
        texture_barrier();
        image.store(lane, UVec4::splat(data[other] + 1));
//      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/read on image[..]
//                                     ^^^^^^^^^^^ race: read/write on data[..]
        workgroup_barrier();
        results[lane] = image.load(other).x;
//                      ^^^^^^^^^^^^^^^^^ race: read/write on image[..]
    }
}

#[cfg(test)]
mod tests {
    use super::barriers;
    use crate::support::{clean, racy};
    use hirace::Launch;

    fn launch() -> Launch {
        Launch::new()
            .workgroups(1)
            .buffer("data", &[0u32; 32])
            .buffer("results", &[0u32; 32])
            .zeros("image", 32)
    }

    #[test]
    fn values_pass_through_every_kind_of_memory() {
        let expected: Vec<u32> = (0..32).map(|lane| 2 * lane + 1).collect();
        for size in [2, 8, 32] {
            let run = clean(&barriers::clean::kernel(), launch().subgroup_size(size));
            assert_eq!(run.read::<u32>("results"), expected);
        }
    }

    #[test]
    fn a_subgroup_of_one_has_no_neighbor_to_hand_over_to() {
        let run = clean(&barriers::clean::kernel(), launch().subgroup_size(1));
        let handed = |lane: u32| if run.subgroup_size() > 1 { 2 * lane + 1 } else { 0 };
        assert_eq!(run.read::<u32>("results"), (0..32).map(handed).collect::<Vec<u32>>());
        assert_eq!(run.read::<u32>("data"), (0..32).map(|lane| 2 * (lane ^ 1)).collect::<Vec<_>>());
    }

    #[test]
    fn barriers_order_no_other_memory() {
        racy(&barriers::racy::kernel(), launch(), include_str!("barriers.rs"));
    }
}

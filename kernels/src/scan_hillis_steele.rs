//! Inclusive prefix sums of blocks by the method of Hillis and Steele: each iteration doubles the distance.

/// 64 numbers per workgroup.
#[hirace::monitor]
pub mod scan_hillis_steele {
    use hirace::prelude::*;

    /// Alternates between two halves of the tile, one to read and one to write.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        input: &[u32],
        output: &mut [u32],
        #[workgroup] halves: &mut [[u32; 64]; 2],
    ) {
        let mut from = 0;
        halves[from][lane] = input[id.x];
        let mut reach = 1;
        while reach < 64 {
            workgroup_barrier();
            let to = 1 - from;
            halves[to][lane] = halves[from][lane];
            if lane >= reach {
                halves[to][lane] += halves[from][lane - reach];
            }
            from = to;
            reach *= 2;
        }
        output[id.x] = halves[from][lane];
    }

    /// Works in place: a neighbor may already have completed the same iteration.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        input: &[u32],
        output: &mut [u32],
        #[workgroup] tile: &mut [u32; 64],
    ) {
        tile[lane] = input[id.x];
        let mut reach = 1;
        while reach < 64 {
            workgroup_barrier();
            if lane >= reach {
                tile[lane] += tile[lane - reach];
//              ^^^^^^^^^^ race: write/read on tile[..]
//                            ^^^^^^^^^^^^^^^^^^ race: read/write on tile[..]
            }
            reach *= 2;
        }
        output[id.x] = tile[lane];
    }
}

#[cfg(test)]
mod tests {
    use super::scan_hillis_steele;
    use crate::support::{below, clean, inclusive_sums, racy};
    use hirace::Launch;

    fn launch(input: &[u32]) -> Launch {
        Launch::new().workgroups(2).buffer("input", input).buffer("output", &[0u32; 128])
    }

    #[test]
    fn every_element_is_the_sum_up_to_itself() {
        let input = below(1000, 128, 6);
        let run = clean(&scan_hillis_steele::clean::kernel(), launch(&input));
        let expected: Vec<u32> = input.chunks(64).flat_map(inclusive_sums).collect();
        assert_eq!(run.read::<u32>("output"), expected);
    }

    #[test]
    fn in_place_it_races() {
        let launch = launch(&below(1000, 128, 6));
        racy(&scan_hillis_steele::racy::kernel(), launch, include_str!("scan_hillis_steele.rs"));
    }
}

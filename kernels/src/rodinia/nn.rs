//! `nn` of Rodinia: finds the records nearest to a position.

/// Computes distances first, then finds the nearest records one after another.
#[hirace::monitor]
pub mod nn {
    use hirace::prelude::*;

    const LANES: usize = 64;

    /// First dispatch: computes the distance of each record.
    #[kernel(workgroup_size(LANES))]
    pub fn distances(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] target: Vec2,
        records: &[Vec2],
        far: &mut [f32],
    ) {
        if id.x < records.len() {
            far[id.x] = distance(records[id.x], target);
        }
    }

    /// Finds the nearest of the records that a lane reads, and stores it in `near` and `which`.
    fn look(far: &mut [f32], near: &mut [f32; LANES], which: &mut [u32; LANES], lane: u32) {
        let mut least = f32::MAX;
        let mut nearest = 0;
        for i in (lane..far.len()).step_by(LANES as u32) {
            if far[i] < least {
                least = far[i];
                nearest = i;
            }
        }
        near[lane] = least;
        which[lane] = nearest;
    }

    /// Reduces the records of all lanes to the nearest one, in the first element.
    fn reduce(near: &mut [f32; LANES], which: &mut [u32; LANES], lane: u32) {
        workgroup_barrier();
        let mut stride = LANES as u32 / 2;
        while stride > 0 {
            if lane < stride && near[lane + stride] < near[lane] {
                near[lane] = near[lane + stride];
                which[lane] = which[lane + stride];
            }
            workgroup_barrier();
            stride /= 2;
        }
    }

    /// Second dispatch, of one workgroup: sets the distance of a found record to the maximum after all invocations have
    /// read it, and before they read again.
    #[kernel(workgroup_size(LANES))]
    pub fn nearest(
        #[builtin(local_invocation_index)] lane: u32,
        far: &mut [f32],
        neighbors: &mut [u32],
        #[workgroup] near: &mut [f32; LANES],
        #[workgroup] which: &mut [u32; LANES],
    ) {
        for rank in 0..neighbors.len() {
            look(far, near, which, lane);
            reduce(near, which, lane);
            storage_barrier();
            if lane == 0 {
                neighbors[rank] = which[0];
                far[which[0]] = f32::MAX;
            }
            storage_barrier();
        }
    }

    /// Orders storage memory with `workgroup_barrier()`, which does not order it, here or in the tree.
    #[rustfmt::skip]
    #[kernel(workgroup_size(LANES))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        far: &mut [f32],
        neighbors: &mut [u32],
        #[workgroup] near: &mut [f32; LANES],
        #[workgroup] which: &mut [u32; LANES],
    ) {
        for rank in 0..neighbors.len() {
            near[lane] = f32::MAX;
            for i in (lane..far.len()).step_by(LANES as u32) {
                if far[i] < near[lane] {
//                 ^^^^^^ race: read/write on far[..]
                    near[lane] = far[i];
//                               ^^^^^^ race: read/write on far[..]
                    which[lane] = i;
                }
            }
            reduce(near, which, lane);
            if lane == 0 {
                neighbors[rank] = which[0];
                far[which[0]] = f32::MAX;
//              ^^^^^^^^^^^^^ race: write/read on far[..]
            }
            workgroup_barrier();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::nn;
    use crate::support::{clean, floats, racy};
    use hirace::Launch;
    use hirace::prelude::Vec2;

    const TARGET: Vec2 = Vec2::new(0.25, -0.125);

    fn records(count: usize) -> Vec<Vec2> {
        floats(2 * count, 70).chunks(2).map(|c| Vec2::new(c[0], c[1])).collect()
    }

    fn holds(count: usize, wanted: usize) {
        holds_of(&records(count), wanted);
    }

    fn holds_of(records: &[Vec2], wanted: usize) {
        let count = records.len();
        let launch = Launch::new()
            .buffer("target", &TARGET)
            .buffer("records", records)
            .zeros("far", count)
            .zeros("neighbors", wanted)
            .dispatch("distances", count.div_ceil(64) as u32)
            .dispatch("nearest", 1);
        let run = clean(&nn::nearest::kernel(), launch);
        let mut expected: Vec<u32> = (0..count as u32).collect();
        expected.sort_by(|a, b| {
            let far = |i: &u32| records[*i as usize].distance(TARGET);
            far(a).total_cmp(&far(b))
        });
        assert_eq!(run.read::<u32>("neighbors"), expected[..wanted]);
    }

    #[test]
    fn the_nearest_come_first() {
        holds(300, 5);
    }

    #[test]
    fn all_of_few_are_sorted() {
        holds(7, 7);
        holds(1, 1);
    }

    #[test]
    fn of_two_as_far_away_the_first_comes_first() {
        // Both in one lane, and in two lanes that are compared.
        for (one, other) in [(3, 67), (3, 35)] {
            let mut records = vec![Vec2::new(9.0, 9.0); 70];
            (records[one], records[other]) = (TARGET + 1.0, TARGET + 1.0);
            holds_of(&records, 2);
        }
    }

    #[test]
    fn who_was_found_must_be_out_of_reach_for_all() {
        let far: Vec<f32> = records(100).iter().map(|record| record.distance(TARGET)).collect();
        let launch = Launch::new().workgroups(1).buffer("far", &far).zeros("neighbors", 4);
        racy(&nn::racy::kernel(), launch, include_str!("nn.rs"));
    }
}

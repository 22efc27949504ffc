//! `tpacf` of Parboil: the two-point angular correlation function, a histogram of angles between points on the sky.

/// Each workgroup counts in several copies, so that fewer lanes access the same bin.
#[hirace::monitor]
pub mod tpacf {
    use hirace::prelude::*;

    const TILE: usize = 32;
    const COPIES: usize = 4;
    const BINS: usize = 8;
    const EDGES: usize = BINS - 1;

    /// Returns the bin of a cosine by bisection; the cosines at the edges of bins are in descending order.
    fn bin_of(edges: &[f32; EDGES], cosine: f32) -> u32 {
        let (mut low, mut high) = (0, EDGES as u32);
        while low < high {
            let middle = (low + high) / 2;
            if cosine < edges[middle] {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Counts pairs of a point of each set; if both sets are the same, each pair once.
    #[kernel(workgroup_size(TILE))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[uniform] one_set: u32,
        edges: &[f32; EDGES],
        first: &[Vec3],
        second: &[Vec3],
        pairs: &[Atomic<u32>; BINS],
        #[workgroup] tile: &mut [Vec3; TILE],
        #[workgroup] counts: &[[Atomic<u32>; BINS]; COPIES],
    ) {
        for start in (0..second.len()).step_by(TILE as u32) {
            if start + lane < second.len() {
                tile[lane] = second[start + lane];
            }
            workgroup_barrier();
            if id.x < first.len() {
                for i in 0..min(TILE as u32, second.len() - start) {
                    if one_set == 0 || start + i > id.x {
                        let bin = bin_of(edges, dot(first[id.x], tile[i]));
                        counts[lane % COPIES as u32][bin].fetch_add(1);
                    }
                }
            }
            workgroup_barrier();
        }
        if lane < BINS as u32 {
            let mut sum = 0;
            for copy in 0..COPIES as u32 {
                sum += counts[copy][lane].load();
            }
            pairs[lane].fetch_add(sum);
        }
    }

    /// Counts without atomics, although a copy is still shared by several lanes.
    #[rustfmt::skip]
    #[kernel(workgroup_size(TILE))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[uniform] one_set: u32,
        edges: &[f32; EDGES],
        first: &[Vec3],
        second: &[Vec3],
        pairs: &[Atomic<u32>; BINS],
        #[workgroup] tile: &mut [Vec3; TILE],
        #[workgroup] counts: &[[Atomic<u32>; BINS]; COPIES],
    ) {
        for start in (0..second.len()).step_by(TILE as u32) {
            if start + lane < second.len() {
                tile[lane] = second[start + lane];
            }
            workgroup_barrier();
            if id.x < first.len() {
                for i in 0..min(TILE as u32, second.len() - start) {
                    if one_set == 0 || start + i > id.x {
                        let bin = bin_of(edges, dot(first[id.x], tile[i]));
                        *counts[lane % COPIES as u32][bin].plain() += 1;
//                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on counts[..][..]
//                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/read on counts[..][..]
                    }
                }
            }
            workgroup_barrier();
        }
        if lane < BINS as u32 {
            let mut sum = 0;
            for copy in 0..COPIES as u32 {
                sum += counts[copy][lane].load();
            }
            pairs[lane].fetch_add(sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::tpacf;
    use crate::support::{clean, floats, racy};
    use hirace::Launch;
    use hirace::prelude::Vec3;

    /// Returns points on the unit sphere.
    fn points(count: usize, seed: u32) -> Vec<Vec3> {
        let point = |c: &[f32]| Vec3::new(c[0], c[1], c[2]).normalize();
        floats(3 * count, seed).chunks(3).map(point).collect()
    }

    /// Returns the cosines of 20, 40, … degrees.
    fn edges() -> [f32; 7] {
        std::array::from_fn(|i| (20.0 * (i + 1) as f32).to_radians().cos())
    }

    fn launch(first: &[Vec3], second: &[Vec3], one_set: bool) -> Launch {
        launch_with(edges(), first, second, one_set)
    }

    fn launch_with(edges: [f32; 7], first: &[Vec3], second: &[Vec3], one_set: bool) -> Launch {
        Launch::new()
            .workgroups(first.len().div_ceil(32) as u32)
            .buffer("one_set", &u32::from(one_set))
            .buffer("edges", &edges)
            .buffer("first", first)
            .buffer("second", second)
            .buffer("pairs", &[0u32; 8])
    }

    fn holds(first: &[Vec3], second: &[Vec3], one_set: bool) {
        let mut expected = [0u32; 8];
        for (i, a) in first.iter().enumerate() {
            for b in &second[if one_set { i + 1 } else { 0 }..] {
                expected[edges().iter().filter(|edge| a.dot(*b) < **edge).count()] += 1;
            }
        }
        let run = clean(&tpacf::clean::kernel(), launch(first, second, one_set));
        assert_eq!(run.read::<u32>("pairs"), expected);
    }

    #[test]
    fn pairs_of_two_sets_are_counted() {
        holds(&points(50, 41), &points(64, 42), false);
    }

    #[test]
    fn pairs_of_one_set_are_counted_once() {
        let points = points(45, 43);
        holds(&points, &points, true);
    }

    #[test]
    fn the_cosine_at_the_edge_of_a_bin_falls_into_it() {
        let axes = [Vec3::X, Vec3::Y, Vec3::NEG_X];
        let edges = [0.9, 0.5, 0.25, 0.0, -0.25, -0.5, -1.0];
        let run = clean(&tpacf::clean::kernel(), launch_with(edges, &axes, &axes, true));
        assert_eq!(run.read::<u32>("pairs"), [0, 0, 0, 2, 0, 0, 1, 0]);
    }

    #[test]
    fn a_single_point_is_in_no_pair() {
        let point = points(1, 44);
        holds(&point, &point, true);
    }

    #[test]
    fn copies_for_several_lanes_need_atomics() {
        let launch = launch(&points(32, 41), &points(20, 42), false);
        racy(&tpacf::racy::kernel(), launch, include_str!("tpacf.rs"));
    }
}

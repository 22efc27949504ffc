//! One step of k-means: assigns points to their nearest center, and moves centers to the mean of their points.

/// Four centers of points in the plane; coordinates are summed in units of 1/256.
#[hirace::monitor]
pub mod k_means {
    use hirace::prelude::*;

    const CENTERS: usize = 4;

    /// Sums over the points of a center.
    pub struct Sums {
        /// Sum of the x coordinates.
        pub x: Atomic<i32>,
        /// Sum of the y coordinates.
        pub y: Atomic<i32>,
        /// Number of points.
        pub count: Atomic<u32>,
    }

    /// Returns the index of the nearest center.
    #[rustfmt::skip]
    fn nearest(centers: &[Vec2; CENTERS], point: Vec2) -> u32 {
        let mut best = 0;
        let mut least = f32::MAX;
        for i in 0..CENTERS as u32 {
            let away = distance(centers[i], point);
//                              ^^^^^^^^^^ race: read/write on centers[..].x
            if away < least {
                best = i;
                least = away;
            }
        }
        best
    }

    /// First dispatch: adds each point to the sums of its center.
    #[kernel(workgroup_size(32))]
    pub fn assign(
        #[builtin(global_invocation_id)] id: UVec3,
        points: &[Vec2],
        centers: &mut [Vec2; CENTERS],
        sums: &[Sums; CENTERS],
        labels: &mut [u32],
    ) {
        let point = points[id.x];
        let label = nearest(centers, point);
        labels[id.x] = label;
        let fixed = (point * 256.0).as_ivec2();
        sums[label].x.fetch_add(fixed.x);
        sums[label].y.fetch_add(fixed.y);
        sums[label].count.fetch_add(1);
    }

    /// Second dispatch: moves each center.
    #[kernel(workgroup_size(CENTERS))]
    pub fn update(
        #[builtin(local_invocation_index)] i: u32,
        centers: &mut [Vec2; CENTERS],
        sums: &[Sums; CENTERS],
    ) {
        let count = sums[i].count.swap(0);
        let sum = ivec2(sums[i].x.swap(0), sums[i].y.swap(0));
        if count > 0 {
            centers[i] = sum.as_vec2() / (256.0 * count as f32);
        }
    }

    /// Does both in one dispatch: the last point of a center moves it while other invocations still read it.
    #[rustfmt::skip]
    #[kernel(workgroup_size(32))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        points: &[Vec2],
        centers: &mut [Vec2; CENTERS],
        sums: &[Sums; CENTERS],
    ) {
        let point = points[id.x];
        let label = nearest(centers, point);
        let fixed = (point * 256.0).as_ivec2();
        let sum = ivec2(sums[label].x.fetch_add(fixed.x), sums[label].y.fetch_add(fixed.y));
        let before = sums[label].count.fetch_add(1);
        if before == 7 {
            centers[label] = (sum + fixed).as_vec2() / (256.0 * 8.0);
//          ^^^^^^^^^^^^^^ race: write/read on centers[..].x
        }
    }
}

#[cfg(test)]
mod tests {
    use super::k_means;
    use crate::support::{assert_close, clean, integers, racy, scalars};
    use hirace::Launch;
    use hirace::prelude::Vec2;

    const CENTERS: [Vec2; 4] =
        [Vec2::new(-0.5, -0.5), Vec2::new(0.5, -0.5), Vec2::new(-0.5, 0.5), Vec2::new(0.5, 0.5)];

    /// Returns points whose coordinates are multiples of 1/256, so that the fixed-point sums are exact.
    fn points() -> Vec<Vec2> {
        let at = integers(256, 128, 24);
        at.chunks(2).map(|c| Vec2::new(c[0] as f32, c[1] as f32) / 256.0).collect()
    }

    fn launch(points: &[Vec2]) -> Launch {
        Launch::new()
            .buffer("points", points)
            .buffer("centers", &CENTERS)
            .buffer("sums", &[(0i32, 0i32, 0u32); 4])
    }

    #[test]
    fn centers_move_to_the_middle_of_their_points() {
        let points = points();
        let launch = launch(&points)
            .buffer("labels", &[0u32; 64])
            .dispatch("assign", 2)
            .dispatch("update", 1);
        let run = clean(&k_means::assign::kernel(), launch);
        let label = |p: &Vec2| u32::from(p.x > 0.0) + 2 * u32::from(p.y > 0.0);
        assert_eq!(run.read::<u32>("labels"), points.iter().map(label).collect::<Vec<_>>());
        let middle = |i: u32| {
            let own: Vec<Vec2> = points.iter().copied().filter(|p| label(p) == i).collect();
            own.iter().sum::<Vec2>() / own.len() as f32
        };
        let expected: Vec<Vec2> = (0..4).map(middle).collect();
        assert_close(&scalars(&run.read::<Vec2>("centers")), &scalars(&expected), 1e-6);
    }

    #[test]
    fn a_center_without_points_stays() {
        // All points are near the last center.
        let points: Vec<Vec2> = points().iter().map(|point| point.abs() + 0.25).collect();
        let launch = launch(&points)
            .buffer("labels", &[0u32; 64])
            .dispatch("assign", 2)
            .dispatch("update", 1);
        let run = clean(&k_means::assign::kernel(), launch);
        assert_eq!(run.read::<u32>("labels"), [3; 64]);
        let mut expected = CENTERS;
        expected[3] = points.iter().sum::<Vec2>() / 64.0;
        assert_close(&scalars(&run.read::<Vec2>("centers")), &scalars(&expected), 1e-6);
    }

    #[test]
    fn centers_must_not_move_while_points_are_measured() {
        let launch = launch(&points()).workgroups(2);
        racy(&k_means::racy::kernel(), launch, include_str!("k_means.rs"));
    }
}

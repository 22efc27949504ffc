//! k-means: moves each center to the mean of its points.

/// One center per workgroup.
#[hirace::monitor]
pub mod update_clusters {
    use hirace::prelude::*;
    use std::ops::AddAssign;

    const BLOCK: usize = 64;

    /// Sum and number of points.
    #[derive(Clone, Copy, Default)]
    pub struct Mean {
        sum: Vec2,
        count: u32,
    }

    impl AddAssign for Mean {
        fn add_assign(&mut self, other: Self) {
            self.sum += other.sum;
            self.count += other.count;
        }
    }

    impl AddAssign<Vec2> for Mean {
        fn add_assign(&mut self, point: Vec2) {
            *self += Self { sum: point, count: 1 };
        }
    }

    impl Mean {
        fn center(&self) -> Option<Vec2> {
            if self.count == 0 { None } else { Some(self.sum / self.count as f32) }
        }
    }

    /// Moves the centers; a center without points stays where it is.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        points: &[Vec2],
        clusters: &[u32],
        centers: &mut [Vec2],
        #[workgroup] means: &mut [Mean; BLOCK],
    ) {
        let lane = lane as usize;
        let mut own = Mean::default();
        let members = points.iter().zip(clusters).skip(lane).step_by(BLOCK);
        for (&point, _) in members.filter(|&(_, &cluster)| cluster == group.x) {
            own += point;
        }
        means[lane] = own;
        workgroup_barrier();

        for stride in [32, 16, 8, 4, 2, 1] {
            if lane < stride {
                let other = means[lane + stride];
                means[lane] += other;
            }
            workgroup_barrier();
        }
        if lane == 0
            && let Some(center) = means[0].center()
        {
            centers[group.x as usize] = center;
        }
    }

    /// Counts the points of a center with one invocation, while others still write.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        clusters: &[u32],
        sizes: &mut [u32],
        #[workgroup] members: &mut [u32; BLOCK],
    ) {
        let lane = lane as usize;
        let own = clusters.iter().skip(lane).step_by(BLOCK).filter(|&&c| c == group.x);
        members[lane] = own.count() as u32;
//      ^^^^^^^^^^^^^ race: write/read on members[..]
        if lane == 0 {
            let mut size = 0;
            for i in 0..BLOCK {
                size += members[i];
//                      ^^^^^^^^^^ race: read/write on members[..]
            }
            sizes[group.x as usize] = size;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::update_clusters;
    use crate::support::{assert_close, below, clean, floats, racy, scalars};
    use hirace::Launch;
    use hirace::prelude::*;

    #[test]
    fn centers_are_means() {
        let points: Vec<Vec2> = floats(400, 110).chunks(2).map(Vec2::from_slice).collect();
        let clusters = below(3, 200, 111);
        let centers = vec![Vec2::new(7.0, 8.0); 4];
        let launch = Launch::new().workgroups(4).buffer("points", &points);
        let launch = launch.buffer("clusters", &clusters).buffer("centers", &centers);
        let run = clean(&update_clusters::clean::kernel(), launch);
        let mut expected = centers;
        for k in 0..3 {
            let members: Vec<Vec2> =
                (0..200).filter(|&i| clusters[i] == k).map(|i| points[i]).collect();
            expected[k as usize] = members.iter().sum::<Vec2>() / members.len() as f32;
        }
        assert_close(&scalars(&run.read::<Vec2>("centers")), &scalars(&expected), 1e-4);
    }

    #[test]
    fn sizes_without_a_barrier_race() {
        let launch = Launch::new().workgroups(2).buffer("clusters", &below(2, 200, 112));
        let launch = launch.zeros("sizes", 2);
        racy(&update_clusters::racy::kernel(), launch, include_str!("update_clusters.rs"));
    }
}

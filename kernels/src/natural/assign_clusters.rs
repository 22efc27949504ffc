//! k-means: finds the nearest center of each point.

/// Points of a fixed dimension.
#[hirace::monitor]
pub mod assign_clusters {
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    const DIMENSIONS: usize = 3;

    type Point = [f32; DIMENSIONS];

    fn distance_squared(a: &Point, b: &Point) -> f32 {
        a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum()
    }

    /// Assigns points to centers, and counts the points whose center has changed.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        points: &[[f32; 3]],
        centers: &[[f32; 3]],
        clusters: &mut [u32],
        changed: &AtomicU32,
    ) {
        let i = id.x as usize;
        if i >= points.len() {
            return;
        }
        let (nearest, _) = centers
            .iter()
            .map(|center| distance_squared(&points[i], center))
            .enumerate()
            .min_by(|(_, a), (_, b)| a.total_cmp(b))
            .unwrap_or((0, f32::INFINITY));
        let previous = std::mem::replace(&mut clusters[i], nearest as u32);
        if previous != nearest as u32 {
            changed.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts the changes without an atomic.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        points: &[f32],
        clusters: &mut [u32],
        changed: &mut u32,
    ) {
        let i = id.x as usize;
        let nearest = u32::from(points[i] > 0.0);
        if clusters[i] != nearest {
            clusters[i] = nearest;
            *changed += 1;
//          ^^^^^^^^ race: read/write on changed
//          ^^^^^^^^ race: write/read on changed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::assign_clusters;
    use crate::support::{below, clean, floats, racy};
    use hirace::Launch;

    #[test]
    fn points_join_the_nearest_center() {
        let array = |f: &[f32]| [f[0], f[1], f[2]];
        let points: Vec<[f32; 3]> = floats(300, 100).chunks(3).map(array).collect();
        let centers: Vec<[f32; 3]> = floats(15, 101).chunks(3).map(array).collect();
        let clusters = below(5, 100, 102);
        let launch = Launch::new().workgroups(2).buffer("points", &points);
        let launch = launch.buffer("centers", &centers).buffer("clusters", &clusters);
        let run = clean(&assign_clusters::clean::kernel(), launch.buffer("changed", &0u32));
        let mut changed = 0;
        let mut expected = Vec::new();
        for (point, old) in points.iter().zip(clusters) {
            let (mut best, mut least) = (0, f32::MAX);
            for (k, center) in centers.iter().enumerate() {
                let distance: f32 = (0..3).map(|d| (point[d] - center[d]).powi(2)).sum();
                if distance < least {
                    (best, least) = (k as u32, distance);
                }
            }
            changed += u32::from(best != old);
            expected.push(best);
        }
        assert_eq!(run.read::<u32>("clusters"), expected);
        assert_eq!(run.one::<u32>("changed"), changed);
    }

    #[test]
    fn counting_without_an_atomic_races() {
        let launch = Launch::new().workgroups(2).buffer("points", &floats(128, 103));
        let launch = launch.zeros("clusters", 128).buffer("changed", &0u32);
        racy(&assign_clusters::racy::kernel(), launch, include_str!("assign_clusters.rs"));
    }
}

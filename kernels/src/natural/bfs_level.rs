//! One level of a breadth-first search.

/// The frontier is a list of vertices.
#[hirace::monitor]
pub mod bfs_level {
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// The distance of unreached vertices.
    pub const UNREACHED: u32 = u32::MAX;

    /// Visits the neighbors of the frontier; the first invocation to reach a vertex adds it to the next frontier.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] level: u32,
        offsets: &[u32],
        edges: &[u32],
        frontier: &[u32],
        distances: &[AtomicU32],
        next: &mut [u32],
        next_len: &AtomicU32,
    ) {
        let Some(&vertex) = frontier.get(id.x as usize) else { return };
        let vertex = vertex as usize;
        let (from, to) = (offsets[vertex] as usize, offsets[vertex + 1] as usize);
        for &target in &edges[from..to] {
            let claimed = distances[target as usize].compare_exchange(
                UNREACHED,
                level + 1,
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
            if claimed.is_ok() {
                let slot = next_len.fetch_add(1, Ordering::Relaxed) as usize;
                next[slot] = target;
            }
        }
    }

    /// Tests and then writes without an atomic, into the slot of the edge.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] level: u32,
        targets: &[u32],
        distances: &mut [u32],
    ) {
        let Some(&target) = targets.get(id.x as usize) else { return };
        distances[target as usize] = level + 1;
//      ^^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/write on distances[..]
    }
}

#[cfg(test)]
mod tests {
    use super::bfs_level::{self, UNREACHED};
    use crate::support::{below, clean, racy};
    use hirace::Launch;

    #[test]
    fn the_next_frontier_is_found() {
        let (vertices, degree) = (120, 3);
        let offsets: Vec<u32> = (0..=vertices).map(|v| v * degree).collect();
        let edges = below(vertices, (vertices * degree) as usize, 40);
        let frontier: Vec<u32> = (10..40).collect();
        let mut distances = vec![UNREACHED; vertices as usize];
        frontier.iter().for_each(|&v| distances[v as usize] = 4);
        let launch = Launch::new().workgroups(1).buffer("level", &4u32);
        let launch = launch.buffer("offsets", &offsets).buffer("edges", &edges);
        let launch = launch.buffer("frontier", &frontier).buffer("distances", &distances);
        let launch = launch.zeros("next", vertices as usize).buffer("next_len", &0u32);
        let run = clean(&bfs_level::clean::kernel(), launch);
        let mut reached = Vec::new();
        for v in frontier {
            for &target in &edges[(v * 3) as usize..(v * 3 + 3) as usize] {
                if distances[target as usize] == UNREACHED {
                    distances[target as usize] = 5;
                    reached.push(target);
                }
            }
        }
        reached.sort();
        let mut next = run.read::<u32>("next");
        next.truncate(run.one::<u32>("next_len") as usize);
        next.sort();
        assert_eq!(next, reached);
        assert_eq!(run.read::<u32>("distances"), distances);
    }

    #[test]
    fn vertices_with_two_edges_race() {
        let launch = Launch::new().workgroups(2).buffer("level", &1u32);
        let launch = launch.buffer("targets", &below(10, 100, 41)).zeros("distances", 10);
        racy(&bfs_level::racy::kernel(), launch, include_str!("bfs_level.rs"));
    }
}

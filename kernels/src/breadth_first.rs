//! One step of a breadth-first search of a graph.

/// A graph in compressed rows: the edges of a node are `edges[rows[node]..rows[node + 1]]`.
#[hirace::monitor]
pub mod breadth_first {
    use hirace::prelude::*;

    const UNSEEN: u32 = u32::MAX;

    /// The nodes to visit, and their number.
    pub struct Frontier {
        /// Number of nodes.
        pub count: Atomic<u32>,
        /// The nodes.
        pub nodes: [u32],
    }

    /// Each node of the frontier sets the level of its neighbors to its own plus one. The first invocation to
    /// reach a neighbor adds it to the next frontier.
    #[kernel(workgroup_size(16))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] level: u32,
        rows: &[u32],
        edges: &[u32],
        levels: &[Atomic<u32>],
        frontier: &mut Frontier,
        next: &mut Frontier,
    ) {
        if id.x >= frontier.count.load() {
            return;
        }
        let node = frontier.nodes[id.x];
        for edge in rows[node]..rows[node + 1] {
            let neighbor = edges[edge];
            if levels[neighbor].fetch_min(level + 1) == UNSEEN {
                let place = next.count.fetch_add(1);
                next.nodes[place] = neighbor;
            }
        }
    }

    /// Tests and marks visited neighbors with plain accesses: a neighbor may be added to the frontier
    /// twice.
    #[rustfmt::skip]
    #[kernel(workgroup_size(16))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] level: u32,
        rows: &[u32],
        edges: &[u32],
        levels: &[Atomic<u32>],
        frontier: &mut Frontier,
        next: &mut Frontier,
    ) {
        if id.x >= frontier.count.load() {
            return;
        }
        let node = frontier.nodes[id.x];
        for edge in rows[node]..rows[node + 1] {
            let neighbor = edges[edge];
            if *levels[neighbor].plain() == UNSEEN {
//             ^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on levels[..]
                *levels[neighbor].plain() = level + 1;
//              ^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/read on levels[..]
//              ^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/write on levels[..]
                let place = next.count.fetch_add(1);
                next.nodes[place] = neighbor;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::breadth_first;
    use crate::support::{below, clean, racy};
    use hirace::Launch;

    use std::collections::BTreeSet;

    const NODES: usize = 40;

    /// Returns rows and edges of a graph in which each node has three neighbors.
    fn graph() -> (Vec<u32>, Vec<u32>) {
        ((0..=NODES as u32).map(|node| 3 * node).collect(), below(NODES as u32, 3 * NODES, 26))
    }

    fn launch(levels: &[u32], frontier: &[u32], level: u32) -> Launch {
        let (rows, edges) = graph();
        Launch::new()
            .workgroups(frontier.len().div_ceil(16) as u32)
            .buffer("level", &level)
            .buffer("rows", &rows)
            .buffer("edges", &edges)
            .buffer("levels", levels)
            .buffer("frontier", &(frontier.len() as u32, frontier.to_vec()))
            .buffer("next", &(0u32, vec![0u32; NODES]))
    }

    #[test]
    fn every_step_finds_the_nodes_one_edge_further() {
        let (_, edges) = graph();
        let mut levels = vec![u32::MAX; NODES];
        levels[0] = 0;
        let (mut frontier, mut expected) = (vec![0], levels.clone());
        for level in 0.. {
            let run = clean(&breadth_first::clean::kernel(), launch(&levels, &frontier, level));
            let found: BTreeSet<u32> = frontier
                .iter()
                .flat_map(|node| &edges[3 * *node as usize..][..3])
                .filter(|node| expected[**node as usize] == u32::MAX)
                .copied()
                .collect();
            found.iter().for_each(|node| expected[*node as usize] = level + 1);
            levels = run.read::<u32>("levels");
            assert_eq!(levels, expected);
            let (count, nodes) = run.one::<(u32, Vec<u32>)>("next");
            frontier = nodes[..count as usize].to_vec();
            assert_eq!(frontier.len(), found.len());
            assert_eq!(frontier.iter().copied().collect::<BTreeSet<_>>(), found);
            if frontier.is_empty() {
                assert!(level > 2);
                return;
            }
        }
    }

    #[test]
    fn a_plain_look_lets_a_node_in_twice() {
        let frontier: Vec<u32> = (0..20).collect();
        let mut levels = vec![u32::MAX; NODES];
        levels[..20].fill(3);
        let launch = launch(&levels, &frontier, 3);
        racy(&breadth_first::racy::kernel(), launch, include_str!("breadth_first.rs"));
    }
}

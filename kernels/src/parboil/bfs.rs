//! `bfs` of Parboil: a complete breadth-first search, with a queue in workgroup memory and one in storage.

/// A graph in compressed rows. The queue keeps all nodes in the order in which they were found: a level is a
/// range of it.
#[hirace::monitor]
pub mod bfs {
    use hirace::prelude::*;

    const UNSEEN: u32 = u32::MAX;
    const LANES: u32 = 64;
    const ROOM: usize = 80;

    /// State of the search.
    pub struct Search {
        /// Start of the current level in the queue.
        pub start: u32,
        /// End of the current level in the queue.
        pub end: u32,
        /// Number of the current level.
        pub level: u32,
        /// End of the queue.
        pub tail: Atomic<u32>,
    }

    /// Visits the neighbors of a node; adds new ones to the workgroup's queue, or to storage if that queue is
    /// full.
    fn visit(
        node: u32,
        rows: &[u32],
        edges: &[u32],
        levels: &[Atomic<u32>],
        queue: &mut [u32],
        search: &mut Search,
        found: &mut [u32; ROOM],
        count: &Atomic<u32>,
    ) {
        for edge in rows[node]..rows[node + 1] {
            let neighbor = edges[edge];
            if levels[neighbor].fetch_min(search.level + 1) == UNSEEN {
                let own = count.fetch_add(1);
                if own < ROOM as u32 {
                    found[own] = neighbor;
                } else {
                    let place = search.tail.fetch_add(1);
                    queue[place] = neighbor;
                }
            }
        }
    }

    /// Expands a level: one invocation reserves space in the queue for all nodes of its workgroup.
    #[kernel(workgroup_size(LANES))]
    pub fn expand(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(num_workgroups)] groups: UVec3,
        rows: &[u32],
        edges: &[u32],
        levels: &[Atomic<u32>],
        queue: &mut [u32],
        search: &mut Search,
        #[workgroup] found: &mut [u32; ROOM],
        #[workgroup] count: &Atomic<u32>,
        #[workgroup] place: &mut u32,
    ) {
        for i in (search.start + id.x..search.end).step_by(LANES * groups.x) {
            visit(queue[i], rows, edges, levels, queue, search, found, count);
        }
        workgroup_barrier();
        let own = min(count.load(), ROOM as u32);
        if lane == 0 {
            *place = search.tail.fetch_add(own);
        }
        workgroup_barrier();
        for i in (lane..own).step_by(LANES) {
            queue[*place + i] = found[i];
        }
    }

    /// Advances to the next level, with one invocation.
    #[kernel(workgroup_size(1))]
    pub fn advance(search: &mut Search) {
        search.start = search.end;
        search.end = search.tail.load();
        search.level += 1;
    }

    /// Lacks a barrier: other invocations use the reserved position before it is written.
    #[rustfmt::skip]
    #[kernel(workgroup_size(LANES))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(num_workgroups)] groups: UVec3,
        rows: &[u32],
        edges: &[u32],
        levels: &[Atomic<u32>],
        queue: &mut [u32],
        search: &mut Search,
        #[workgroup] found: &mut [u32; ROOM],
        #[workgroup] count: &Atomic<u32>,
        #[workgroup] place: &mut u32,
    ) {
        for i in (search.start + id.x..search.end).step_by(LANES * groups.x) {
            visit(queue[i], rows, edges, levels, queue, search, found, count);
        }
        workgroup_barrier();
        let own = min(count.load(), ROOM as u32);
        if lane == 0 {
            *place = search.tail.fetch_add(own);
//          ^^^^^^ race: write/read on place
        }
        for i in (lane..own).step_by(LANES) {
            queue[*place + i] = found[i];
//                ^^^^^^ race: read/write on place
        }
    }
}

#[cfg(test)]
mod tests {
    use super::bfs;
    use crate::support::{below, clean, racy};
    use hirace::Launch;
    use std::collections::VecDeque;

    /// The neighbors of each node.
    type Graph = Vec<Vec<u32>>;

    fn launch(graph: &Graph) -> Launch {
        let mut rows = vec![0];
        for neighbors in graph {
            rows.push(rows[rows.len() - 1] + neighbors.len() as u32);
        }
        // A buffer has at least one element.
        let edges: Vec<u32> = graph.iter().flatten().copied().chain([0]).collect();
        let mut levels = vec![u32::MAX; graph.len()];
        levels[0] = 0;
        Launch::new()
            .buffer("rows", &rows)
            .buffer("edges", &edges)
            .buffer("levels", &levels)
            .zeros("queue", graph.len())
            .buffer("search", &(0u32, 1u32, 0u32, 1u32))
    }

    /// Returns the level of each node in a sequential search from node 0.
    fn levels(graph: &Graph) -> Vec<u32> {
        let mut levels = vec![u32::MAX; graph.len()];
        levels[0] = 0;
        let mut queue = VecDeque::from([0]);
        while let Some(node) = queue.pop_front() {
            for &neighbor in &graph[node as usize] {
                if levels[neighbor as usize] == u32::MAX {
                    levels[neighbor as usize] = levels[node as usize] + 1;
                    queue.push_back(neighbor);
                }
            }
        }
        levels
    }

    fn holds(graph: &Graph, workgroups: u32) {
        let expected = levels(graph);
        let depth = expected.iter().filter(|level| **level != u32::MAX).max().unwrap();
        let step = |launch: Launch, _| launch.dispatch("expand", workgroups).dispatch("advance", 1);
        let run = clean(&bfs::expand::kernel(), (0..=*depth).fold(launch(graph), step));
        assert_eq!(run.read::<u32>("levels"), expected);
        let (start, end, level, tail) = run.one::<(u32, u32, u32, u32)>("search");
        assert_eq!((start, end, level), (tail, tail, depth + 1));
        let mut found = run.read::<u32>("queue")[..tail as usize].to_vec();
        assert!(found.is_sorted_by_key(|node| expected[*node as usize]));
        found.sort_unstable();
        let reached = |node: &u32| expected[*node as usize] != u32::MAX;
        assert_eq!(found, (0..graph.len() as u32).filter(reached).collect::<Vec<_>>());
    }

    /// Returns a star graph whose rays have two edges each.
    fn star(rays: u32) -> Graph {
        let first = (1..=rays).map(|node| vec![node + rays]);
        let ends = (0..rays).map(|_| vec![]);
        std::iter::once((1..=rays).collect()).chain(first).chain(ends).collect()
    }

    #[test]
    fn every_node_has_its_level() {
        let graph = below(70, 3 * 70, 47).chunks(3).map(<[u32]>::to_vec).collect();
        holds(&graph, 2);
    }

    #[test]
    fn a_star_overflows_the_queue_of_a_workgroup() {
        holds(&star(100), 3);
    }

    #[test]
    fn a_level_may_be_larger_than_the_grid() {
        holds(&star(100), 1);
    }

    #[test]
    fn a_path_and_a_lone_node_are_searched_to_their_ends() {
        holds(&vec![vec![1], vec![2], vec![3], vec![0, 3]], 1);
        holds(&vec![vec![]], 1);
    }

    #[test]
    fn room_in_the_queue_must_be_taken_before_it_is_used() {
        let launch = launch(&star(6)).workgroups(1);
        racy(&bfs::racy::kernel(), launch, include_str!("bfs.rs"));
    }
}

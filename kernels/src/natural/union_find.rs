//! Connected components: hooks roots to each other, and compresses paths.

/// One invocation per edge or per vertex.
#[hirace::monitor]
pub mod union_find {
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    /// An edge.
    #[derive(Clone, Copy, Debug)]
    pub struct Edge {
        /// One endpoint.
        pub from: u32,
        /// The other endpoint.
        pub to: u32,
    }

    fn root(parents: &[AtomicU32], vertex: u32) -> u32 {
        let mut current = vertex;
        loop {
            let parent = parents[current as usize].load(Relaxed);
            if parent == current {
                break current;
            }
            current = parent;
        }
    }

    /// Hooks the larger root of each edge to the smaller one.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        edges: &[Edge],
        parents: &[AtomicU32],
    ) {
        let Some(&Edge { from, to }) = edges.get(id.x as usize) else { return };
        let (mut a, mut b) = (root(parents, from), root(parents, to));
        while a != b {
            if a < b {
                std::mem::swap(&mut a, &mut b);
            }
            match parents[a as usize].compare_exchange(a, b, Relaxed, Relaxed) {
                Ok(_) => break,
                Err(_) => (a, b) = (root(parents, a), root(parents, b)),
            }
        }
    }

    /// Points each vertex directly to its root.
    #[kernel(workgroup_size(64))]
    pub fn compress(#[builtin(global_invocation_id)] id: UVec3, parents: &[AtomicU32]) {
        if let Some(parent) = parents.get(id.x as usize) {
            parent.store(root(parents, id.x), Relaxed);
        }
    }

    /// Does one pointer jump, in place.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(#[builtin(global_invocation_id)] id: UVec3, parents: &mut [u32]) {
        let i = id.x as usize;
        let parent = parents[i] as usize;
        if parent != i {
            let grandparent = parents[parent];
//                            ^^^^^^^^^^^^^^^ race: read/write on parents[..]
            parents[i] = grandparent;
//          ^^^^^^^^^^ race: write/read on parents[..]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::union_find::{self, Edge};
    use crate::support::{below, clean, racy};
    use hirace::Launch;

    #[test]
    fn components_have_one_root() {
        let vertices = 100;
        let ends = below(vertices, 140, 370);
        let edges: Vec<Edge> =
            ends.chunks(2).map(|two| Edge { from: two[0], to: two[1] }).collect();
        let parents: Vec<u32> = (0..vertices).collect();
        let launch = Launch::new().workgroups(2).buffer("edges", &edges);
        let run = clean(&union_find::clean::kernel(), launch.buffer("parents", &parents));
        let hooked = run.read::<u32>("parents");
        let launch = Launch::new().workgroups(2).buffer("parents", &hooked);
        let found = clean(&union_find::compress::kernel(), launch).read::<u32>("parents");
        // The smallest vertex that can be reached.
        let mut expected = parents;
        for _ in 0..vertices {
            for edge in &edges {
                let (from, to) = (edge.from as usize, edge.to as usize);
                let least = expected[from].min(expected[to]);
                (expected[from], expected[to]) = (least, least);
            }
        }
        assert_eq!(found, expected);
    }

    #[test]
    fn a_jump_in_place_races() {
        let parents: Vec<u32> = (0..128u32).map(|i| i.saturating_sub(1)).collect();
        let launch = Launch::new().workgroups(2).buffer("parents", &parents);
        racy(&union_find::racy::kernel(), launch, include_str!("union_find.rs"));
    }
}

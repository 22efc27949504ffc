//! One step of PageRank.

/// Ranks are pulled along incoming edges.
#[hirace::monitor]
pub mod pagerank {
    use hirace::prelude::*;

    const DAMPING: f32 = 0.85;

    /// Computes the ranks; the sources of the edges into page `i` are from `starts[i]` to `starts[i + 1]`.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        starts: &[u32],
        sources: &[u32],
        out_degrees: &[u32],
        ranks: &[f32],
        next: &mut [f32],
    ) {
        let page = id.x as usize;
        let pages = ranks.len();
        if page >= pages {
            return;
        }
        let incoming = &sources[starts[page] as usize..starts[page + 1] as usize];
        let pulled: f32 = incoming
            .iter()
            .map(|&source| source as usize)
            .map(|source| ranks[source] / out_degrees[source].max(1) as f32)
            .sum();
        next[page] = (1.0 - DAMPING) / pages as f32 + DAMPING * pulled;
    }

    /// Updates ranks in place; each page has one incoming edge.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(#[builtin(global_invocation_id)] id: UVec3, sources: &[u32], ranks: &mut [f32]) {
        let page = id.x as usize;
        let source = sources[page] as usize;
        let pulled = ranks[source];
//                   ^^^^^^^^^^^^^ race: read/write on ranks[..]
        ranks[page] = (1.0 - DAMPING) + DAMPING * pulled;
//      ^^^^^^^^^^^ race: write/read on ranks[..]
    }
}

#[cfg(test)]
mod tests {
    use super::pagerank;
    use crate::support::{assert_close, below, clean, racy};
    use hirace::Launch;

    #[test]
    fn ranks_flow_along_edges() {
        let pages = 90;
        let mut starts = vec![0u32];
        for degree in below(5, pages, 120) {
            starts.push(starts.last().unwrap() + degree);
        }
        let sources = below(pages as u32, starts[pages] as usize, 121);
        let mut out_degrees = vec![0u32; pages];
        sources.iter().for_each(|&source| out_degrees[source as usize] += 1);
        let ranks: Vec<f32> = below(100, pages, 122).iter().map(|&n| n as f32 / 100.0).collect();
        let launch = Launch::new().workgroups(2).buffer("starts", &starts);
        let launch = launch.buffer("sources", &sources).buffer("out_degrees", &out_degrees);
        let launch = launch.buffer("ranks", &ranks).zeros("next", pages);
        let run = clean(&pagerank::clean::kernel(), launch);
        let mut expected = vec![0.15 / 90.0; pages];
        for page in 0..pages {
            for edge in starts[page]..starts[page + 1] {
                let source = sources[edge as usize] as usize;
                expected[page] += 0.85 * ranks[source] / out_degrees[source] as f32;
            }
        }
        assert_close(&run.read::<f32>("next"), &expected, 1e-5);
    }

    #[test]
    fn ranks_in_place_race() {
        let sources: Vec<u32> = (0..128).map(|i| (i + 65) % 128).collect();
        let launch = Launch::new().workgroups(2).buffer("sources", &sources);
        let launch = launch.buffer("ranks", &[1.0f32; 128]);
        racy(&pagerank::racy::kernel(), launch, include_str!("pagerank.rs"));
    }
}

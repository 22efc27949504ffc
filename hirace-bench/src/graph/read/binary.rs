//! The binary format of the ECL graph codes: the numbers of vertices and edges, the index, the neighbors, and
//! optionally a weight per edge; all of them 32 bits, little-endian.

use super::{Result, unreadable};
use crate::graph::Graph;

/// Reads a graph in this format.
pub fn read(bytes: &[u8]) -> Result<Graph> {
    let to_error = |reason: String| unreadable(0, reason);
    let (words, rest) = bytes.as_chunks::<4>();
    let mut words = words.iter().map(|word| u32::from_le_bytes(*word));
    let sizes = words.next().zip(words.next());
    let (vertices, edges) = sizes.ok_or_else(|| to_error("the sizes are missing".to_owned()))?;
    let index_length = u64::from(vertices) + 1;
    let remaining = words.len() as u64;
    let without_weights = index_length + u64::from(edges);
    if !rest.is_empty()
        || ![without_weights, without_weights + u64::from(edges)].contains(&remaining)
    {
        return Err(to_error(format!(
            "{vertices} vertices and {edges} edges take {} bytes, or {} with weights, but the file has {}",
            (without_weights + 2) * 4,
            (without_weights + 2 + u64::from(edges)) * 4,
            bytes.len()
        )));
    }
    let index: Vec<u32> = words.by_ref().take(index_length as usize).collect();
    let neighbors: Vec<u32> = words.take(edges as usize).collect();
    let decrease = index.windows(2).position(|next| next[0] > next[1]);
    if let Some(vertex) = decrease {
        return Err(to_error(format!("the index decreases after vertex {vertex}")));
    }
    if index.first() != Some(&0) || index.last() != Some(&edges) {
        return Err(to_error(format!("the index does not go from 0 to {edges}")));
    }
    let outside = neighbors.iter().enumerate().find(|&(_, &to)| to >= vertices);
    if let Some((edge, to)) = outside {
        return Err(to_error(format!("edge {edge} leads to vertex {to} of {vertices} (from 0)")));
    }
    let graph = Graph { index, neighbors };
    let is_sorted = |vertex| graph.neighbors_of(vertex).windows(2).all(|next| next[0] < next[1]);
    if (0..vertices).all(is_sorted) {
        return Ok(graph);
    }
    Graph::new(vertices, graph.each_edge().collect()).map_err(|error| to_error(error.to_string()))
}

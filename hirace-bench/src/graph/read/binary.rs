//! The binary format of the ECL graph codes: vertices, edges, the index, the neighbours, and perhaps a
//! weight an edge; all 32 bits, little-endian.

use super::{Result, unreadable};
use crate::graph::Graph;

pub fn read(bytes: &[u8]) -> Result<Graph> {
    let (words, rest) = bytes.as_chunks::<4>();
    let mut words = words.iter().map(|word| u32::from_le_bytes(*word));
    let sizes = words.next().zip(words.next());
    let (vertices, edges) = sizes.ok_or_else(|| unreadable(0, "its sizes are missing"))?;
    let index_length = u64::from(vertices) + 1;
    let left = words.len() as u64;
    let without_weights = index_length + u64::from(edges);
    if !rest.is_empty() || ![without_weights, without_weights + u64::from(edges)].contains(&left) {
        return Err(unreadable(
            0,
            format!(
                "{vertices} vertices and {edges} edges take {} bytes, or {} with weights; it has {}",
                (without_weights + 2) * 4,
                (without_weights + 2 + u64::from(edges)) * 4,
                bytes.len()
            ),
        ));
    }
    let index: Vec<u32> = words.by_ref().take(index_length as usize).collect();
    let neighbors: Vec<u32> = words.take(edges as usize).collect();
    if index.first() != Some(&0) || !index.is_sorted() || index.last() != Some(&edges) {
        return Err(unreadable(0, format!("its index does not ascend from 0 to {edges}")));
    }
    if let Some(outside) = neighbors.iter().find(|&&to| to >= vertices) {
        return Err(unreadable(0, format!("an edge leads to vertex {outside} of {vertices}")));
    }
    Ok(Graph { index, neighbors })
}

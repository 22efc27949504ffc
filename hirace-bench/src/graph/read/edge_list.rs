//! A list of edges.

use super::{Result, ended, graph, lines};
use crate::graph::Graph;

pub fn read(text: &str) -> Result<Graph> {
    let mut edges = Vec::new();
    let (mut vertices, mut highest_at) = (0, 0);
    for line in lines(text, &['#', '%']) {
        let (from, to) = (line.number(0, "vertex")?, line.number(1, "vertex")?);
        let highest = from.max(to);
        let count = highest
            .checked_add(1)
            .ok_or_else(|| line.wrong(format!("vertex {highest} is too large")))?;
        if count > vertices {
            (vertices, highest_at) = (count, line.number);
        }
        edges.push((from, to));
    }
    if edges.is_empty() {
        return Err(ended(text, "an edge"));
    }
    graph(highest_at, vertices, edges)
}

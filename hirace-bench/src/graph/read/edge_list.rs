//! A list of edges.

use super::{Result, lines, unreadable};
use crate::graph::Graph;

pub fn read(text: &str) -> Result<Graph> {
    let mut edges = Vec::new();
    let mut vertices = 0;
    for line in lines(text, &['#', '%']) {
        let (from, to) = (line.number(0, "vertex")?, line.number(1, "vertex")?);
        let highest = from.max(to);
        let count = highest.checked_add(1).ok_or_else(|| {
            line.wrong(format!("vertex {highest} is one more than can be counted"))
        })?;
        vertices = vertices.max(count);
        edges.push((from, to));
    }
    if edges.is_empty() {
        return Err(unreadable(0, "there are no edges in it"));
    }
    // One number far off would ask for all the vertices below it.
    if u64::from(vertices) > edges.len() as u64 * 1000 {
        return Err(unreadable(
            0,
            format!("{vertices} vertices for {} edges: is this a list of edges?", edges.len()),
        ));
    }
    Graph::new(vertices, edges).map_err(|impossible| unreadable(0, impossible.to_string()))
}

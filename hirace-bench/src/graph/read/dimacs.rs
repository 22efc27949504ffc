//! The format of the ninth DIMACS implementation challenge (shortest paths).

use super::{Result, check_edge_count, ended, graph, lines};
use crate::graph::Graph;

pub fn read(text: &str) -> Result<Graph> {
    let mut sizes = None;
    let mut edges = Vec::new();
    for line in lines(text, &['c']) {
        match (line.words[0], sizes) {
            ("p", None) => {
                if line.words.get(1) != Some(&"sp") {
                    return Err(line.wrong("expected `p sp VERTICES EDGES`"));
                }
                let vertices = line.number(2, "number of vertices")?;
                sizes = Some((line.number, vertices, line.number(3, "number of edges")?));
            }
            ("p", Some(_)) => return Err(line.wrong("duplicate sizes")),
            ("a", Some((_, vertices, _))) => {
                edges.push((line.vertex(1, vertices)?, line.vertex(2, vertices)?));
                line.weights(3, 0..=1)?;
            }
            ("a", None) => return Err(line.wrong("an edge precedes `p sp VERTICES EDGES`")),
            (word, _) => return Err(line.wrong(format!("unknown kind of line `{word}`"))),
        }
    }
    let Some((at, vertices, said)) = sizes else {
        return Err(ended(text, "a line `p sp VERTICES EDGES`"));
    };
    check_edge_count(at, said, edges.len())?;
    graph(at, vertices, edges)
}

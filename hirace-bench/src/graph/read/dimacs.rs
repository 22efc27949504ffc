//! The format of the ninth DIMACS challenge, shortest paths.

use super::{Result, lines, unreadable, whole};
use crate::graph::Graph;

pub fn read(text: &str) -> Result<Graph> {
    let mut sizes = None;
    let mut edges = Vec::new();
    for line in lines(text, &['c']) {
        match (line.words[0], sizes) {
            ("p", None) => {
                if line.words.get(1) != Some(&"sp") {
                    return Err(line.wrong("`p sp VERTICES EDGES` is what this should be"));
                }
                sizes = Some((
                    line.number(2, "number of vertices")?,
                    line.number(3, "number of edges")?,
                ));
            }
            ("p", Some(_)) => return Err(line.wrong("the sizes were given before")),
            ("a", Some((vertices, _))) => {
                edges.push((line.vertex(1, vertices)?, line.vertex(2, vertices)?));
            }
            ("a", None) => return Err(line.wrong("an edge stands before `p sp VERTICES EDGES`")),
            (word, _) => return Err(line.wrong(format!("`{word}` starts no line of this format"))),
        }
    }
    let Some((vertices, said)) = sizes else {
        return Err(unreadable(0, "there is no line `p sp VERTICES EDGES` in it"));
    };
    let read = edges.len() as u32;
    whole(vertices, edges, said, read)
}

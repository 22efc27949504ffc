//! Matrix Market: a square matrix by the coordinates of its entries.

use super::{Result, lines, unreadable, whole};
use crate::graph::Graph;

pub fn read(text: &str) -> Result<Graph> {
    let both_ways = banner(text.lines().next().unwrap_or_default())?;
    let mut lines = lines(text, &['%']);
    let sizes = lines.next().ok_or_else(|| unreadable(0, "its sizes are missing"))?;
    let [rows, columns, entries] =
        [(0, "number of rows"), (1, "number of columns"), (2, "number of entries")]
            .map(|(at, what)| sizes.number(at, what));
    let (rows, columns, entries) = (rows?, columns?, entries?);
    if rows != columns {
        return Err(sizes.wrong(format!("{rows} rows and {columns} columns: a graph has as many")));
    }
    let mut edges = Vec::new();
    let mut read = 0;
    for line in lines {
        let edge = (line.vertex(0, rows)?, line.vertex(1, rows)?);
        edges.push(edge);
        if both_ways {
            edges.push((edge.1, edge.0));
        }
        read += 1;
    }
    whole(rows, edges, entries, read)
}

/// Whether each entry stands for both directions.
fn banner(line: &str) -> Result<bool> {
    let words: Vec<String> = line.split_whitespace().map(str::to_ascii_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let wrong = |reason: String| Err(unreadable(1, reason));
    let ["%%matrixmarket", "matrix", layout, field, symmetry] = words[..] else {
        return wrong("it should begin with `%%MatrixMarket matrix coordinate …`".to_owned());
    };
    if layout != "coordinate" {
        return wrong(format!("a matrix as `{layout}` is no graph: `coordinate` is"));
    }
    if !["pattern", "real", "integer", "complex", "double"].contains(&field) {
        return wrong(format!("`{field}` is no kind of entries"));
    }
    match symmetry {
        "general" => Ok(false),
        "symmetric" | "skew-symmetric" | "hermitian" => Ok(true),
        _ => wrong(format!("`{symmetry}` is no symmetry")),
    }
}

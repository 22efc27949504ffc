//! The Matrix Market format: a square matrix in coordinate form.

use super::{Result, check_edge_count, ended, graph, lines, unreadable};
use crate::graph::Graph;

pub fn read(text: &str) -> Result<Graph> {
    let Banner { values, both_ways } = banner(text.lines().next().unwrap_or_default())?;
    let mut lines = lines(text, &['%']);
    let sizes = lines.next().ok_or_else(|| ended(text, "the sizes"))?;
    let [rows, columns, entries] =
        [(0, "number of rows"), (1, "number of columns"), (2, "number of entries")]
            .map(|(at, what)| sizes.number(at, what));
    let (rows, columns, entries) = (rows?, columns?, entries?);
    if rows != columns {
        return Err(sizes.wrong(format!(
            "{rows} rows and {columns} columns, but a graph needs a square matrix"
        )));
    }
    let mut edges = Vec::new();
    let mut read = 0;
    for line in lines {
        let (from, to) = (line.vertex(0, rows)?, line.vertex(1, rows)?);
        line.weights(2, values..=values)?;
        edges.push((from, to));
        if both_ways {
            edges.push((to, from));
        }
        read += 1;
    }
    check_edge_count(sizes.number, entries, read)?;
    graph(sizes.number, rows, edges)
}

/// The first line of a file.
struct Banner {
    /// The number of numbers in the value of an entry.
    values: usize,
    /// Whether each entry represents both directions.
    both_ways: bool,
}

fn banner(line: &str) -> Result<Banner> {
    let words: Vec<String> = line.split_whitespace().map(str::to_ascii_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let wrong = |reason: String| unreadable(1, reason);
    let ["%%matrixmarket", "matrix", layout, field, symmetry] = words[..] else {
        return Err(wrong("expected `%%MatrixMarket matrix coordinate …`".to_owned()));
    };
    if layout != "coordinate" {
        return Err(wrong(format!("unsupported layout `{layout}`: expected `coordinate`")));
    }
    let values = match field {
        "pattern" => 0,
        "real" | "integer" | "double" => 1,
        "complex" => 2,
        _ => return Err(wrong(format!("unknown kind of entries `{field}`"))),
    };
    let both_ways = match symmetry {
        "general" => false,
        "symmetric" | "skew-symmetric" | "hermitian" => true,
        _ => return Err(wrong(format!("unknown symmetry `{symmetry}`"))),
    };
    Ok(Banner { values, both_ways })
}

//! Matrix Market: a square matrix by the coordinates of its entries.

use super::{Result, all_there, ended, graph, lines, unreadable};
use crate::graph::Graph;

pub fn read(text: &str) -> Result<Graph> {
    let Banner { values, both_ways } = banner(text.lines().next().unwrap_or_default())?;
    let mut lines = lines(text, &['%']);
    let sizes = lines.next().ok_or_else(|| ended(text, "its sizes"))?;
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
        let (from, to) = (line.vertex(0, rows)?, line.vertex(1, rows)?);
        line.weights(2, values..=values)?;
        edges.push((from, to));
        if both_ways {
            edges.push((to, from));
        }
        read += 1;
    }
    all_there(sizes.number, entries, read)?;
    graph(sizes.number, rows, edges)
}

/// What the first line says.
struct Banner {
    /// How many numbers the value of an entry is.
    values: usize,
    /// Whether each entry stands for both directions.
    both_ways: bool,
}

fn banner(line: &str) -> Result<Banner> {
    let words: Vec<String> = line.split_whitespace().map(str::to_ascii_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let wrong = |reason: String| unreadable(1, reason);
    let ["%%matrixmarket", "matrix", layout, field, symmetry] = words[..] else {
        return Err(wrong("it should begin with `%%MatrixMarket matrix coordinate …`".to_owned()));
    };
    if layout != "coordinate" {
        return Err(wrong(format!("a matrix as `{layout}` is no graph: `coordinate` is")));
    }
    let values = match field {
        "pattern" => 0,
        "real" | "integer" | "double" => 1,
        "complex" => 2,
        _ => return Err(wrong(format!("`{field}` is no kind of entries"))),
    };
    let both_ways = match symmetry {
        "general" => false,
        "symmetric" | "skew-symmetric" | "hermitian" => true,
        _ => return Err(wrong(format!("`{symmetry}` is no symmetry"))),
    };
    Ok(Banner { values, both_ways })
}

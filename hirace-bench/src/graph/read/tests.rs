use super::*;

fn graph(name: &str, text: impl AsRef<[u8]>) -> Graph {
    read(Path::new(name), text.as_ref()).unwrap()
}

fn read_error(name: &str, text: impl AsRef<[u8]>) -> String {
    read(Path::new(name), text.as_ref()).unwrap_err().to_string()
}

fn edges(graph: &Graph) -> Vec<(u32, u32)> {
    graph.each_edge().collect()
}

#[test]
fn a_matrix_is_read_as_a_directed_or_undirected_graph() {
    let general =
        "%%MatrixMarket matrix coordinate real general\n% of roads\n\n3 3 2\n1 2 0.5\n3 1 1e3\n";
    assert_eq!(edges(&graph("a.mtx", general)), [(0, 1), (2, 0)]);
    let symmetric = "%%MatrixMarket MATRIX Coordinate pattern symmetric\r\n3 3 2\r\n2 1\r\n3 3\r\n";
    assert_eq!(edges(&graph("a.MTX", symmetric)), [(0, 1), (1, 0), (2, 2)]);
}

#[test]
fn a_matrix_may_have_values_of_any_kind_and_blank_lines_and_comments() {
    let skew = "%%matrixmarket matrix coordinate integer skew-symmetric\r\n%\r\n\r\n  % x\n4 4 2\n\n\t2 1  -7\r\n4\t3 9 \n\n";
    assert_eq!(edges(&graph("a.mtx", skew)), [(0, 1), (1, 0), (2, 3), (3, 2)]);
    let hermitian = "\u{feff}%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 1 0\n2 1 1.5e-3 -.5";
    assert_eq!(edges(&graph("a.mtx", hermitian)), [(0, 0), (0, 1), (1, 0)]);
    let empty = "%%MatrixMarket matrix coordinate pattern general\n5 5 0\n";
    assert_eq!((graph("a.mtx", empty).vertices(), graph("a.mtx", empty).edges()), (5, 0));
}

#[test]
fn road_graphs_are_read() {
    let text = "c New York\r\nc\r\n\r\np sp 3 2\na 1 2 803\nc between\n a 3 1 158\r\n";
    assert_eq!(edges(&graph("a.gr", text)), [(0, 1), (2, 0)]);
    assert_eq!(graph("a.gr", "p sp 3 0").vertices(), 3);
}

#[test]
fn lists_of_edges_are_read_with_every_separator() {
    let text = "# from to\r\n0 1\r\n2,0,7\n\n% also\n\t1   2 0.5 2004-05-06\n1 2\n";
    for name in ["a.txt", "a.el", "a"] {
        assert_eq!(edges(&graph(name, text)), [(0, 1), (1, 2), (2, 0)]);
    }
}

fn binary(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn binary_graphs_are_read_with_and_without_weights() {
    let words = [2, 2, 0, 2, 2, 0, 1];
    assert_eq!(edges(&graph("a.egr", binary(&words))), [(0, 0), (0, 1)]);
    assert_eq!(graph("a.egr", binary(&[&words[..], &[9, 9]].concat())).neighbors, [0, 1]);
}

#[test]
fn edges_of_binary_graphs_are_sorted_and_counted_once_too() {
    let words = [3, 4, 0, 3, 3, 4, 2, 1, 2, 0];
    assert_eq!(edges(&graph("a.egr", binary(&words))), [(0, 1), (0, 2), (2, 0)]);
}

#[test]
fn errors_state_the_line() {
    let mtx = |rest: &str| {
        read_error("a.mtx", format!("%%MatrixMarket matrix coordinate real general\n{rest}"))
    };
    for (error, expected) in [
        (read_error("a.mtx", ""), "line 1: expected `%%MatrixMarket"),
        (
            read_error("a.mtx", "%%MatrixMarket matrix array real general\n"),
            "line 1: unsupported layout `array`",
        ),
        (
            read_error("a.mtx", "%%MatrixMarket matrix coordinate real lopsided"),
            "line 1: unknown symmetry `lopsided`",
        ),
        (mtx(""), "line 1: the file ends without the sizes"),
        (mtx("3 4 1\n"), "line 2: 3 rows and 4 columns"),
        (mtx("3 3\n"), "line 2: number of entries is missing"),
        (mtx("3 3 1\n1 4\n"), "line 3: there is no vertex 4"),
        (mtx("3 3 1\n0 1\n"), "line 3: there is no vertex 0"),
        (mtx("3 3 1\n1 x\n"), "line 3: `x` is not a vertex"),
        (mtx("3 3 1\n1 2\n"), "line 3: a value is missing"),
        (mtx("3 3 1\n1 2 0.5 7\n"), "line 3: `7` is one value too many"),
        (mtx("3 3 1\n\n1 2 x\n"), "line 4: `x` is not a number"),
        (mtx("5000000000 3 1\n"), "line 2: number of rows 5000000000 is too large"),
        (mtx("4000000000 4000000000 0\n"), "line 2: 4000000000 vertices for 0 edges"),
        (mtx("%\n3 3 2\n1 2 0\n"), "line 3: expected 2 edges, but found 1"),
        (read_error("a.gr", "a 1 2 3\n"), "line 1: an edge precedes"),
        (read_error("a.gr", "c x\n"), "line 1: the file ends without a line `p sp"),
        (read_error("a.gr", "p max 3 2\n"), "line 1: expected `p sp VERTICES EDGES`"),
        (read_error("a.gr", "p sp 1 1\np sp 1 1\n"), "line 2: duplicate sizes"),
        (read_error("a.gr", "p sp 2 1\n\nb 1 2\n"), "line 3: unknown kind of line `b`"),
        (read_error("a.gr", "p sp 2 1\na 1\n"), "line 2: vertex is missing"),
        (read_error("a.gr", "p sp 2 1\na 1 2 far\n"), "line 2: `far` is not a number"),
        (read_error("a.gr", "c\np sp 2 0\na 1 2 3\n"), "line 2: expected 0 edges, but found 1"),
        (
            read_error("a.gr", "p sp 4000000000 1\na 1 2 3\n"),
            "line 1: 4000000000 vertices for 1 edges",
        ),
        (read_error("a.txt", "0 1\n1\n"), "line 2: vertex is missing"),
        (read_error("a.txt", "0 -1\n"), "line 1: `-1` is not a vertex"),
        (read_error("a.txt", "0 4294967295\n"), "line 1: vertex 4294967295"),
        (read_error("a.txt", "0 99999999999\n"), "line 1: vertex 99999999999 is too large"),
        (read_error("a.txt", "0 1\n0 4000000\n"), "line 2: 4000001 vertices for 2 edges"),
        (read_error("a.txt", ""), "line 1: the file ends without an edge"),
        (read_error("a.txt", "# nothing\n#\n"), "line 2: the file ends without an edge"),
        (read_error("a.txt", b"0 1\n\xff\n"), "line 2: not valid UTF-8"),
        (read_error("a.egr", b""), "the sizes are missing"),
        (
            read_error("a.egr", binary(&[2, 2, 0, 2])),
            "take 28 bytes, or 36 with weights, but the file has 16",
        ),
        (read_error("a.egr", binary(&[u32::MAX, u32::MAX, 0])), "the file has 12"),
        (read_error("a.egr", binary(&[2, 2, 0, 3, 2, 0, 1])), "the index decreases after vertex 1"),
        (read_error("a.egr", binary(&[2, 2, 0, 1, 1, 0, 1])), "does not go from 0 to 2"),
        (read_error("a.egr", binary(&[2, 2, 0, 2, 2, 0, 2])), "edge 1 leads to vertex 2 of 2"),
    ] {
        assert!(error.contains(expected), "{error:?} does not contain {expected:?}");
    }
}

use super::*;

fn graph(name: &str, text: impl AsRef<[u8]>) -> Graph {
    read(Path::new(name), text.as_ref()).unwrap()
}

fn wrong(name: &str, text: impl AsRef<[u8]>) -> String {
    read(Path::new(name), text.as_ref()).unwrap_err().to_string()
}

fn edges(graph: &Graph) -> Vec<(u32, u32)> {
    graph.each_edge().collect()
}

#[test]
fn a_matrix_is_read_one_way_or_both() {
    let general =
        "%%MatrixMarket matrix coordinate real general\n% of roads\n\n3 3 2\n1 2 0.5\n3 1 1e3\n";
    assert_eq!(edges(&graph("a.mtx", general)), [(0, 1), (2, 0)]);
    let symmetric = "%%MatrixMarket MATRIX Coordinate pattern symmetric\r\n3 3 2\r\n2 1\r\n3 3\r\n";
    assert_eq!(edges(&graph("a.MTX", symmetric)), [(0, 1), (1, 0), (2, 2)]);
}

#[test]
fn roads_are_read() {
    let text = "c New York\np sp 3 2\na 1 2 803\na 3 1 158\n";
    assert_eq!(edges(&graph("a.gr", text)), [(0, 1), (2, 0)]);
    assert_eq!(graph("a.gr", "p sp 3 0").vertices(), 3);
}

#[test]
fn lists_of_edges_are_read_with_what_may_part_them() {
    let text = "# from to\n0 1\n2,0,7\n\n% also\n\t1   2\n";
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
fn what_is_wrong_is_said_with_its_line() {
    let mtx = |rest: &str| {
        wrong("a.mtx", format!("%%MatrixMarket matrix coordinate real general\n{rest}"))
    };
    for (told, says) in [
        (wrong("a.mtx", ""), "line 1: it should begin with"),
        (
            wrong("a.mtx", "%%MatrixMarket matrix array real general\n"),
            "line 1: a matrix as `array`",
        ),
        (wrong("a.mtx", "%%MatrixMarket matrix coordinate real lopsided"), "line 1: `lopsided`"),
        (mtx(""), "its sizes are missing"),
        (mtx("3 4 1\n"), "line 2: 3 rows and 4 columns"),
        (mtx("3 3\n"), "line 2: number of entries is missing"),
        (mtx("3 3 1\n1 4\n"), "line 3: there is no vertex 4"),
        (mtx("3 3 1\n0 1\n"), "line 3: there is no vertex 0"),
        (mtx("3 3 1\n1 x\n"), "line 3: `x` is no vertex"),
        (mtx("3 3 2\n1 2\n"), "there should be 2 edges, and there are 1"),
        (wrong("a.gr", "a 1 2 3\n"), "line 1: an edge stands before"),
        (wrong("a.gr", "c x\n"), "there is no line `p sp"),
        (wrong("a.gr", "p max 3 2\n"), "line 1: `p sp VERTICES EDGES`"),
        (wrong("a.gr", "p sp 1 1\np sp 1 1\n"), "line 2: the sizes were given before"),
        (wrong("a.gr", "p sp 2 1\n\nb 1 2\n"), "line 3: `b` starts no line"),
        (wrong("a.gr", "p sp 2 1\na 1\n"), "line 2: vertex is missing"),
        (wrong("a.txt", "0 1\n1\n"), "line 2: vertex is missing"),
        (wrong("a.txt", "0 -1\n"), "line 1: `-1` is no vertex"),
        (wrong("a.txt", "0 4294967295\n"), "line 1: vertex 4294967295"),
        (wrong("a.txt", "0 4000000\n"), "is this a list of edges?"),
        (wrong("a.txt", "# nothing\n"), "there are no edges in it"),
        (wrong("a.txt", b"0 1\n\xff\n"), "line 2: this is no text"),
        (wrong("a.egr", b""), "its sizes are missing"),
        (wrong("a.egr", binary(&[2, 2, 0, 2])), "take 28 bytes, or 36 with weights; it has 16"),
        (wrong("a.egr", binary(&[u32::MAX, u32::MAX, 0])), "it has 12"),
        (wrong("a.egr", binary(&[2, 2, 0, 3, 2, 0, 1])), "does not ascend"),
        (wrong("a.egr", binary(&[2, 2, 0, 2, 2, 0, 2])), "vertex 2 of 2"),
    ] {
        assert!(told.contains(says), "{told:?} does not say {says:?}");
    }
}

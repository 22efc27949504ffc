//! Textbook kernels at small grids. The verdicts of `hirace verify` are in docs/evaluation/verify-textbook.md.
//!
//! `cargo xtask test --ci --bless -p hirace-mc textbook` writes the page.

use hirace_core::check::file::check_file;
use hirace_core::check::{Options, Session};
use hirace_core::diagnostic::Diagnostic;
use hirace_core::exec;
use hirace_core::front::rust::parse_file;
use hirace_core::launch::spec::{Binding, LaunchSpec};
use hirace_mc::explore::Reductions;
use hirace_mc::kernel::Bounds;
use hirace_mc::model::Model;
use hirace_mc::report::results::{Program, Verdict};
use hirace_mc::verify::{LaunchOrigin, Launches, Settings};
use hirace_testing::{Tier, options, runs};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The maximum number of executions to explore.
const MOST: u64 = 100_000;

/// A kernel of the crate `kernels`, and how its size is reduced.
struct Textbook {
    /// The file, below `kernels/src`.
    file: &'static str,
    /// The description.
    what: &'static str,
    /// The sizes to replace: literals in the source, and their replacements.
    sizes: &'static [(&'static str, &'static str)],
    /// The number of workgroups.
    grid: [u32; 3],
    /// The contents of buffers, and the values of const parameters.
    given: &'static [&'static str],
    /// Whether the quick tier includes it.
    quick: bool,
}

const fn of(
    file: &'static str,
    what: &'static str,
    sizes: &'static [(&'static str, &'static str)],
    grid: [u32; 3],
) -> Textbook {
    Textbook { file, what, sizes, grid, given: &[], quick: false }
}

impl Textbook {
    const fn quick(self) -> Self {
        Self { quick: true, ..self }
    }

    const fn given(self, given: &'static [&'static str]) -> Self {
        Self { given, ..self }
    }
}

const TWO: [u32; 3] = [2, 1, 1];
const ONE: [u32; 3] = [1, 1, 1];
const LINE: &[(&str, &str)] = &[("32", "4")];
const LONG: &[(&str, &str)] = &[("64", "4")];
const SHORT: &[(&str, &str)] = &[("16", "4")];
const SQUARE: &[(&str, &str)] = &[("8", "2")];

const TEXTBOOK: &[Textbook] = &[
    of("histogram", "histogram", LONG, TWO).quick(),
    of("k_means", "k-means", LINE, TWO),
    of("scan_multi_pass", "scan in three passes", LONG, TWO),
    of("spin_lock", "spin lock", &[("4", "1")], [3, 1, 1]),
    of("breadth_first", "breadth-first search, a level", SHORT, TWO),
    of("early_out", "search with an early exit", SHORT, ONE),
    of("ring_buffer", "ring buffer", &[("32", "4"), ("16", "4")], ONE),
    of("natural/spmv", "sparse product", LONG, TWO),
    of("natural/union_find", "union-find", LONG, TWO),
    of("natural/neural_layer", "neural layer", &[("64", "4"), ("16", "2"), ("4", "2")], TWO),
    of("append", "append to a list", LINE, TWO).quick(),
    of("arg_max", "arg max", &[], TWO).given(&["const N=4"]),
    of("binning", "counting into bins", &[("32", "4"), ("16", "4")], TWO),
    of("bitonic_sort", "bitonic sort", &[("64", "4"), ("6", "2")], TWO),
    of("box_blur", "box blur", SQUARE, TWO),
    of("dot_product", "dot product", LINE, TWO).quick(),
    of("game_of_life", "game of life", &[("4", "2")], TWO).quick(),
    of("hash_table", "hash table", LINE, TWO),
    of("heat", "heat equation", LINE, TWO),
    of("mandelbrot", "Mandelbrot set", &[("8", "2"), ("4", "2")], TWO),
    of("matrix_product", "matrix product in tiles", &[], TWO)
        .given(&["const TILE=2", "shape=2,4,4"]),
    of("monte_carlo_pi", "Monte Carlo", LINE, TWO),
    of("odd_even_sort", "odd-even sort", LINE, TWO),
    of("saxpy", "saxpy", SHORT, TWO).quick(),
    of(
        "scan_blelloch",
        "scan (Blelloch)",
        &[("64", "2"), ("128", "4"), ("127", "3"), ("7", "2")],
        TWO,
    ),
    of("scan_hillis_steele", "scan (Hillis, Steele)", LONG, TWO).quick(),
    of("transpose", "transpose", SQUARE, TWO).quick(),
    of("upper_case", "upper case", SHORT, TWO),
    of("natural/assign_clusters", "k-means, assignment", LONG, TWO),
    of("natural/base64", "base 64", LINE, TWO),
    of("natural/bitonic_step", "bitonic sort, a step", LONG, TWO),
    of("natural/black_scholes", "Black-Scholes", LONG, TWO),
    of("natural/block_reduce", "reduction of structs", LONG, TWO),
    of("natural/bvh", "rays in a hierarchy", LONG, TWO),
    of("natural/compact", "compaction", LONG, TWO),
    of("natural/convolution", "convolution", LONG, TWO),
    of("natural/counting_sort", "counting sort", &[("64", "4"), ("32", "4")], ONE),
    of("natural/crc32", "checksums", LONG, TWO),
    of("natural/exclusive_scan", "exclusive scan", LONG, TWO),
    of("natural/floyd_warshall", "Floyd-Warshall", SQUARE, TWO),
    of("natural/levenshtein", "Levenshtein distance", LONG, TWO),
    of("natural/life", "life", SQUARE, TWO),
    of("natural/lu_panel", "LU, a panel", SQUARE, TWO),
    of("natural/nbody_step", "n-body, a step", LONG, TWO),
    of("natural/smith_waterman", "Smith-Waterman", LONG, TWO),
    of("natural/softmax", "softmax", LONG, TWO),
    of("natural/sph_density", "particle hydrodynamics", LONG, TWO),
    of("natural/tiled_product", "matrix product", SQUARE, TWO),
    of("rodinia/backprop", "backprop", &[("64", "4"), ("32", "4"), ("16", "4"), ("8", "2")], TWO),
    of("rodinia/gaussian", "gaussian", &[("64", "4"), ("32", "4"), ("16", "4"), ("8", "2")], TWO),
    of("parboil/sgemm", "sgemm", &[("64", "4"), ("32", "4"), ("16", "4"), ("8", "2")], TWO),
    of("parboil/stencil", "stencil", &[("64", "4"), ("32", "4"), ("16", "4"), ("8", "2")], TWO),
    of("ported/reduce", "reduce", &[("64", "4"), ("128", "4"), ("256", "4"), ("32", "4")], TWO),
    of("ported/sums", "sums", &[("64", "4"), ("128", "4"), ("256", "4"), ("32", "4")], TWO),
    of("ported/collatz", "collatz", &[("64", "4"), ("128", "4"), ("256", "4"), ("32", "4")], TWO),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the text with these numbers replaced.
fn resized(text: &str, sizes: &[(&str, &str)]) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.') {
        let (before, word) = rest.split_at(at);
        let end = word.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'));
        let (word, after) = word.split_at(end.unwrap_or(word.len()));
        let suffix = ["u32", "usize"].into_iter().find(|suffix| word.ends_with(suffix));
        let number = word.strip_suffix(suffix.unwrap_or("")).unwrap_or(word);
        made += before;
        match sizes.iter().find(|(from, _)| *from == number) {
            Some((_, to)) => made += &format!("{to}{}", suffix.unwrap_or("")),
            None => made += word,
        }
        rest = after;
    }
    made + rest
}

/// Returns the results for each kernel of a file, with an error for each kernel that is rejected.
fn verified(book: &Textbook) -> Vec<Result<Program, String>> {
    let path = root().join("kernels/src").join(book.file).with_extension("rs");
    let text = std::fs::read_to_string(&path).expect("a kernel");
    let text = resized(&text, book.sizes);
    let parsed = parse_file(book.file, &text).unwrap_or_else(|e| panic!("{}: {e}", book.file));
    let mut spec = LaunchSpec { workgroups: Some(book.grid), ..LaunchSpec::default() };
    for given in book.given {
        match given.strip_prefix("const ").and_then(|value| value.split_once('=')) {
            Some((name, value)) => {
                spec.overrides.push((name.to_owned(), value.parse().expect("a number")));
            }
            None => spec.bindings.push(Binding::parse(given).expect("contents")),
        }
    }
    let options = Options { launches: vec![spec], ..Options::default() };
    let settings = Settings {
        model: Model::Wgsl,
        reductions: Reductions::ALL,
        bounds: Bounds::default(),
        executions: Some(MOST),
        all: false,
        threads: 1,
        timeout: None,
        stop: None,
        repair: None,
        ensured: &[],
    };
    let executor = exec::open(exec::EMBEDDED).expect("the embedded executor");
    let mut launches = Launches::new(settings.bounds.invocations, true, &[]);
    let mut session = Session::new(executor.as_ref())
        .without_memory()
        .without_explanation()
        .with_follower(Some(&mut launches));
    if let Err(error) = check_file(&parsed, &options, &mut session) {
        return vec![Err(error.message)];
    }
    let mut all = Vec::new();
    let reread =
        |_: &LaunchOrigin<'_>, _: &str| Err(Box::new(Diagnostic::new("nothing is repaired here")));
    launches.explore(&settings, &reread, &mut |_, explored| {
        all.push(explored.map_err(|e| e.message));
    });
    assert!(!all.is_empty(), "{} has kernels", book.file);
    all
}

/// Returns the rows of the page for a file.
fn rows(book: &Textbook) -> Vec<String> {
    let [x, y, _] = book.grid;
    let row = |explored: Result<Program, String>| match explored {
        Ok(program) => {
            let verdict = match program.verdict {
                Verdict::Verified => "verified",
                Verdict::Violation => "violation",
                Verdict::Bounded => "bounded",
                Verdict::Inconclusive => "inconclusive",
            };
            let grid = match y {
                1 => format!("{x} of {}", program.invocations as u32 / x),
                _ => format!("{x}x{y} of {}", program.invocations as u32 / (x * y)),
            };
            let why = match program.verdict {
                Verdict::Inconclusive if !program.not_reached.is_empty() => "accesses not reached",
                Verdict::Inconclusive => "too many executions",
                _ => "",
            };
            let found =
                program.findings.first().map(|finding| words(&format!("{:?}", finding.kind)));
            let more = found.unwrap_or_else(|| why.to_owned());
            let (executions, blocked) = (program.executions, program.blocked);
            let (name, what) = (&program.name, book.what);
            format!(
                "| {what} | `{}`, `{name}` | {grid} | {verdict} | {executions} | {blocked} | {more} |",
                book.file
            )
        }
        Err(why) => format!("| {} | `{}` | {x} | refused | | | {why} |", book.what, book.file),
    };
    verified(book).into_iter().map(row).collect()
}

/// Converts a name such as `DataRace` to words.
fn words(name: &str) -> String {
    let mut made = String::new();
    for (at, c) in name.char_indices() {
        if c.is_ascii_uppercase() && at > 0 {
            made.push(' ');
        }
        made.push(c.to_ascii_lowercase());
    }
    made
}

#[test]
fn textbook_kernels_have_the_verdicts_of_the_page() {
    let path = root().join("docs/evaluation/verify-textbook.md");
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    let (bless, all) = (options().bless, runs(Tier::Ci));
    let mut table = String::new();
    let mut looked_at = 0;
    for book in TEXTBOOK.iter().filter(|book| all || book.quick) {
        for row in rows(book) {
            let _ = writeln!(table, "{row}");
            looked_at += 1;
            assert!(bless || page.contains(&row), "the page does not say: {row}");
        }
    }
    assert!(looked_at >= if all { 100 } else { 8 }, "{looked_at}");
    if bless && all {
        let mark = "| --- | --- | --- | --- | --- | --- | --- |\n";
        let (head, rest) = page.split_once(mark).expect("the page has a table");
        let tail = rest.split_once("\n\n").map_or("", |(_, tail)| tail);
        std::fs::write(&path, format!("{head}{mark}{table}\n{tail}")).expect("the page is written");
    }
}

#[test]
fn sizes_are_whole_words() {
    let sizes = [("64", "4")];
    assert_eq!(
        resized("[u32; 64] 640 x64 64usize 64.0 1.64", &sizes),
        "[u32; 4] 640 x64 4usize 64.0 1.64"
    );
}

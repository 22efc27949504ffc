//! Tests of the coverage formats: coverage of a kernel that ran, and edge cases.

pub(crate) mod edge;

use super::{annotated, cobertura, html, lcov, text};
use hirace_core::cover::Coverage;
use hirace_core::cover::coverage::UnobservedKernel;
use hirace_core::cover::run::coverage;
use hirace_core::exec::embedded::Embedded;
use hirace_core::front::wgsl;
use hirace_core::launch::build;
use hirace_core::launch::candidates::candidates;
use hirace_core::launch::spec::{Binding, LaunchSpec};
use hirace_core::program::Program;
use hirace_core::report::text::Style;
use insta::assert_snapshot;
use std::collections::BTreeMap;

/// Returns the coverage of launching the first kernel of `text` with one workgroup.
fn covered(file: &str, text: &str) -> Coverage {
    let parsed = wgsl::parse(file, text).unwrap();
    let program = Program::new(&parsed, &BTreeMap::new()).unwrap();
    let spec = LaunchSpec {
        workgroups: Some([1, 1, 1]),
        bindings: vec![Binding::parse("out=zeros:16").unwrap()],
        subgroup_size: Some(8),
        ..LaunchSpec::default()
    };
    let candidates = candidates(&program, &spec, 0).unwrap();
    let launch = build::launch(&program, &spec, &candidates[0], &BTreeMap::new()).unwrap();
    let (coverage, ended) = coverage(&Embedded, &program, &launch, false, None).unwrap();
    assert!(ended);
    coverage
}

/// A kernel with all kinds of constructs, covered and not covered.
const TILES: &str = "var<workgroup> tile: array<u32, 16>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

fn twice(x: u32) -> u32 {
    return 2u * x;
}

fn never(x: u32) -> u32 {
    var y = x;

    // Nothing to run here.
    y += select(1u, 2u, x < 4u);
    return y;
}

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    tile[i] = i;
    workgroupBarrier();
    if (i < 3u && tile[0] == 0u) {
        out[i] = twice(i);
    } else if (tile[i] == 200u) {
        out[i] = never(i);
    }
\tswitch (tile[i % 4u]) {
\t\tcase 0u, 1u: { out[i] += 1u; }
\t\tcase 7u: { out[i] += 2u; }
\t\tdefault: { out[i] += 3u; }
\t}
    var n = 0u;
    while (n < tile[4]) {
        n += 2u;
    }
    loop {
        n += 1u;
        continuing { break if n > 4u; }
    }
    if (out[0] == 77u) {
        storageBarrier();
    }
    out[i] = n;
    for (var k = 0u; k < i; k++) {
        workgroupBarrier();
    }
}
";

fn tiles() -> Coverage {
    covered("shaders/tiles.wgsl", TILES)
}

/// A kernel that is fully covered.
const FILL: &str = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(16)
fn fill(@builtin(local_invocation_index) i: u32) {
    out[i] = i;
}
";

/// Returns the coverage of two files, and a kernel that was never observed.
fn several() -> Coverage {
    let mut coverage = tiles();
    coverage.add(covered("fill.wgsl", FILL));
    let unobserved = |file: &str, test: &str| UnobservedKernel {
        file: file.into(),
        kernel: String::new(),
        test: test.into(),
    };
    coverage.unobserved = vec![
        unobserved("blur.wgsl", "blurs"),
        unobserved("blur.wgsl", "blurs_edges"),
        unobserved("sort.wgsl", "sorts"),
    ];
    coverage
}

fn source(file: &str) -> Option<String> {
    (file == "shaders/tiles.wgsl").then(|| TILES.to_owned())
}

fn colored() -> Style {
    Style::default().with_color(true).with_width(100)
}

#[test]
fn a_table_and_what_is_missing() {
    assert_snapshot!(text::table(&several(), Style::default()));
}

#[test]
fn a_table_in_colors() {
    let text = text::table(&several(), colored());
    assert_snapshot!(text.replace('\x1b', "␛"));
}

#[test]
fn sources_with_counts() {
    assert_snapshot!(annotated::render_annotated(&several(), &source, Style::default()));
}

#[test]
fn what_never_ran_is_red() {
    let text = annotated::render_annotated(&tiles(), &source, colored()).replace('\x1b', "␛");
    let red: Vec<&str> = text.lines().filter(|line| line.contains("[31m")).collect();
    assert_snapshot!(red.join("\n"));
}

#[test]
fn a_tracefile() {
    assert_snapshot!(lcov::report(&several()));
}

#[test]
fn xml_of_cobertura() {
    assert_snapshot!(cobertura::report(&several(), 1_700_000_000_000));
}

#[test]
fn a_page() {
    let page = html::report(&several(), &source);
    assert_snapshot!(page.replace(include_str!("html/style.css"), ""));
}

//! Coverage with edge cases for output formats.

use super::{FILL, covered};
use crate::report::{annotated, cobertura, html, lcov, text};
use hirace_core::cover::Coverage;
use hirace_core::cover::coverage::{
    Arm, Barrier, Branch, BranchKind, File, Function, Kernel, Line, Loop, UnobservedKernel,
};
use hirace_core::report::text::Style;

pub(crate) const NAME: &str = "a<&>\"'\u{1b}[31m,b\n.wgsl";

/// Returns a coverage with names that are markup, two functions on one line, two functions of the same name, and
/// saturated counts.
pub(crate) fn odd() -> Coverage {
    let function = |name: &str, line, count| Function { name: name.into(), line, count };
    let line = |line, count, function: &str| Line { line, count, function: function.into() };
    let arm = |label: &str, count| Arm { label: label.into(), line: 2, count };
    let file = File {
        file: NAME.to_owned(),
        text: None,
        kernels: vec![Kernel {
            name: "<main>".to_owned(),
            dispatches: 1,
            functions: vec!["f".to_owned(), "g".to_owned()],
        }],
        lines: vec![
            line(2, u64::MAX, "f"),
            line(2, 0, "g"),
            line(4, 1, "h"),
            line(7, 0, "h"),
            line(9, 0, "h"),
        ],
        functions: vec![
            function("f", 2, u64::MAX),
            function("g", 2, 0),
            function("h", 4, 1),
            function("h", 6, 0),
            function("empty", 11, 0),
        ],
        branches: vec![Branch {
            line: 2,
            column: 40,
            kind: BranchKind::And,
            index: 0,
            function: "f".to_owned(),
            arms: vec![arm("<i>", u64::MAX), arm("&", 0)],
            diverged: Some(u64::MAX),
        }],
        loops: vec![Loop {
            line: 7,
            column: 1,
            function: "h".to_owned(),
            zero: None,
            once: 0,
            many: 0,
            impossible: Vec::new(),
            boundary: None,
        }],
        barriers: vec![Barrier {
            line: 9,
            column: 3,
            function: "h".to_owned(),
            complete: u64::MAX,
            divergent: u64::MAX,
        }],
    };
    let summary = file.summary();
    Coverage { files: vec![file], summary, ..Coverage::default() }
}

fn nothing(_: &str) -> Option<String> {
    None
}

#[test]
fn nothing_launched_is_said() {
    let mut coverage = Coverage::default();
    let style = Style::default();
    let said = "nothing is covered: no kernel was launched\n";
    assert_eq!(text::table(&coverage, style), said);
    assert_eq!(annotated::render_annotated(&coverage, &nothing, style), said);
    assert_eq!(lcov::report(&coverage), "");
    assert!(cobertura::report(&coverage, 0).contains("line-rate=\"1\" branch-rate=\"1\""));
    assert!(html::report(&coverage, &nothing).contains("Nothing is covered"));
    let seen = UnobservedKernel {
        file: "<b>.wgsl".to_owned(),
        kernel: String::new(),
        test: "<t>".to_owned(),
    };
    coverage.unobserved.push(seen);
    assert!(text::table(&coverage, style).contains("<b>.wgsl by test <t>"));
    assert!(html::report(&coverage, &nothing).contains("&lt;b&gt;.wgsl by test &lt;t&gt;"));
}

#[test]
fn names_are_escaped_in_all_formats() {
    let coverage = odd();
    let style = Style::default();
    let source = |_: &str| Some("</td>\n<script>\t\u{7}\n".to_owned());
    let page = html::report(&coverage, &source);
    assert!(page.contains("a&lt;&amp;&gt;&quot;&#39;␛[31m,b␊.wgsl"), "{page}");
    assert!(page.contains("&lt;script&gt;&#9;␇"), "{page}");
    assert!(page.contains("&lt;main&gt;"), "{page}");
    assert!(page.contains("&lt;i&gt;: 18446744073709551615 · &amp;: 0"), "{page}");
    assert!(!page.contains("<script") && !page.contains("<i>"), "{page}");
    let xml = cobertura::report(&coverage, 0);
    assert!(
        xml.contains("filename=\"a&lt;&amp;&gt;&quot;&#39;\u{fffd}[31m,b&#10;.wgsl\""),
        "{xml}"
    );
    assert!(lcov::report(&coverage).starts_with("SF:a<&>\"'_[31m_b_.wgsl\n"));
    for text in
        [text::table(&coverage, style), annotated::render_annotated(&coverage, &source, style)]
    {
        assert!(text.contains("a<&>\"'␛[31m,b␊.wgsl"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}

#[test]
fn functions_on_one_line_share_it_and_ones_of_one_name_do_not() {
    let lcov = lcov::report(&odd());
    let functions = "FN:2,f\nFN:2,g\nFN:4,h\nFN:7,h:6\nFN:11,empty\n\
        FNDA:18446744073709551615,f\nFNDA:0,g\nFNDA:1,h\nFNDA:0,h:6\nFNDA:0,empty\nFNF:5\nFNH:2\n";
    assert!(lcov.contains(functions), "{lcov}");
    assert!(
        lcov.contains("DA:2,18446744073709551615\nDA:4,1\nDA:7,0\nDA:9,0\nDA:11,0\nLF:5\nLH:2\n")
    );
    let xml = cobertura::report(&odd(), 0);
    assert!(xml.contains("lines-covered=\"2\" lines-valid=\"4\""), "{xml}");
    let of_h: Vec<&str> = xml.split("<method ").filter(|of| of.starts_with("name=\"h\"")).collect();
    assert!(of_h[0].contains("number=\"4\"") && !of_h[0].contains("number=\"7\""), "{xml}");
}

#[test]
fn largest_count_fits_the_integer_type_of_cobertura_readers() {
    let xml = cobertura::report(&odd(), u64::MAX);
    assert!(xml.contains("hits=\"9223372036854775807\""), "{xml}");
    let source = |_: &str| Some("\nfn f() {} fn g() {}\n\nh\n".to_owned());
    let text = annotated::render_annotated(&odd(), &source, Style::default());
    assert!(text.contains("    2|18446744073709551615|fn f"), "{text}");
    assert!(text.contains("    4|                   1|h"), "{text}");
}

#[test]
fn missing_lines_are_ranges_within_functions() {
    let mut coverage = odd();
    let text = text::table(&coverage, Style::default());
    assert!(text.contains("  missing lines: 7-9\n"), "{text}");
    assert!(text.contains("  2:40 &&: never &\n"), "{text}");
    assert!(text.contains("  7:1 loop: never reached\n"), "{text}");
    assert!(text.contains("  9:3 barrier: divergent in 18446744073709551615 of"), "{text}");
    coverage.files[0].lines[4].function = "k".to_owned();
    let text = text::table(&coverage, Style::default());
    assert!(text.contains("  missing lines: 7, 9\n"), "{text}");
}

#[test]
fn hits_are_no_counts() {
    let mut coverage = Coverage::default();
    let hits = Coverage { hits: true, ..odd() };
    coverage.add(hits);
    assert!(lcov::report(&coverage).contains("DA:2,1\n"));
    let source = |_: &str| Some("\nfn f() {} fn g() {}\n\nh\n".to_owned());
    let text = annotated::render_annotated(&coverage, &source, Style::default());
    assert!(text.contains("    2|     ✓|fn f"), "{text}");
    assert!(html::report(&coverage, &source).contains("&lt;i&gt;: ✓ · &amp;: 0"));
    let text = text::table(&coverage, Style::default());
    assert!(text.contains("9:3 barrier: divergent: some"), "{text}");
}

#[test]
fn a_file_without_branches_has_none() {
    let coverage = covered("fill.wgsl", FILL);
    let text = text::table(&coverage, Style::default());
    let row = text.lines().nth(1).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells, ["fill.wgsl", "1/1", "100", "%", "1/1", "100", "%", "–", "–", "–"]);
    assert!(lcov::report(&coverage).contains("BRF:0\nBRH:0\n"));
    assert!(!cobertura::report(&coverage, 0).contains("<conditions>"));
}

#[test]
fn a_text_that_cannot_be_had_is_said() {
    let coverage = covered("fill.wgsl", FILL);
    let text = annotated::render_annotated(&coverage, &nothing, Style::default());
    assert_eq!(text, "fill.wgsl: the source text is not available\n");
    let page = html::report(&coverage, &nothing);
    assert!(page.contains("The source text is not available."), "{page}");
    assert!(!html::report(&odd(), &nothing).contains("href=\"#f1-"));
}

#[test]
fn almost_all_is_not_all() {
    let mut file = covered("fill.wgsl", FILL).files.remove(0);
    file.lines = (1..=100_000)
        .map(|line| Line { line, count: u64::from(line > 1), function: "fill".to_owned() })
        .collect();
    let summary = file.summary();
    let coverage = Coverage { summary, files: vec![file], ..Coverage::default() };
    assert!(text::table(&coverage, Style::default()).contains("99999/100000  99 %"));
    assert!(cobertura::report(&coverage, 0).contains("line-rate=\"0.9999\""));
}

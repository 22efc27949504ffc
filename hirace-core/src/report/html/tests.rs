use super::report;
use crate::check::{Options, source};
use crate::facts::{FindingKind, LaunchFacts};
use crate::ir::access::Action::{Read, Write};
use crate::launch::spec::{Binding, LaunchSpec};
use crate::report::compose;
use crate::tests::fixture::{Fixture, by};

const KERNEL: &str = r#"struct Params { n: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    tile[l] = l & 3u;
    workgroupBarrier();
    tile[l] = tile[63u - l]; // "<b>" & 'c'
    if (l < params.n) { out[tile[0]] = 1u; }
}
"#;

fn checked(launches: Vec<LaunchSpec>) -> Vec<LaunchFacts> {
    let options = Options { launches, ..Options::default() };
    source::check_wgsl("<i>kernel&.wgsl", KERNEL, &options).unwrap()
}

fn guessed_page() -> String {
    report(&compose::report(&checked(Vec::new())))
}

/// Returns the elements of a well-formed page, each with its tag and the text after the tag. Panics if the page is
/// not well-formed.
pub(super) fn elements(page: &str) -> Vec<(String, String)> {
    let (mut open, mut elements) = (Vec::<String>::new(), Vec::new());
    let page = page.strip_prefix("<!DOCTYPE html>").unwrap_or(page);
    let mut parts = page.split('<');
    assert_eq!(parts.next().map(str::trim), Some(""), "text before the first element");
    for part in parts {
        let (tag, text) = part.split_once('>').unwrap_or_else(|| panic!("no end of a tag: {part}"));
        let is_style = open.last().is_some_and(|name| name == "style");
        assert!(is_style || !text.contains('>'), "a `>` in the text {text:?}");
        assert_eq!(tag.matches('"').count() % 2, 0, "quotes of {tag:?}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "the element that {tag:?} closes");
            continue;
        }
        let name: String = tag.chars().take_while(char::is_ascii_alphanumeric).collect();
        assert!(!name.is_empty(), "{tag:?} is not a tag");
        elements.push((tag.to_owned(), text.to_owned()));
        if name != "meta" && !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
    elements
}

#[test]
fn elements_panics_on_malformed_pages() {
    for wrong in ["<p><b></p></b>", "<p>", "<p>a < b</p>", "<p class=\"a>b</p>", "<p></p></p>"] {
        assert!(std::panic::catch_unwind(|| elements(wrong)).is_err(), "{wrong}");
    }
    assert_eq!(elements("<p id=\"a\">b<meta><br/></p>").len(), 3);
}

#[test]
fn the_page_is_well_formed_and_fetches_nothing() {
    let page = guessed_page();
    let elements = elements(&page);
    let has = |start: &str| elements.iter().any(|(tag, _)| tag.starts_with(start));
    assert!(has("meta name=\"viewport\"") && has("svg role=\"img\" aria-label=") && has("details"));
    for (tag, _) in &elements {
        for fetching in ["src=", "href=", "url(", "script", "link ", "iframe"] {
            assert!(!tag.contains(fetching), "{tag}");
        }
    }
    assert!(!page.contains("url(") && !page.contains("@import"));
}

#[test]
fn both_sites_are_marked_in_the_margin_of_their_lines() {
    let elements = elements(&guessed_page());
    let margin = |expected: &str| {
        elements.iter().any(|(tag, text)| tag == "td class=\"margin\"" && text == expected)
    };
    assert!(margin("1 write, 2 read"), "{elements:?}");
    assert!(margin("→ index"), "{elements:?}");
    let marked: Vec<&str> =
        elements.iter().filter(|(tag, _)| tag == "mark").map(|(_, text)| text.as_str()).collect();
    assert!(marked.starts_with(&["tile[l]", "tile[63u - l]"]), "{marked:?}");
}

#[test]
fn only_guessed_values_are_labeled() {
    let label = "<span class=\"badge some\">guessed</span>";
    let page = guessed_page();
    assert!(page.contains("<dt>launch</dt><dd>guessed; the assumptions are listed below</dd>"));
    assert!(page.contains(&format!("<dt>inferred</dt><dd>{label} ")), "{page}");
    let bindings = ["params=4", "out=zeros:64"].map(|text| Binding::parse(text).unwrap());
    let given = LaunchSpec {
        workgroups: Some([1, 1, 1]),
        bindings: bindings.to_vec(),
        ..LaunchSpec::default()
    };
    let page = report(&compose::report(&checked(vec![given])));
    assert!(page.contains("<dt>launch</dt><dd>given</dd>"));
    assert!(!page.contains(label), "{page}");
    assert!(page.contains("--buffer params=4") && page.contains("<dt>replay</dt><dd><code>"));
}

#[test]
fn a_guessed_value_that_a_finding_depends_on_is_labeled() {
    let text = "
        @group(0) @binding(0) var<storage> index: array<u32>;
        @group(0) @binding(1) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) l: u32) { out[index[l] % 8u] = l; }";
    let launches = source::check_wgsl("a.wgsl", text, &Options::default()).unwrap();
    let page = report(&compose::report(&launches));
    let depends_on =
        "<dt>depends on</dt><dd><span class=\"badge some\">guessed</span> only possible: ";
    assert!(page.contains(depends_on) && page.contains("HR001 possible"), "{page}");
    assert!(!page.contains("<dt>note</dt><dd>only possible"));
}

#[test]
fn hostile_names_are_escaped() {
    let hostile = "<script>\"'&";
    let mut launches = checked(Vec::new());
    for launch in &mut launches {
        for finding in &mut launch.findings {
            let FindingKind::Race(race) = &mut finding.what else { continue };
            race.memory.element = hostile.to_owned();
            for word in race.picture.iter_mut().flat_map(|picture| &mut picture.words) {
                word.memory.element = hostile.to_owned();
            }
        }
    }
    let page = report(&compose::report(&launches));
    elements(&page);
    assert!(!page.contains("<script") && !page.contains("<i>") && !page.contains("<b>\""));
    assert!(
        page.contains("&lt;script&gt;&quot;&#39;&amp;")
            && page.contains("&lt;i&gt;kernel&amp;.wgsl")
    );
    assert!(page.contains("&quot;&lt;b&gt;&quot; &amp; &#39;c&#39;"), "the source is escaped");
}

#[test]
fn inputs_that_were_not_checked_are_listed() {
    let mut fixture = Fixture::new(KERNEL, [1, 1, 1]);
    let (write, read) = (fixture.access(Write, 9, 0), fixture.access(Read, 9, 0));
    fixture.race([0], by(0, 0, write), by(0, 63, read));
    let mut document = fixture.report();
    document.stopped = true;
    document.not_checked.push(crate::report::document::NotChecked {
        input: Some("<b>.wgsl".to_owned()),
        reason: "no time".to_owned(),
        stopped: true,
    });
    let page = report(&document);
    elements(&page);
    assert!(page.contains("not checked: &lt;b&gt;.wgsl: no time"));
}

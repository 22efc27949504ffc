use super::fixture::{HOSTILE, advice, audit, found, source};
use crate::audit::report::html::{Diagrams, PageContext, report};
use crate::audit::report::text::TestLanguage;
use crate::audit::report::words;
use crate::audit::results::Audit;
use std::collections::{BTreeMap, BTreeSet};

const BESIDE: PageContext<'_> =
    PageContext { tests: TestLanguage::Toml, source: &source, pictures: None };

/// An HTML element.
struct Element {
    name: String,
    attributes: BTreeMap<String, String>,
}

/// Parses the elements of a page, which must be well-formed.
fn elements(page: &str) -> Vec<Element> {
    let (mut open, mut elements) = (Vec::<String>::new(), Vec::new());
    let mut rest = page.strip_prefix("<!DOCTYPE html>").unwrap();
    while let Some((before, after)) = rest.split_once('<') {
        assert!(!before.contains('>'), "a `>` in the text {before:?}");
        let (tag, after) = after.split_once('>').expect("a tag ends");
        assert_eq!(tag.matches('"').count() % 2, 0, "quotes of {tag:?}");
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "what {tag:?} closes");
            continue;
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let name = name.trim_end_matches('/').to_owned();
        assert!(!name.is_empty() && name.chars().all(char::is_alphanumeric), "no tag: {tag:?}");
        // The contents of these elements are not markup.
        if matches!(&name[..], "style" | "script") {
            rest = rest.find("</").map(|end| &rest[end..]).expect("it ends");
        }
        let mut quoted = attributes.split('"').collect::<Vec<_>>();
        quoted.pop();
        let pairs = quoted.chunks(2).filter_map(|pair| {
            let key = pair[0].split_whitespace().last()?.strip_suffix('=')?;
            Some((key.to_owned(), pair.get(1)?.to_string()))
        });
        elements.push(Element { name: name.clone(), attributes: pairs.collect() });
        if name != "meta" && !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
    elements
}

fn values<'e>(elements: &'e [Element], key: &str) -> Vec<&'e str> {
    elements.iter().filter_map(|of| of.attributes.get(key)).map(String::as_str).collect()
}

/// The elements that the page may contain.
const KNOWN: &str = "html head meta title style body nav ul ol li a main h1 h2 h3 p div section dl dt dd table thead tbody \
    tfoot tr th td b span code pre button details summary svg desc g rect text footer script";

#[test]
fn tags_are_balanced_and_hostile_names_are_none() {
    for tests in [TestLanguage::Toml, TestLanguage::Rust] {
        for has_text in [true, false] {
            let none = |_: &str| None;
            let source: &dyn Fn(&str) -> Option<String> = if has_text { &source } else { &none };
            let page = report(&audit(), &PageContext { tests, source, pictures: None });
            let elements = elements(&page);
            for element in &elements {
                assert!(KNOWN.split(' ').any(|name| name == element.name), "{}", element.name);
                let events = element.attributes.keys().filter(|key| key.starts_with("on"));
                assert_eq!(events.count(), 0, "{}", element.name);
            }
            assert_eq!(elements.iter().filter(|of| of.name == "script").count(), 1);
            assert!(!page.contains("<b onclick") && !page.contains("</script><b"));
            assert!(
                page.contains(
                    "&lt;/pre&gt;&lt;/script&gt;&lt;b onclick=&quot;x&quot;&gt;&#39;&amp;"
                )
            );
        }
    }
}

#[test]
fn anchors_are_unique_and_links_resolve() {
    for source in [&source as &dyn Fn(&str) -> Option<String>, &|_: &str| None] {
        let page = report(&audit(), &PageContext { source, ..BESIDE });
        let elements = elements(&page);
        let anchors = values(&elements, "id");
        let different: BTreeSet<&str> = anchors.iter().copied().collect();
        assert_eq!(anchors.len(), different.len(), "{anchors:?}");
        let links = values(&elements, "href");
        assert!(links.len() > 20, "{links:?}");
        for link in links {
            assert!(different.contains(link.strip_prefix('#').unwrap()), "{link}");
        }
        let named = ["aria-labelledby", "data-of"].map(|key| values(&elements, key));
        for name in named.concat().iter().flat_map(|names| names.split(' ')) {
            assert!(different.contains(name), "{name}");
        }
    }
}

#[test]
fn advice_and_lines_link_to_each_other() {
    let page = report(&audit(), &BESIDE);
    let elements = elements(&page);
    let links = values(&elements, "href");
    let headings = elements.iter().filter(|of| of.name == "h3").count();
    assert_eq!(headings, advice().len());
    for (nth, advice) in (1..).zip(advice()) {
        assert!(page.contains(&format!("<li id=\"a{nth}\">")));
        assert!(links.contains(&&format!("#a{nth}")[..]), "to {nth}");
        let line = match advice.line {
            0 => "#f1".to_owned(),
            line => format!("#f1-{line}"),
        };
        assert!(links.contains(&&line[..]), "{line}: {}", words::title(&advice));
    }
    for form in ["t3-toml", "t3-rust", "t3-command"] {
        assert!(page.contains(&format!("<pre id=\"{form}\"")), "{form}");
    }
    let open: Vec<&str> = page.matches("<details open><summary>").collect();
    assert_eq!(open.len(), 1, "one form is open");
    assert!(page.contains("<details open><summary>The test for hirace.toml"));
    let rust = report(&audit(), &PageContext { tests: TestLanguage::Rust, ..BESIDE });
    assert!(rust.contains("<details open><summary>The test in Rust"));
}

#[test]
fn notes_of_a_line_are_in_its_row() {
    let page = report(&audit(), &BESIDE);
    let (_, line) = page.split_once("<tr id=\"f1-2\"").unwrap();
    let (line, _) = line.split_once("<tr id=\"f1-3\"").unwrap();
    for said in [
        "18446744073709551615",
        "#a1\"><b>to do 1</b>",
        "<b>&amp;&amp;:</b> never &amp;",
        "<b>function g:</b> never called",
    ] {
        assert!(line.contains(said), "{said}: {line}");
    }
    let (_, line) = page.split_once("<tr id=\"f1-3\"").unwrap();
    let (line, _) = line.split_once("<tr id=\"f1-4\"").unwrap();
    for said in [
        "<b>4 mutants</b> 2 killed, 2 survived",
        "<b>killed</b>",
        "<b>survived</b>",
        "no test fails",
    ] {
        assert!(line.contains(said), "{said}: {line}");
    }
}

#[test]
fn a_picture_of_a_finding_goes_beside_it() {
    let picture = "<figure class=\"race\"><figcaption>here</figcaption></figure>";
    let of = BTreeMap::from([(found(), picture.to_owned())]);
    let pictures = Diagrams { style: ".race { margin: 0; }".to_owned(), of };
    let page = report(&audit(), &PageContext { pictures: Some(&pictures), ..BESIDE });
    elements(&page);
    let (_, first) = page.split_once("<li id=\"a1\">").unwrap();
    let (first, _) = first.split_once("<li id=\"a2\">").unwrap();
    assert!(first.contains(picture) && page.contains(".race { margin: 0; }"));
}

#[test]
fn empty_audits_have_a_message() {
    let page = report(&Audit::default(), &BESIDE);
    elements(&page);
    assert!(page.contains("<p>There is no kernel to audit.</p>"));
    let mut audit = audit();
    audit.advice.clear();
    let page = report(&audit, &BESIDE);
    elements(&page);
    assert!(page.contains("<p>No improvement of these tests was found.</p>"));
}

#[test]
fn the_page_fetches_nothing() {
    let page = report(&audit(), &BESIDE);
    for from in ["src=", "@import", "<link", "url(", "http:", "https:"] {
        assert!(!page.contains(from), "{from}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn copied_test_is_the_unescaped_toml() {
    let page = report(&audit(), &BESIDE);
    let (_, toml) = page.split_once("<pre id=\"t3-toml\"").unwrap();
    let (_, toml) = toml.split_once("<code>").unwrap();
    let (toml, _) = toml.split_once("</code>").unwrap();
    let entities = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#9;", "\t"),
        ("&amp;", "&"),
    ];
    let text = entities.iter().fold(toml.to_owned(), |text, (from, to)| text.replace(from, to));
    assert_eq!(text, format!("[[file]]\npath = \"{HOSTILE}\"\n\tin = 1"));
}

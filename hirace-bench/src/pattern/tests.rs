use super::template::conditions;
use super::*;
use hirace_core::front::rust;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The published numbers of variants per pattern and form: all, clean, racy, and with only a bounds bug.
const PUBLISHED: [(&str, Granularity, [usize; 4]); 21] = [
    ("conditional_edge", Granularity::Neighbor, [64, 8, 48, 8]),
    ("conditional_edge", Granularity::Neighbors, [96, 16, 72, 8]),
    ("conditional_edge", Granularity::Block, [96, 16, 80, 0]),
    ("conditional_edge", Granularity::Warp, [32, 8, 24, 0]),
    ("conditional_vertex", Granularity::Neighbor, [16, 4, 8, 4]),
    ("conditional_vertex", Granularity::Neighbors, [24, 8, 12, 4]),
    ("conditional_vertex", Granularity::Block, [8, 4, 4, 0]),
    ("conditional_vertex", Granularity::Warp, [8, 4, 4, 0]),
    ("pull", Granularity::Neighbor, [16, 8, 0, 8]),
    ("pull", Granularity::Neighbors, [24, 16, 0, 8]),
    ("pull", Granularity::Block, [24, 16, 8, 0]),
    ("pull", Granularity::Warp, [8, 8, 0, 0]),
    ("push", Granularity::Neighbor, [32, 8, 16, 8]),
    ("push", Granularity::Neighbors, [48, 16, 24, 8]),
    ("push", Granularity::Block, [16, 8, 8, 0]),
    ("push", Granularity::Warp, [16, 8, 8, 0]),
    ("populate_worklist", Granularity::Neighbor, [16, 4, 8, 4]),
    ("populate_worklist", Granularity::Neighbors, [24, 8, 12, 4]),
    ("populate_worklist", Granularity::Block, [8, 4, 4, 0]),
    ("populate_worklist", Granularity::Warp, [8, 4, 4, 0]),
    ("path_compression", Granularity::Vertex, [6, 4, 2, 0]),
];

#[test]
fn there_are_as_many_variants_as_published() {
    let mut counts: HashMap<(&str, Granularity), [usize; 4]> = HashMap::new();
    for variant in Variant::all(Data::I32) {
        let count = counts.entry((variant.form.pattern, variant.form.granularity)).or_default();
        count[0] += 1;
        count[match variant.label() {
            Label::Clean => 1,
            Label::Racy => 2,
            Label::BoundsOnly => 3,
        }] += 1;
    }
    for (pattern, granularity, published) in PUBLISHED {
        assert_eq!(
            counts.remove(&(pattern, granularity)),
            Some(published),
            "{pattern} {granularity:?}"
        );
    }
    assert!(counts.is_empty(), "{counts:?}");
    assert_eq!(Variant::all(Data::I32).count(), 590);
}

#[test]
fn every_tag_of_a_template_is_one_of_its_form() {
    for form in &FORMS {
        let said: BTreeSet<&str> = conditions(form.text)
            .map(|condition| condition.trim_start_matches(['!', '+']))
            .collect();
        let tags = form.styles.iter().chain(form.bugs).map(|tag| tag.name());
        let known: BTreeSet<&str> = tags.collect();
        let data = Data::ALL.map(Data::name);
        let said: BTreeSet<&str> = said.into_iter().filter(|name| !data.contains(name)).collect();
        assert_eq!(said, known, "{} {:?}", form.pattern, form.granularity);
    }
}

#[test]
fn every_variant_is_a_kernel_of_its_own() {
    let mut seen = HashSet::new();
    for variant in Data::ALL.into_iter().flat_map(Variant::all) {
        let RenderedPattern { text, racing } = variant.render();
        assert_eq!(variant.to_string().parse(), Ok(variant));
        let file = rust::parse_file(&format!("{variant}.rs"), &text)
            .unwrap_or_else(|error| panic!("{variant}: {error:?}\n{text}"));
        assert_eq!(file.kernels().collect::<Vec<_>>(), ["kernel"], "{variant}\n{text}");
        assert_eq!(!racing.is_empty(), variant.label() == Label::Racy, "{variant}\n{text}");
        assert!(seen.insert(text), "{variant} is a duplicate");
    }
    assert_eq!(seen.len(), 590 + 590 + 72);
}

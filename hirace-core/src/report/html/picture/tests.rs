use super::fragment;
use crate::check::{Options, source};
use crate::facts::{Picture, Race, Touch};
use crate::ir::access::Action::{Read, Write};
use crate::launch::spec::{Binding, LaunchSpec};
use crate::report::html::tests::elements;
use crate::tests::fixture::{Fixture, by};

fn races(text: &str, workgroups: u32, bindings: &[&str]) -> Vec<Race> {
    let spec = LaunchSpec {
        workgroups: Some([workgroups, 1, 1]),
        bindings: bindings.iter().map(|text| Binding::parse(text).unwrap()).collect(),
        ..LaunchSpec::default()
    };
    let options = Options { launches: vec![spec], ..Options::default() };
    let launches = source::check_wgsl("test.wgsl", text, &options).unwrap();
    let findings = launches.iter().flat_map(|launch| &launch.findings);
    findings.filter_map(|finding| finding.race().cloned()).collect()
}

fn picture(race: &Race) -> &Picture {
    race.picture.as_ref().unwrap()
}

/// Returns the titles of cells that contain racing accesses.
fn racing(html: &str) -> Vec<String> {
    let elements = elements(html);
    let cells = elements.windows(2).filter(|pair| pair[0].0 == "g class=\"cell racing\"");
    cells.map(|pair| pair[1].1.clone()).collect()
}

const SUM: &str = "
    @group(0) @binding(0) var<storage, read_write> out: array<u32>;
    var<workgroup> tile: array<u32, 8>;
    @compute @workgroup_size(8)
    fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) id: vec3u) {
        tile[l] = l;
        workgroupBarrier();
        if (l < 7u) { tile[l] += tile[l + 1u]; }
        workgroupBarrier();
        out[id.x * 8u + l] = tile[l];
    }";

#[test]
fn words_are_rows_and_epochs_are_columns() {
    let races = races(SUM, 2, &["out=zeros:16"]);
    assert_eq!(races.len(), 1);
    let picture = picture(&races[0]);
    assert_eq!(picture.epochs, [0, 1, 2]);
    // In each of two workgroups, six words are written by one invocation and read by another.
    assert_eq!((picture.words.len(), picture.left_out), (12, Default::default()));
    let first = &picture.words[0];
    assert_eq!((first.memory.element.as_str(), first.workgroup), ("tile[1]", Some(0)));
    let cell_touches = |epoch| -> Vec<(&[u32], u32, bool)> {
        picture.cell(0, epoch).map(|t| (&t.invocations[..], t.place.at.line, t.races)).collect()
    };
    assert_eq!(cell_touches(0), [(&[1][..], 6, false)]);
    assert_eq!(cell_touches(2), [(&[1][..], 10, false)]);
    let mut within = cell_touches(1);
    within.sort_unstable();
    // An invocation's own read does not race; the read at the other source location does.
    assert_eq!(within, [(&[0][..], 8, true), (&[1][..], 8, false), (&[1][..], 8, true)]);
    let html = fragment(picture);
    assert_eq!(racing(&html).len(), 12);
    assert!(
        racing(&html)[0].starts_with("tile[1] of workgroup 0, epoch 1: "),
        "{:?}",
        racing(&html)
    );
    assert!(html.contains(">epoch 2</text>"));
    assert_eq!(html.matches("<tr class=\"racing\">").count(), 24);
}

#[test]
fn the_reported_pair_of_accesses_is_marked_as_racing() {
    let across = "
        @group(0) @binding(0) var<storage, read_write> x: array<atomic<u32>, 4>;
        @group(0) @binding(1) var<storage, read_write> y: array<u32>;
        @compute @workgroup_size(4)
        fn main(@builtin(global_invocation_id) id: vec3u) {
            atomicAdd(&x[0], 1u);
            storageBarrier();
            y[id.x / 2u] = y[(id.x + 7u) % 16u];
            y[0] = id.x;
        }";
    let mut seen = 0;
    for race in
        [races(SUM, 2, &["out=zeros:16"]), races(across, 3, &["x=zeros:4", "y=zeros:16"])].concat()
    {
        let (picture, other) = (picture(&race), race.other.as_ref().unwrap());
        let number = picture.words.iter().position(|w| w.memory == race.memory).unwrap();
        for access in [race.first, other.access] {
            let by = access.by.unwrap();
            let is_access = |touch: &&Touch| {
                (touch.site, touch.workgroup, touch.races)
                    == (access.site, by.invocation.workgroup, true)
                    && touch.invocations.contains(&by.invocation.local)
            };
            assert!(
                picture.cell(number, by.epoch).any(|touch| is_access(&touch)),
                "{access:?} {picture:?}"
            );
            seen += 1;
        }
        elements(&fragment(picture));
    }
    assert!(seen >= 6, "{seen}");
}

#[test]
fn every_pair_of_a_finding_is_marked_as_racing_and_omitted_words_are_counted() {
    let text = "
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    data[l] = data[63u - l];
}";
    let mut fixture = Fixture::new(text, [100, 1, 1]);
    let (write, read) = (fixture.access(Write, 5, 0), fixture.access(Read, 5, 0));
    for word in 0..70 {
        // Each word `n` is accessed after `n` barriers.
        let barrier = fixture.access(Read, 5, 0);
        let late = |side: crate::tests::fixture::Side| side.after(word, word, barrier);
        fixture.race([word], late(by(word, 1, write)), late(by(word + 1, 2, read)));
    }
    let facts = fixture.launch_of_given();
    let race = facts.findings[0].race().unwrap();
    let picture = picture(race);
    assert_eq!((picture.words.len(), picture.epochs.len(), picture.left_out.words), (64, 64, 6));
    for word in 0..64 {
        let own: Vec<&Touch> = picture.cell(word, word as u32).collect();
        assert_eq!(own.len(), 2, "{own:?}");
        assert!(own.iter().all(|touch| touch.races && touch.workgroup >= word as u32), "{own:?}");
    }
    let html = fragment(picture);
    assert_eq!(racing(&html).len(), 64);
    assert!(html.contains("Not shown: 6 more words."), "{html}");
}

#[test]
fn an_ordered_access_is_shown_as_not_racing() {
    let text = "
        var<workgroup> flag: u32;
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(4)
        fn main(@builtin(local_invocation_index) l: u32) {
            flag = l;
            workgroupBarrier();
            out[l] = flag;
        }";
    let races = races(text, 1, &["out=zeros:4"]);
    let picture = picture(&races[0]);
    let read: Vec<&Touch> = picture.touches.iter().filter(|touch| touch.action == Read).collect();
    assert_eq!(read.iter().map(|t| (t.epoch, t.races)).collect::<Vec<_>>(), [(1, false)]);
    assert_eq!(read[0].invocations, [0, 1, 2, 3]);
    assert_eq!(racing(&fragment(picture)).len(), 1);
}

#[test]
fn only_some_of_many_equal_workgroups_are_shown() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(4)
        fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) id: vec3u) {
            out[l] = id.x;
        }";
    let races = races(text, 40, &["out=zeros:4"]);
    let picture = picture(&races[0]);
    assert_eq!((picture.words.len(), picture.touches.len()), (4, 4 * 16));
    assert_eq!(picture.left_out.accesses, 4 * (40 - 16));
    let both = [races[0].first, races[0].other.as_ref().unwrap().access];
    for by in both.map(|access| access.by.unwrap().invocation) {
        assert!(picture.cell(0, 0).any(|touch| touch.workgroup == by.workgroup), "{picture:?}");
    }
    assert!(fragment(picture).contains("Not shown: 96 more accesses."));
}

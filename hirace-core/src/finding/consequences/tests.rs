//! Kernels for each consequence of a race, each with a kernel that only looks like it.

use crate::check::{Options, Session, source};
use crate::exec::embedded::Embedded;
use crate::facts::{DangerousUse, Dependence, LaunchFacts, Number, Outcome, RaceConsequences};
use crate::launch::spec::{Binding, LaunchSpec};

const DECLARATIONS: &str = "
    struct Params { n: u32, k: u32 }
    @group(0) @binding(0) var<storage, read_write> x: array<u32>;
    @group(0) @binding(1) var<storage, read_write> out: array<u32>;
    var<workgroup> tile: array<u32, 64>;
    var<workgroup> flag: u32;
    var<private> mine: u32;
";

fn launch(helpers: &str, body: &str) -> LaunchFacts {
    let text = format!(
        "{DECLARATIONS} {helpers}
         @compute @workgroup_size(64)
         fn main(@builtin(local_invocation_index) l: u32, @builtin(global_invocation_id) id: vec3u) {{
            {body}
         }}"
    );
    let spec = LaunchSpec {
        workgroups: Some([1, 1, 1]),
        bindings: ["x=zeros:256", "out=zeros:256"]
            .iter()
            .filter(|bound| {
                let used = format!("{}[", bound.split('=').next().unwrap());
                body.contains(&used) || helpers.contains(&used)
            })
            .map(|text| Binding::parse(text).unwrap())
            .collect(),
        ..LaunchSpec::default()
    };
    let options = Options { launches: vec![spec], ..Options::default() };
    source::check_wgsl("test.wgsl", &text, &options).unwrap().remove(0)
}

/// Returns the consequences of the races of a kernel with this body, each with the text of its two accesses.
fn all(helpers: &str, body: &str) -> Vec<([String; 2], RaceConsequences)> {
    let facts = launch(helpers, body);
    let text = |span| facts.source.snippet(span).to_owned();
    facts
        .findings
        .iter()
        .filter_map(|finding| {
            let race = finding.race()?;
            let other = race.other.as_ref()?;
            let both = [text(race.first.place.span), text(other.access.place.span)];
            Some((both, (*race.leads_to).clone()))
        })
        .collect()
}

/// Returns the consequences of the only race.
#[track_caller]
fn only(helpers: &str, body: &str) -> RaceConsequences {
    let mut all = all(helpers, body);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0).1
}

#[track_caller]
fn outcome(body: &str) -> Option<Outcome> {
    only("", body).outcome
}

fn is_lost(outcome: &Option<Outcome>, wanted: Dependence) -> bool {
    matches!(outcome, Some(Outcome::LostUpdate { by, .. }) if *by == wanted)
}

/// Returns the locations that racy values reach, with the text there.
#[track_caller]
fn reached(helpers: &str, body: &str) -> Vec<(DangerousUse, String)> {
    let facts = launch(helpers, body);
    let races = facts.findings.iter().filter_map(|finding| finding.race());
    let reaches = races.flat_map(|race| &race.leads_to.reaches);
    let text = |reach: &crate::facts::Reach| facts.source.snippet(reach.place.span).to_owned();
    reaches.map(|reach| (reach.what, text(reach))).collect()
}

#[test]
fn all_that_write_one_number_write_the_same_in_every_launch() {
    let Some(Outcome::SameValue(same)) = outcome("x[0] = 7u;") else { panic!() };
    assert_eq!((same.always, same.value), (true, Some(Number::Int(7))));
}

#[test]
fn all_that_wrote_the_same_did_so_in_this_launch() {
    let Some(Outcome::SameValue(same)) = outcome("x[0] = l / 64u + 3u;") else { panic!() };
    assert_eq!((same.always, same.value, same.words), (false, Some(Number::Int(3)), 1));
    let Some(Outcome::SameValue(same)) = outcome("x[l / 2u] = l / 2u;") else { panic!() };
    assert_eq!((same.always, same.value, same.words), (false, None, 32));
}

#[test]
fn one_that_writes_another_number_makes_it_unknown_what_stays() {
    assert_eq!(outcome("x[0] = l / 63u;"), None);
    // In the last iteration, all write what they wrote in the first iteration.
    assert_eq!(outcome("for (var i = 0u; i < 3u; i++) { x[0] = (l * i) % 2u; }"), None);
}

#[test]
fn stores_to_different_components_are_not_the_same_value() {
    let helpers = "@group(0) @binding(2) var<storage, read_write> v: array<vec4f>;";
    let parts = "if (l == 0u) { v[0].x = 1.0; } else if (l == 1u) { v[0].y = 1.0; }";
    assert_eq!(only(helpers, parts).outcome, None);
    let whole = "v[0] = vec4f(1.5, 1.5, 1.5, f32(l / 64u) + 1.5);";
    let Some(Outcome::SameValue(same)) = only(helpers, whole).outcome else { panic!() };
    assert_eq!((same.always, same.value, same.words), (false, Some(Number::Float(1.5)), 4));
}

#[test]
fn who_is_ordered_by_a_barrier_may_write_something_else() {
    let body = "tile[0] = 1u + l / 64u; workgroupBarrier(); tile[0] = 2u + l / 64u;";
    let all = all("", body);
    assert_eq!(all.len(), 1, "one line races with itself: {all:?}");
    let same = |(_, leads): &(_, RaceConsequences)| match leads.outcome {
        Some(Outcome::SameValue(same)) => (same.always, same.value),
        _ => panic!("{leads:?}"),
    };
    assert_eq!(same(&all[0]), (false, None));
}

#[test]
fn counting_without_atomics_loses_updates_though_all_write_the_same() {
    assert!(is_lost(&outcome("x[0] += 1u;"), Dependence::Value));
    assert!(is_lost(&outcome("let a = x[0]; mine = a; x[0] = mine * 2u;"), Dependence::Value));
    let helpers = "fn more(p: ptr<function, u32>) { *p = *p + 1u; }";
    let through = "var a = x[0]; more(&a); x[0] = a;";
    assert!(is_lost(&only(helpers, through).outcome, Dependence::Value));
}

#[test]
fn a_write_that_does_not_depend_on_the_read_loses_no_update() {
    // Both read and write the word, but the written value comes from another word.
    let body = "let a = x[0]; out[l] = a; x[0] = out[l + 64u] + l;";
    assert!(matches!(outcome(body), Some(Outcome::StaleRead { .. })), "{:?}", outcome(body));
    // One updates the word, the other only writes it.
    let body = "if (l == 0u) { x[0] += 1u; } else if (l == 1u) { x[0] = 9u; }";
    for (texts, leads) in all("", body) {
        assert!(!is_lost(&leads.outcome, Dependence::Value), "{texts:?} {leads:?}");
    }
    // A barrier separates the read from the write.
    let body = "let a = tile[0]; workgroupBarrier(); tile[0] = a + l;";
    assert_eq!(outcome(body), None);
}

#[test]
fn a_test_before_a_write_is_an_update_unless_all_write_the_same() {
    let lost = |body| all("", body).iter().any(|(_, l)| is_lost(&l.outcome, Dependence::Control));
    assert!(lost("if (x[0] < l) {\n x[0] = l; }"));
    assert!(!lost("if (x[0] < 5u) {\n x[0] = 5u; }"));
    assert!(!lost("if (x[64] < l) {\n x[0] = l; }"));
}

#[test]
fn plain_read_that_races_with_a_write_is_stale() {
    let facts = launch("", "tile[l] = l; out[l] = tile[63u - l];");
    let race = facts.findings[0].race().unwrap();
    let Some(Outcome::StaleRead { read }) = race.leads_to.outcome else { panic!("{race:?}") };
    assert_eq!(facts.source.snippet(read.span), "tile[63u - l]");
}

#[test]
fn an_atomic_that_races_with_a_write_is_no_plain_read() {
    let helpers = "@group(0) @binding(2) var<storage, read_write> count: array<atomic<u32>>;";
    let body = "atomicAdd(&count[l], 1u);";
    assert!(all(helpers, body).is_empty());
    assert!(matches!(
        outcome("if (l == 0u) { flag = 1u; } out[l] = flag;"),
        Some(Outcome::StaleRead { .. })
    ));
    // Only the writes race: the read comes after a barrier.
    let body = "flag = l; workgroupBarrier(); out[l] = flag;";
    assert_eq!(outcome(body), None);
}

#[test]
fn a_value_reaches_an_index() {
    let index = |text: &str| (DangerousUse::Index, text.to_owned());
    let body = "tile[l] = l; let k = tile[63u - l]; out[k] = 1u;";
    assert_eq!(reached("", body), [index("out[k]")]);
    // Through a private variable and an argument of a helper.
    let helpers = "fn put(i: u32) { out[i] = 1u; }";
    let body = "tile[l] = l; mine = tile[63u - l] * 2u; put(min(mine, 9u));";
    assert_eq!(reached(helpers, body), [index("out[i]")]);
    // Through workgroup memory, after a barrier.
    let body = "tile[l] = l; flag = 0u; workgroupBarrier();
        if (l == 0u) { x[1] = 3u; } if (l < 2u) { tile[l] = x[1]; }
        workgroupBarrier(); out[tile[0]] = 1u;";
    assert!(reached("", body).contains(&index("out[tile[0]]")));
    // If both accesses write, through any later read.
    let body = "flag = l; workgroupBarrier(); out[flag] = 1u;";
    assert_eq!(reached("", body).first(), Some(&index("out[flag]")));
}

#[test]
fn a_value_that_is_only_stored_or_that_another_index_has_reaches_none() {
    assert_eq!(reached("", "tile[l] = l; out[l] = tile[63u - l];"), []);
    assert_eq!(reached("", "tile[l] = l; let k = x[0]; out[l + k] = tile[63u - l];"), []);
    // The read value is not the racy one.
    assert_eq!(reached("", "flag = l; let k = tile[l]; out[l + k] = 1u;"), []);
    // The racy value is used in a condition and not as an index.
    assert_eq!(reached("", "tile[l] = l; if (tile[63u - l] > 3u) { out[l] = 1u; }"), []);
}

#[test]
fn a_value_decides_whether_a_loop_goes_on() {
    let bounded = "tile[l] = l; let n = tile[63u - l]; var i = 0u; while (i < n) { i++; }";
    assert_eq!(
        reached("", bounded).iter().map(|(what, _)| *what).collect::<Vec<_>>(),
        [DangerousUse::LoopBound]
    );
    let logic = "tile[l] = l; var i = 0u; loop { if (tile[63u - l] > 70u && i < 2u || i > 9u) { break; } i++; }";
    assert_eq!(reached("", logic).len(), 1);
    let inner = "tile[l] = l; let n = tile[63u - l];
        for (var i = 0u; i < 4u; i++) { if (n == 70u) { return; } }";
    assert_eq!(reached("", inner).len(), 1);
}

#[test]
fn a_value_that_is_summed_up_in_a_loop_does_not_decide_about_it() {
    let summed = "tile[l] = l; var s = 0u; for (var i = 0u; i < 4u; i++) { s += tile[63u - l]; } out[l] = s;";
    assert_eq!(reached("", summed), []);
    let guarded =
        "tile[l] = l; for (var i = 0u; i < 4u; i++) { if (tile[63u - l] > 3u) { out[l] = i; } }";
    assert_eq!(reached("", guarded), []);
    // The `break` belongs to the `switch`.
    let switched = "tile[l] = l; for (var i = 0u; i < 4u; i++) { switch (tile[63u - l]) { case 1u: { break; } default: { out[l] = i; } } }";
    assert_eq!(reached("", switched), []);
}

#[test]
fn a_larger_launch_in_which_not_all_write_the_same_is_believed() {
    let text = format!(
        "{DECLARATIONS} @compute @workgroup_size(64)
         fn main(@builtin(workgroup_id) id: vec3u) {{ x[0] = WHAT; }}"
    );
    let outcome = |what: &str| {
        let text = text.replace("WHAT", what);
        let mut launches = source::check_wgsl("test.wgsl", &text, &Options::default()).unwrap();
        assert_eq!(launches.len(), 1);
        launches.remove(0).findings.remove(0).race().unwrap().leads_to.outcome.clone()
    };
    // One workgroup is tried first, then several.
    assert_eq!(outcome("id.x + 3u"), None);
    assert!(matches!(outcome("id.x / 64u + 3u"), Some(Outcome::SameValue(same)) if !same.always));
}

#[test]
fn rust_kernels_report_consequences_on_their_own_lines() {
    let text = "use hirace::prelude::*;

#[hirace::monitor(workgroup_size(64))]
pub fn count(
    #[builtin(local_invocation_index)] lane: u32,
    #[workgroup] tile: &mut [u32; 64],
    sum: &mut u32,
    out: &mut [u32],
) {
    *sum += 1;
    tile[lane] = lane;
    let at = tile[63 - lane];
    out[at] = 1;
}
";
    let file = crate::front::rust::parse_file("count.rs", text).unwrap();
    let parsed = file.items.into_iter().next().unwrap().unwrap();
    let mut session = Session::new(&Embedded);
    let checked = source::check_launches(&parsed, &Options::default(), &mut session).unwrap();
    let facts = &checked.launches[0];
    let races: Vec<_> = facts.findings.iter().filter_map(|finding| finding.race()).collect();
    let of = |line: u32| {
        let races = races.iter().find(|race| race.first.place.at.line == line);
        &races.unwrap_or_else(|| panic!("{races:?}")).leads_to
    };
    let Some(Outcome::LostUpdate { load, store, .. }) = &of(10).outcome else {
        panic!("{:?}", of(10))
    };
    assert_eq!((load.at.line, store.at.line), (10, 10));
    assert!(matches!(of(11).outcome, Some(Outcome::StaleRead { read }) if read.at.line == 12));
    let [reach] = of(11).reaches[..] else { panic!("{:?}", of(11)) };
    assert_eq!((reach.what, reach.place.at.line), (DangerousUse::Index, 13));
    assert!(of(10).reaches.is_empty());
}

#[test]
fn a_value_is_followed_by_the_field_that_holds_it() {
    let helpers = "
        struct N { lock: atomic<u32>, value: u32, pair: vec2u }
        struct Two { inner: N, other: N }
        var<workgroup> n: N;
        var<workgroup> many: array<N, 4>;
        var<workgroup> two: Two;
        fn value_of(n: ptr<workgroup, N>) -> u32 { return (*n).value; }
        fn local(k: u32) -> u32 { var pair: Pair; pair.a = k; pair.b = 1u; return pair.b; }
        struct Pair { a: u32, b: u32 }";
    let race = "n.value += l + 1u; many[l % 4u].value += l + 1u; two.other.value += l + 1u;";
    let reaches = |body: &str| !reached(helpers, &format!("{race} {body}")).is_empty();
    let unaffected = [
        "while (atomicLoad(&n.lock) != 0u) {}",
        "while (n.pair.x != 0u) {}",
        "while (atomicLoad(&many[1].lock) != 0u) {}",
        "let k = atomicLoad(&many[l % 4u].lock); out[k] = 1u;",
        "while (two.inner.value != 0u) {}",
        "out[local(n.value)] = 1u;",
        "var pair = Pair(0u, 1u); pair.a = n.value; out[pair.b] = 1u;",
    ];
    for body in unaffected {
        assert!(!reaches(body), "{body}");
    }
    let affected = [
        "while (n.value == 1000000u) {}",
        "while (many[l % 4u].value == 1000000u) {}",
        "while (two.other.value == 1000000u) {}",
        "let p = &many[2]; while ((*p).value == 1000000u) {}",
        "out[value_of(&n) & 63u] = 1u;",
        "var pair = Pair(0u, 1u); pair.a = n.value; let both = pair; out[both.b & 63u] = 1u;",
        "var pair = Pair(n.value, 1u); out[pair.a & 63u] = 1u;",
        "var pairs: array<Pair, 2>; pairs[l % 2u].a = n.value; out[pairs[1].a & 63u] = 1u;",
    ];
    for body in affected {
        assert!(reaches(body), "{body}");
    }
}

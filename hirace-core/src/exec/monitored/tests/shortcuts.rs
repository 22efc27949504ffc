//! Shortcuts in instrumented modules: kernels that would lose a race if a shortcut was taken where it is not valid.

use super::*;
use std::collections::BTreeSet;

/// Returns the racy words of a kernel with two workgroups. All options must agree.
fn racy_words(body: &str) -> Vec<String> {
    let program = program(&format!(
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @group(0) @binding(1) var<storage, read_write> out: array<u32>;
        var<workgroup> w: array<u32, 64>;
        fn wait() {{ workgroupBarrier(); }}
        @compute @workgroup_size(64) fn main(
            @builtin(local_invocation_index) l: u32, @builtin(global_invocation_id) g: vec3<u32>
        ) {{ {body} }}"
    ));
    let mut launch = launch(&program, 2, 1024);
    let mut all = Vec::new();
    for seed in 0..3 {
        launch.schedule = Schedule::seeded(seed);
        let watch = plan(&program, &launch.dispatches[0], Scope::MayRace);
        all.push(names(&program, &native(&program, &launch, &watch)));
        for (omits_redundant_checks, detects_only, workgroup_memory) in
            [(true, true, 16384), (true, false, 0), (false, true, 0), (false, false, 16384)]
        {
            let options = Options {
                omits_redundant_checks,
                detects_only,
                workgroup_memory,
                ..Options::default()
            };
            let found = detect(&program, &launch, &options, Limits::default());
            assert_eq!(found.dropped, 0);
            all.push(names(&program, &found.racy));
        }
    }
    let first = all[0].clone();
    assert!(all.iter().all(|racy| *racy == first), "{body}: {all:?}");
    first
}

const NONE: [&str; 0] = [];

#[test]
fn a_read_stays_where_the_write_after_it_may_not_come() {
    let body = |exit: &str| format!("let v = w[0]; {exit} w[0] = v + 1u;");
    assert_eq!(racy_words(&body("if l != 3u { return; }")), ["w[0]@0", "w[0]@1"]);
    let body = "loop { let v = w[0]; if l != 3u { break; } w[0] = v; break; }";
    assert_eq!(racy_words(body), ["w[0]@0", "w[0]@1"]);
}

#[test]
fn a_check_stays_behind_a_barrier() {
    for barrier in ["workgroupBarrier();", "wait();", "let u = workgroupUniformLoad(&w[63]);"] {
        let body = format!(
            "if l < 9u {{ w[l] = 1u; }} {barrier} if l == 0u {{ w[1] = 2u; }} if l < 9u {{ w[l] = 3u; }}"
        );
        assert_eq!(racy_words(&body), ["w[1]@0", "w[1]@1"], "{barrier}");
    }
    let iterations = "w[l] = 1u; for (var i = 0u; i < 2u; i++) {
        if i == 1u && l == 0u { w[1] = 2u; }
        w[l] = 3u;
        workgroupBarrier();
    }";
    assert_eq!(racy_words(iterations), ["w[1]@0", "w[1]@1"]);
}

#[test]
fn a_check_stays_where_the_one_before_it_was_not_done() {
    let body = "if l == 0u { w[5] = 1u; } if l == 1u { w[5] = 2u; }";
    assert_eq!(racy_words(body), ["w[5]@0", "w[5]@1"]);
    let body = "if l == 0u { w[l + 5u] = 1u; } else { if l == 1u { w[l + 4u] = 2u; } }";
    assert_eq!(racy_words(body), ["w[5]@0", "w[5]@1"]);
}

#[test]
fn an_index_that_changed_is_another_address() {
    assert_eq!(racy_words("var i = l; w[i] = 1u; i = 7u; w[i] = 2u;"), ["w[7]@0", "w[7]@1"]);
    let body = "var i = l; w[i] = 1u; loop { w[i] = 2u; if i != 8u { break; } i = 7u; }";
    assert_eq!(racy_words(body), ["w[7]@0", "w[7]@1"]);
}

#[test]
fn reads_by_other_invocations_are_tracked() {
    // Only the first invocation that reads it also writes it.
    for lane in ["0u", "5u", "63u"] {
        let body = format!("out[g.x] = w[0]; if l == {lane} {{ w[0] = 1u; }}");
        assert_eq!(racy_words(&body), ["w[0]@0", "w[0]@1"]);
    }
    // After all invocations of a subgroup have read it, those of another subgroup may still not write it.
    let body = "if l < 32u { out[g.x] = w[1]; } if l == 40u { w[1] = 1u; }";
    assert_eq!(racy_words(body), ["w[1]@0", "w[1]@1"]);
    // The invocation that reads it again after a barrier is the only one to have done so.
    let body = "out[g.x] = w[2]; workgroupBarrier(); if l == 9u { w[2] = w[2] + 1u; }";
    assert_eq!(racy_words(body), NONE);
    let body = "out[g.x] = w[2]; workgroupBarrier(); if l == 9u { w[2] = w[2] + 1u; }
        if l == 8u { out[g.x] = w[2]; }";
    assert_eq!(racy_words(body), ["w[2]@0", "w[2]@1"]);
    // Two workgroups do not wait for each other.
    let body = "out[g.x] = a[2]; storageBarrier(); if g.x == 9u { a[2] = 1u; }";
    assert_eq!(racy_words(body), ["a[2]"]);
}

#[test]
fn racy_words_of_a_workgroup_are_found_when_it_is_done() {
    let body = "w[l >> 1u] = l; if g.x > 70u { return; } w[63] = l;";
    let racy = racy_words(body);
    let pairs = |workgroup| (0..32).map(move |i| format!("w[{i}]@{workgroup}"));
    let last = ["w[63]@0".to_owned()].into_iter();
    let expected: BTreeSet<_> =
        pairs(0).chain(last).chain(pairs(1)).chain(["w[63]@1".to_owned()]).collect();
    assert_eq!(racy.into_iter().collect::<BTreeSet<_>>(), expected);
}

//! Barriers that not all invocations reach, as an instrumented module reports them.

use super::{detect, launch, program};
use crate::exec::embedded::Embedded;
use crate::exec::{Executor, Watch};
use crate::facts::Warning;
use crate::shadow::layout::Limits;
use crate::shadow::plan::Options;
use crate::shadow::trail::Trails;

const HEAD: &str = "
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    var<workgroup> tile: array<u32, 64>;
    fn wait() { workgroupBarrier(); }
    fn wait_if(on: bool) { if on { workgroupBarrier(); } }
    fn wait_twice() { wait(); wait(); }
    @compute @workgroup_size(64) fn main(
        @builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>
    ) {";

/// Returns what the trails of three workgroups and the native monitor report: the first workgroup that diverged, and the number
/// of diverged workgroups.
fn diverged(body: &str, options: &Options) -> [Option<(u32, u32)>; 2] {
    let program = program(&format!("{HEAD} {body} }}"));
    let launch = launch(&program, 3, 1024);
    let found = detect(&program, &launch, options, Limits::default());
    let trails = found.trails.unwrap_or_else(|| panic!("no trails of {body}"));
    assert_eq!(trails.incomplete, [0; 0], "{body}");
    let there = trails.diverged.first().map(|first| (*first, trails.diverged.len() as u32));
    let here = Embedded.run(&program, &launch, &Watch::default(), None).unwrap();
    let here = here.dispatches[0].warnings.iter().find_map(|warning| match warning {
        Warning::NotWatchedAfterDivergence { first, others } => Some((*first, others + 1)),
        _ => None,
    });
    [there, here]
}

#[test]
fn divergent_barriers_are_reported_per_workgroup() {
    for (body, expected) in [
        ("if l < 3u { workgroupBarrier(); }", (0, 3)),
        ("if l == 5u && w.x == 1u { return; } workgroupBarrier();", (1, 1)),
        ("for (var i = 0u; i < l; i++) { storageBarrier(); }", (0, 3)),
        ("for (var i = 0u; i < 3u; i++) { if i == l { continue; } storageBarrier(); }", (0, 3)),
        ("if l == 9u || w.x != 2u { wait(); }", (2, 1)),
        ("if l < 32u { workgroupBarrier(); } else { workgroupBarrier(); }", (0, 3)),
        ("if l < 32u { wait(); } else { wait(); }", (0, 3)),
        ("if l < 32u { wait_twice(); } else { wait(); wait(); }", (0, 3)),
        ("if l < 32u { storageBarrier(); textureBarrier(); } else { storageBarrier(); }", (0, 3)),
        ("if l > 60u { data[l] = workgroupUniformLoad(&tile[3]); }", (0, 3)),
        ("switch l { case 0u: { wait(); } default: {} }", (0, 3)),
        ("if l % 2u == w.x { wait_if(l < 40u); } else { wait_if(false); }", (0, 2)),
        // All invocations reach each barrier equally often, but in different orders.
        (
            "for (var i = 0u; i < 2u; i++) { if i == l % 2u { wait(); } else { storageBarrier(); } }",
            (0, 3),
        ),
    ] {
        for memory in [16384, 0] {
            let options = Options { workgroup_memory: memory, ..Options::default() };
            assert_eq!(diverged(body, &options), [Some(expected); 2], "{body}");
        }
    }
}

#[test]
fn uniformly_skipped_barriers_are_not_reported_as_divergent() {
    for body in [
        "if data[3] == 0u { workgroupBarrier(); }",
        "for (var i = 0u; i < data[w.x] + 3u; i++) { wait(); }",
        "if l < 3u { wait_if(false); } wait_if(data[0] == 0u);",
        "if l < 3u { wait_if(data[0] == 1u); } else { wait_if(data[0] == 1u); } wait();",
        "if data[0] == 1u { return; } data[64u + l] = workgroupUniformLoad(&tile[3]);",
        "if l < 32u { subgroupBarrier(); } if data[0] == 0u { wait_twice(); }",
    ] {
        assert_eq!(diverged(body, &Options::default()), [None; 2], "{body}");
    }
}

#[test]
fn what_is_certain_from_the_text_is_not_noted() {
    for body in ["workgroupBarrier();", "if w.x == 1u { wait_twice(); }", "data[l] = 1u;"] {
        let program = program(&format!("{HEAD} {body} }}"));
        let launch = launch(&program, 3, 1024);
        let found = detect(&program, &launch, &Options::default(), Limits::default());
        assert_eq!(found.trails, None, "{body}");
    }
}

#[test]
fn trails_are_omitted_if_they_do_not_fit() {
    let program = program(&format!("{HEAD} if l < 3u {{ workgroupBarrier(); }} }}"));
    let launch = launch(&program, 3, 1024);
    let trails = |words| {
        let limits = Limits { words, ..Limits::default() };
        detect(&program, &launch, &Options::default(), limits).trails
    };
    assert_eq!(trails(30), None);
    assert_eq!(trails(48), Some(Trails { diverged: vec![0, 1, 2], incomplete: vec![] }));
}

/// The clocks within a diverged workgroup differ, so the races that it reports are discarded.
#[test]
fn races_within_a_workgroup_that_diverged_are_not_believed() {
    let body = "
        if l < 32u { storageBarrier(); }
        data[64u * w.x + l] = 1u;
        storageBarrier();
        data[64u * w.x + (l ^ 32u)] = 1u;
        if l == 0u { data[200] = w.x; }";
    let program = program(&format!("{HEAD} {body} }}"));
    let launch = launch(&program, 3, 1024);
    let found = detect(&program, &launch, &Options::default(), Limits::default());
    assert_eq!(found.trails.map(|trails| trails.diverged), Some(vec![0, 1, 2]));
    assert!(found.racy.is_empty(), "{:?}", found.racy);
}

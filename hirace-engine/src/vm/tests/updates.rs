//! Tests paired reads and writes: which are shown as pairs, and that judging both at once finds the same
//! races.

use super::{Kernel, options};
use crate::observe::fsm::Fsm;
use crate::observe::{Granule, Layout, MemoryLayout, Shape};
use crate::vm::code::Pairing;
use crate::vm::driver::run;
use crate::vm::lower::lower;
use crate::vm::observer::Space;
use crate::vm::run::Options;
use std::collections::BTreeSet;

fn kernel(body: &str) -> Kernel {
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {{ {body} }}"
    );
    Kernel::new(&text).zeros("data", 256)
}

/// Returns the number of writes that are shown as the second of a pair.
fn pairs(body: &str) -> usize {
    let code = lower(&kernel(body).program, 0).unwrap();
    let events = code.accesses.iter().filter_map(|access| access.event.as_ref());
    events.filter(|event| matches!(event.pairing, Pairing::AfterRead(_))).count()
}

#[test]
fn a_read_and_a_write_of_one_place_are_a_pair_unless_something_may_come_between() {
    assert_eq!(pairs("data[id.x] += 1u;"), 1);
    assert_eq!(pairs("data[id.x + 1u] = 2u * data[id.x + 1u];"), 0, "the index is computed twice");
    assert_eq!(pairs("data[3] = data[3] + data[4];"), 1);
    assert_eq!(pairs("data[id.x] = data[id.y];"), 0);
    assert_eq!(pairs("let a = data[id.x]; if a < 7u { data[id.x] = a; }"), 0);
    assert_eq!(pairs("let a = data[id.x]; storageBarrier(); data[id.x] = a;"), 0);
    assert_eq!(pairs("var i = id.x; let a = data[i]; i += 1u; data[i] = a;"), 0);
}

/// Returns the racy words of two workgroups, with or without pairs.
fn racy(body: &str, paired: bool) -> BTreeSet<Granule> {
    let kernel = kernel(body);
    let code = lower(&kernel.program, 0).unwrap();
    let code = if paired { code } else { code.unpaired() };
    let memory = MemoryLayout { space: Space::Storage, granule_shift: 2, bytes: 4 * 256 };
    let shape = Shape { workgroups: 2, workgroup_size: 64, subgroup_size: 32 };
    let fsm = Fsm::serial(Layout::of(vec![Some(memory)]), shape);
    let options = Options { workgroups: [2, 1, 1], ..options() };
    run(&code, &kernel.resources, &options, &fsm).unwrap();
    fsm.racy().into_keys().collect()
}

#[test]
fn pairs_race_where_their_accesses_do() {
    let bodies = [
        "data[id.x] += 1u;",
        "data[id.x / 2u] += 1u;",
        "data[id.x % 64u] += 1u;",
        "data[id.x] += 1u; storageBarrier(); data[id.x ^ 1u] += 1u;",
        "data[id.x] += 1u; storageBarrier(); data[id.x ^ 64u] += 1u;",
        "data[id.x] += data[128]; if id.x == 9u { data[128] += 1u; }",
    ];
    let mut found = 0;
    for body in bodies {
        let alone = racy(body, false);
        assert_eq!(racy(body, true), alone, "{body}");
        found += usize::from(!alone.is_empty());
    }
    assert_eq!(found, 4);
}

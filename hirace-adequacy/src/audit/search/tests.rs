//! Tests of the search on hand-written kernels.

use super::explore::explore;
use super::kernel::Kernel;
use crate::audit::point::{Point, PointKind};
use crate::mutate::source::Source;
use std::collections::BTreeSet;

const SOURCE: &str = "
struct Params { mode: u32, limit: u32, scale: f32, flags: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> tags: array<u32>;
@group(0) @binding(2) var<storage> heat: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<u32>;
override WIDE: bool = false;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    if (i >= arrayLength(&out)) { return; }
    if (params.mode == 7u) { out[i] = 1u; }
    if (tags[i] == 4242u) { out[i] = 2u; }
    if (heat[i] > 100.0) { out[i] = 3u; }
    if ((params.flags & 8u) != 0u && params.limit > 12u) { out[i] = 4u; }
    if (WIDE) { out[i] = 5u; }
    switch params.mode { case 3u: { out[i] = 6u; } case 900u: { out[i] = 7u; } default: {} }
    for (var k = 0u; k < params.limit; k++) { out[i] += k; }
    if (params.scale < -2.5) { out[i] = select(8u, 9u, params.mode == 901u); }
    if (i > 5u && i < 3u) { out[i] = 10u; }
}";

#[test]
fn search_reaches_all_points_except_the_impossible_one() {
    let source = Source::new("all.wgsl", SOURCE).unwrap();
    let kernels = Kernel::all(&source);
    assert_eq!(kernels.len(), 1);
    let kernel = &kernels[0];
    let wanted = kernel.scope().points;
    let explored = explore(kernel, &kernel.alphabet(), kernel.drafts(&[]), &wanted, None);
    let reached: BTreeSet<&Point> = explored.found.iter().flat_map(|found| &found.points).collect();
    let missed: Vec<&Point> = wanted.iter().filter(|point| !reached.contains(point)).collect();
    // Only `i > 5 && i < 3`.
    let lines: BTreeSet<u32> = missed.iter().map(|point| point.line).collect();
    assert_eq!(lines, [21].into(), "{missed:#?} of {} after {}", wanted.len(), explored.runs);
    assert!(
        missed
            .iter()
            .all(|point| matches!(&point.what, PointKind::Arm { arm, .. } if arm == "true"))
    );
}

/// A spinning invocation spins for its whole time slice before the holder of the lock continues.
const LOCK: &str = "
@group(0) @binding(0) var<storage, read_write> lock: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> sum: atomic<u32>;
@compute @workgroup_size(16)
fn main() {
    while (atomicCompareExchangeWeak(&lock, 0u, 1u).old_value != 0u) {}
    let before = atomicLoad(&sum);
    atomicStore(&sum, before + 1u);
    atomicStore(&lock, 0u);
}";

#[test]
fn launches_that_wait_for_a_lock_reach_their_end() {
    let source = Source::new("lock.wgsl", LOCK).unwrap();
    let kernels = Kernel::all(&source);
    let kernel = &kernels[0];
    // Without wanted points the search ends after the first launches.
    let explored = explore(kernel, &kernel.alphabet(), kernel.drafts(&[]), &BTreeSet::new(), None);
    assert!(!explored.found.is_empty(), "{} launches", explored.runs);
}

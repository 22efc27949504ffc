//! Every kind of finding, in every format.

use super::text::{self, Style};
use crate::finding::fixture::{Fixture, by};
use crate::ir::access::Action::{Read, Write};
use insta::assert_snapshot;

const BLOCK_SUM: &str = "\
@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
var<workgroup> tile: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    tile[lane] = input[group.x * 64u + lane];
    workgroupBarrier();
    var stride = 32u;
    while stride > 0u {
        if lane < stride {
            tile[lane] += tile[lane + stride];
        }
        stride /= 2u;
    }
    if lane == 0u {
        output[group.x] = tile[0];
    }
}
";

fn block_sum() -> Fixture {
    let mut fixture = Fixture::new(BLOCK_SUM, [4, 1, 1]);
    let write = fixture.access(Write, 12, 0);
    let read = fixture.access(Read, 12, 1);
    let barrier = fixture.barrier(8);
    for group in 0..4 {
        let write = by(group, 16, write).after(1, 1, barrier);
        let read = by(group, 0, read).after(1, 1, barrier);
        fixture.race(16..20, write, read);
    }
    fixture
}

fn rendered(fixture: &Fixture) -> String {
    text::report(&fixture.report(), Style::default())
}

#[test]
fn a_race_in_one_epoch() {
    assert_snapshot!(rendered(&block_sum()));
}

//! Tests indices that are out of bounds.

use super::{Kernel, options};
use crate::vm::memory::Buffer;
use crate::vm::observer::MemoryId;
use crate::vm::run::Options;

const SHIFTED: &str = "
    @group(0) @binding(0) var<storage, read_write> out: array<u32>;
    @group(0) @binding(1) var<storage, read> source: array<u32>;
    @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) l: u32) {
        out[l] = source[i32(l) - 2];
    }";

#[test]
fn a_negative_index_is_reported_as_such_and_clamped() {
    let kernel = Kernel::new(SHIFTED).zeros("out", 8).words("source", &[10, 11, 12, 13, 14, 15]);
    let run = kernel.run(&options());
    let [found] = &run.out_of_bounds[..] else { panic!("{:?}", run.out_of_bounds) };
    assert_eq!((found.index, found.length, found.count), (-2, 6, 2));
    assert_eq!(found.memory, Some(MemoryId(1)));
    assert_eq!(kernel.snippet(found.site), "source[i32(l) - 2]");
    assert_eq!(kernel.result("out"), [15, 15, 10, 11, 12, 13, 14, 15]);
}

#[test]
fn an_index_past_the_end_clamps_to_the_last() {
    let kernel = Kernel::new(SHIFTED).zeros("out", 6).words("source", &[10, 11, 12, 13, 14, 15]);
    let run = kernel.run(&options());
    assert_eq!(run.out_of_bounds.len(), 2);
    assert_eq!(run.out_of_bounds.iter().map(|o| o.count).sum::<u64>(), 4);
    // Invocations 5, 6 and 7 all write the last element, in this order.
    assert_eq!(kernel.result("out"), [15, 15, 10, 11, 12, 15]);
}

#[test]
fn nothing_is_read_from_an_empty_array() {
    let kernel = Kernel::new(SHIFTED).words("out", &[1; 8]).bind("source", Buffer::new(&[]));
    let run = kernel.run(&options());
    assert_eq!(run.out_of_bounds[0].length, 0);
    assert_eq!(kernel.result("out"), [0; 8]);
    let kernel = Kernel::new(SHIFTED).bind("out", Buffer::new(&[])).words("source", &[1; 8]);
    assert_eq!(kernel.run(&options()).out_of_bounds.len(), 2);
}

#[test]
fn an_elastic_buffer_wants_to_grow() {
    let mut from = Buffer::new(&[7; 12]);
    from.elastic = true;
    let text = SHIFTED.replace("i32(l) - 2", "l * 2u");
    let kernel = Kernel::new(&text).zeros("out", 8).bind("source", from);
    let run = kernel.run(&options());
    assert_eq!(run.out_of_bounds, []);
    assert_eq!(run.wanted_lengths, [(MemoryId(1), 15 * 4)]);
    assert_eq!(kernel.result("out"), [0x0707_0707, 0x0707_0707, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn function_memory_is_checked_too() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) l: u32) {
            var a = array(1u, 2u, 3u, 4u);
            a[l] = 9u;
            out[l] = a[3];
        }";
    let kernel = Kernel::new(text).zeros("out", 8);
    let run = kernel.run(&options());
    let [found] = &run.out_of_bounds[..] else { panic!("{:?}", run.out_of_bounds) };
    assert_eq!((found.memory, found.index, found.length, found.count), (None, 4, 4, 4));
    assert_eq!(kernel.program.source.snippet(found.span), "a[l]");
    assert_eq!(kernel.result("out"), [4, 4, 4, 9, 9, 9, 9, 9]);
}

#[test]
fn sites_are_counted() {
    let kernel = Kernel::new(SHIFTED).zeros("out", 8).words("source", &[0; 8]);
    let run = kernel.run(&Options { workgroups: [3, 1, 1], parallel: true, ..options() });
    let sites: Vec<_> = kernel.program.sites.accesses().map(|(id, _, _)| id).collect();
    assert_eq!(sites.len(), 2);
    for site in sites {
        let executed = run.executed[site.0 as usize];
        assert_eq!((executed.count, executed.by_several_invocations), (24, true));
    }
}

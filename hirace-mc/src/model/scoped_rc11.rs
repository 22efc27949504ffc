//! RC11 with scopes, of «GPUMC: A Stateless Model Checker for GPU Weak Memory Concurrency», section 3.
//!
//! - eco := (rf ∪ co ∪ fr)⁺, of one location each.
//! - rs := [W] ; (rf ∩ incl ; rmw)\*: a release sequence goes on through updates alone, as in C++20.
//! - sw := [rel] ; ([F] ; po)? ; rs ; rf ∩ incl ; (po ; [F])? ; [acq], the accesses between being atomic, in memory that
//!   the fences name.
//! - hb of a class of memory := (po ∪ sw ∩ incl between those that both name it ∪ barriers that name it)⁺.
//! - Coherence: hb ; eco? is irreflexive, of locations in the class of that hb.
//! - Atomicity: no write is in coherence order between what an update reads and what it writes.
//! - SC: psc ∩ incl is acyclic, where psc := ([sc] ∪ [Fsc] ; hb?) ; scb ; ([sc] ∪ hb? ; [Fsc]) ∪ [Fsc] ; (hb ∪ hb ; eco
//!   ; hb) ; [Fsc], and scb := po ∪ po≠loc ; hb ; po≠loc ∪ hb=loc ∪ co ∪ fr.
//! - No thin air: po ∪ rf is acyclic, which it is by the way in which executions are built.
//!
//! incl is of atomic accesses and fences of which each has the other's invocation in its scope. The paper's text also
//! asks that two accesses be to one location; of the SC axiom we do not, since then with one scope for all it would not
//! be RC11's. A barrier that orders memory orders it for all who wait there.
//!
//! Classes are not the paper's but Vulkan's («Memory Model», «Inter-Thread-Happens-Before» and «Synchronizes-With»): two
//! accesses to a location are ordered by what names its class all the way. Where all is named, as in PTX, this is the
//! paper's model. The SC axiom, which Vulkan has not, takes the hb of all classes together.

mod relation;

use super::{acquires, inclusive, releases};
use crate::explore::{Graph, INITIAL, NONE, Node};
use crate::program::Classes;
use relation::Relation;

pub(super) fn order(graph: &mut Graph, e: u32) {
    let node = &graph.nodes[e as usize];
    let (before, from, reads) = (node.before, node.from, node.reads());
    let acquired = if acquires(node) { acquired(graph, e) } else { Vec::new() };
    if before != NONE {
        graph.causes.join(e, before);
        graph.happens.each(Classes::ALL).for_each(|rows| rows.join(e, before));
    }
    if reads && from != INITIAL {
        graph.causes.join(e, from);
    }
    for source in acquired {
        let named = |event: u32| graph.nodes[event as usize].label.atomic().map(|of| of.orders);
        let by_both = Classes(named(source).unwrap_or_default().0 & named(e).unwrap_or_default().0);
        graph.happens.each(by_both).for_each(|rows| rows.join(e, source));
    }
}

/// What synchronises with `e`, which acquires.
fn acquired(graph: &Graph, e: u32) -> Vec<u32> {
    let node = &graph.nodes[e as usize];
    let mut sources = Vec::new();
    if node.reads() {
        released(graph, e, &mut sources);
    } else {
        let earlier = &graph.threads[node.invocation as usize][..node.index as usize];
        let reads = earlier.iter().filter(|&&event| {
            graph.nodes[event as usize].reads() && names_location(graph, e, event)
        });
        reads.for_each(|&read| released(graph, read, &mut sources));
    }
    sources.retain(|&source| inclusive(graph, source, e));
    sources
}

/// Adds all that releases what `read` reads: at the writes of the release sequence, or before these.
fn released(graph: &Graph, read: u32, into: &mut Vec<u32>) {
    let mut reader = read;
    loop {
        let node: &Node = &graph.nodes[reader as usize];
        let write = node.from;
        if !node.reads() || write == INITIAL || !inclusive(graph, write, reader) {
            return;
        }
        let written = &graph.nodes[write as usize];
        if releases(written) {
            into.push(write);
        }
        let mut fence = written.fence;
        while fence != NONE {
            let node = &graph.nodes[fence as usize];
            if releases(node) && names_location(graph, fence, write) {
                into.push(fence);
            }
            fence = node.fence;
        }
        reader = write;
    }
}

/// Whether a fence names the memory of an access.
fn names_location(graph: &Graph, fence: u32, access: u32) -> bool {
    let class = graph.nodes[access as usize].label.access().map(|access| access.class);
    let named = graph.nodes[fence as usize].label.atomic().map(|atomic| atomic.orders);
    class.zip(named).is_some_and(|(class, named)| named.has(class))
}

/// Whether the SC axiom can refuse something. Of one event coherence says as much, if it is of one hb.
pub(super) fn is_asked(graph: &Graph) -> bool {
    graph.strong > 1 || graph.strong == 1 && graph.happens.kinds() > 1
}

/// The SC axiom: the others hold by the positions that are offered.
pub(super) fn consistent(graph: &Graph) -> bool {
    if !is_asked(graph) {
        return true;
    }
    let n = graph.nodes.len();
    let node = |event: usize| &graph.nodes[event];
    let strong: Vec<usize> = (0..n).filter(|&e| crate::explore::is_strong(node(e))).collect();
    let strong_fence: Vec<usize> =
        strong.iter().copied().filter(|&e| node(e).cell == NONE).collect();
    // eco goes from the lower to the higher.
    let keys: Vec<usize> = (0..n as u32).map(|e| crate::explore::key(graph, e)).collect();
    let hb = Relation::of(n, |a, b| graph.happens.has_any(b as u32, a as u32));
    let loc = |a: usize, b: usize| node(a).cell != NONE && node(a).cell == node(b).cell;
    let po = |a: usize, b: usize| {
        node(a).invocation == node(b).invocation && node(a).index < node(b).index
    };
    let eco = Relation::of(n, |a, b| loc(a, b) && keys[a] < keys[b]);
    let elsewhere = Relation::of(n, |a, b| po(a, b) && !loc(a, b));
    let direct = Relation::of(n, |a, b| {
        let into_write = loc(a, b) && keys[a] < keys[b] && node(b).writes;
        po(a, b) || loc(a, b) && hb.has(a, b) || into_write
    });
    let scb = direct.or(&elsewhere.then(&hb).then(&elsewhere));
    let is_strong = |e: usize| strong.binary_search(&e).is_ok();
    let is_fence = |e: usize| strong_fence.binary_search(&e).is_ok();
    let into = Relation::of(n, |a, b| is_strong(a) && (a == b || is_fence(a) && hb.has(a, b)));
    let out = Relation::of(n, |a, b| is_strong(b) && (a == b || is_fence(b) && hb.has(a, b)));
    let between = hb.then(&eco).then(&hb).or(&hb);
    let psc = into.then(&scb).then(&out);
    Relation::of(n, |a, b| {
        is_strong(a)
            && is_strong(b)
            && (psc.has(a, b) || is_fence(a) && is_fence(b) && between.has(a, b))
            && (a == b || inclusive(graph, a as u32, b as u32))
    })
    .acyclic()
}

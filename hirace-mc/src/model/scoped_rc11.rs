//! RC11 with scopes, from "GPUMC: A Stateless Model Checker for GPU Weak Memory Concurrency", section 3.
//!
//! - eco := (rf ∪ co ∪ fr)⁺, of one location each.
//! - rs := [W] ; (rf ∩ incl ; rmw)\*: a release sequence continues only through updates, as in C++20.
//! - sw := [rel] ; ([F] ; po)? ; rs ; rf ∩ incl ; (po ; [F])? ; [acq], where the accesses in between are atomic and the
//!   fences name their storage class.
//! - hb of a storage class := (po ∪ sw ∩ incl between events that both name the class ∪ barriers that name it)⁺.
//! - Coherence: hb ; eco? is irreflexive, for the locations in the class of that hb.
//! - Atomicity: coherence order has no write between the write that an update reads from and the update.
//! - SC: psc ∩ incl is acyclic, where psc := ([sc] ∪ [Fsc] ; hb?) ; scb ; ([sc] ∪ hb? ; [Fsc]) ∪ [Fsc] ; (hb ∪ hb ; eco
//!   ; hb) ; [Fsc], and scb := po ∪ po≠loc ; hb ; po≠loc ∪ hb=loc ∪ co ∪ fr.
//! - No thin air: po ∪ rf is acyclic. This holds by construction of the executions.
//!
//! incl relates atomic accesses and fences whose scopes each include the other's invocation. The paper also requires
//! that two accesses have the same location. We do not require this in the SC axiom: otherwise, with a single scope,
//! the model would not be RC11. A barrier that orders memory orders it for all invocations that wait at it.
//!
//! Storage classes are not from the paper but from Vulkan ("Memory Model", "Inter-Thread-Happens-Before" and
//! "Synchronizes-With"): two accesses to a location are ordered by operations that all name its class. If every
//! operation names all classes, as in PTX, this is the paper's model. The SC axiom, which Vulkan does not have, uses
//! the union of hb over all classes.

mod relation;

use super::{acquires, inclusive, releases};
use crate::execution_graph::{Graph, INITIAL, NONE, Node, is_sequentially_consistent, key};
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

/// Returns the events that synchronize with the acquire `e`.
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

/// Adds all events that release the value that `read` reads: writes of the release sequence, and fences before them.
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

/// Returns whether a fence names the storage class of an access.
fn names_location(graph: &Graph, fence: u32, access: u32) -> bool {
    let class = graph.nodes[access as usize].label.access().map(|access| access.class);
    let named = graph.nodes[fence as usize].label.atomic().map(|atomic| atomic.orders);
    class.zip(named).is_some_and(|(class, named)| named.has(class))
}

/// Returns whether the SC axiom can refuse an execution. With a single SC event and a single hb, coherence implies it.
pub(super) fn is_asked(graph: &Graph) -> bool {
    graph.strong > 1 || graph.strong == 1 && graph.happens.kinds() > 1
}

/// Returns whether the SC axiom holds. The other axioms hold because of the positions that are offered to events.
pub(super) fn consistent(graph: &Graph) -> bool {
    if !is_asked(graph) {
        return true;
    }
    let n = graph.nodes.len();
    let node = |event: usize| &graph.nodes[event];
    let strong: Vec<usize> = (0..n).filter(|&e| is_sequentially_consistent(node(e))).collect();
    let strong_fence: Vec<usize> =
        strong.iter().copied().filter(|&e| node(e).cell == NONE).collect();
    // eco goes from smaller to larger keys.
    let keys: Vec<usize> = (0..n as u32).map(|e| key(graph, e)).collect();
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

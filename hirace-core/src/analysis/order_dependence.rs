//! Finds atomic operations whose results reach memory, so that what a launch writes may depend on the order of its invocations.
//!
//! An operation is found only if its result is used, two invocations may execute it and another operation that writes on the same
//! word with no barrier between them ([`prove::meetings`]), and the result reaches a write of storage memory or a texture: the
//! written value, its address, or whether it is executed. That the result decides whether an operation on the same variable is
//! retried does not count.

use super::atomics::{AtomicOperation, atomic_operations};
use super::flow::{Flow, Marks, Sources};
use crate::ir::access::{Access, Action};
use crate::ir::sites::SiteId;
use crate::ir::walk::FunctionId;
use crate::program::Program;
use crate::prove;
use naga::{AddressSpace, GlobalVariable, Handle};
use rustc_hash::FxHashSet;

/// An atomic operation whose result reaches memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderDependence {
    /// The atomic operation.
    pub atomic: SiteId,
    /// The variable that its result reaches.
    pub reaches: Handle<GlobalVariable>,
}

/// Returns the first atomic operation of an entry point, in source order, whose result depends on the order of invocations and
/// reaches memory; `None` if there is none, or the entry point is too complex. `workgroups` is the grid, if it is known.
pub fn order_dependence(
    program: &Program,
    entry: usize,
    workgroups: Option<[u32; 3]>,
) -> Option<OrderDependence> {
    let functions = program.calls.reachable([FunctionId::Entry(entry)]);
    let operations = atomic_operations(program, &functions);
    let is_used = |operation| matches!(operation, AtomicOperation::Update { is_used: true, .. });
    if !operations.values().any(|operation| is_used(*operation)) {
        return None;
    }
    let sites: FxHashSet<SiteId> = operations.keys().copied().collect();
    let meetings = prove::meetings(program, entry, workgroups, &sites)?;
    let writes = |site: &SiteId| operations.get(site) != Some(&AtomicOperation::Load);
    let is_contended = |site: SiteId| {
        meetings.iter().any(|it| it.sites.contains(&site) && it.sites.iter().all(writes))
    };
    let start = |site: SiteId| program.sites.get(site).map_or(0, |site| site.span.start);
    let mut sources: Vec<SiteId> = operations
        .iter()
        .filter(|&(&site, &operation)| is_used(operation) && is_contended(site))
        .map(|(&site, _)| site)
        .collect();
    sources.sort_by_key(|&site| (start(site), site));
    // Later sources would share a mark.
    sources.truncate(Marks::MAX_SOURCES - 1);
    // What a result reaches directly is named first.
    [true, false].into_iter().find_map(|directly| {
        let reads = (0..).map(Marks::from_index);
        let marks = Sources {
            reads: sources.iter().copied().zip(reads).collect(),
            by_control: Marks(u64::MAX),
            by_logic: true,
            not_through_shared: directly,
            ..Sources::default()
        };
        let flow = Flow::analyze(program, &[entry], &marks);
        sources.iter().enumerate().find_map(|(index, &atomic)| {
            let own = program.sites.access(atomic)?.global;
            let reached = |(site, _, access): &(SiteId, _, &Access)| {
                let is_write = match operations.get(site) {
                    Some(operation) => *operation != AtomicOperation::Load,
                    None => access.action == Action::Write,
                };
                let marks = flow.site(*site);
                let stored = flow.stored.get(site).copied().unwrap_or_default();
                let by_control = if access.global == own { Marks::NONE } else { marks.control };
                let all = marks.address | stored | by_control;
                is_write
                    && is_output(program, access.global)
                    && (all & Marks::from_index(index)).has_any()
            };
            let (.., access) =
                program.sites.accesses().filter(reached).min_by_key(|(site, ..)| start(*site))?;
            Some(OrderDependence { atomic, reaches: access.global })
        })
    })
}

/// Returns whether a host can read a variable after the launch.
fn is_output(program: &Program, variable: Handle<GlobalVariable>) -> bool {
    let space = program.module.global_variables[variable].space;
    matches!(space, AddressSpace::Storage { .. } | AddressSpace::Handle)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text of the atomic operation, and the variable that its result reaches.
    fn found(body: &str) -> Option<(String, String)> {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
            @group(0) @binding(1) var<storage, read_write> n: atomic<u32>;
            @group(0) @binding(2) var<storage, read_write> slots: array<atomic<u32>>;
            var<workgroup> local: atomic<u32>;
            var<workgroup> base: u32;
            fn next() -> u32 {{ return atomicAdd(&n, 1u); }}
            @compute @workgroup_size(64)
            fn main(
                @builtin(local_invocation_index) l: u32, @builtin(global_invocation_id) id: vec3<u32>
            ) {{ {body} }}"
        );
        let parsed = crate::front::wgsl::parse("test.wgsl", &text).expect("it parses");
        let program = Program::new(&parsed, &Default::default()).expect("it is valid");
        let OrderDependence { atomic, reaches } = order_dependence(&program, 0, Some([4, 1, 1]))?;
        let span = program.sites.get(atomic).expect("a site").span;
        let name = program.module.global_variables[reaches].name.clone().unwrap_or_default();
        Some((program.source.snippet(span).to_owned(), name))
    }

    #[test]
    fn results_that_reach_memory_are_found() {
        let reaches = |body: &str, variable: &str| {
            let found = found(body);
            assert!(found.as_ref().is_some_and(|(_, name)| name == variable), "{body}: {found:?}");
        };
        assert_eq!(
            found("out[id.x] = atomicAdd(&n, 1u);"),
            Some(("atomicAdd(&n, 1u)".to_owned(), "out".to_owned()))
        );
        reaches("out[atomicAdd(&n, 1u)] = id.x;", "out");
        reaches("let slot = next(); if (slot < 8u) { out[slot] = id.x; }", "out");
        reaches("let old = atomicExchange(&n, id.x); if (old == 0u) { out[0] = 1u; }", "out");
        reaches(
            "if (atomicCompareExchangeWeak(&n, 0u, id.x).exchanged) { out[id.x] = 1u; }",
            "out",
        );
        reaches("let i = atomicAdd(&local, 1u); out[i] = id.x;", "out");
        reaches("let i = atomicSub(&n, 1u); atomicStore(&slots[i], id.x);", "slots");
        // Through workgroup memory.
        reaches(
            "if (l == 0u) { base = atomicAdd(&n, 64u); } workgroupBarrier(); out[base + l] = id.x;",
            "out",
        );
    }

    #[test]
    fn results_that_do_not_depend_on_the_order_or_reach_nothing_are_not() {
        let none = |body: &str| assert_eq!(found(body), None, "{body}");
        none("atomicAdd(&n, 1u); out[id.x] = l;");
        none("let unused = atomicAdd(&n, 1u); out[id.x] = l;");
        none("atomicAdd(&local, 1u); workgroupBarrier(); out[id.x] = atomicLoad(&local);");
        // Each invocation has its own word.
        none("out[id.x] = atomicAdd(&slots[id.x], 1u);");
        // One invocation of each workgroup, and each workgroup has its own memory.
        none("if (l == 0u) { out[id.x] = atomicAdd(&local, 1u); }");
        // The result only decides whether to retry.
        none(
            "loop { let old = atomicLoad(&n); if (atomicCompareExchangeWeak(&n, old, max(old, l)).exchanged) { break; } }",
        );
    }
}

//! The functions that a covered module brings along, written in WGSL.

use super::Layout;
use naga::ResourceBinding;

const RUNTIME: &str = include_str!("runtime.wgsl");
const COUNT: &str = include_str!("count.wgsl");
const HIT: &str = include_str!("hit.wgsl");
/// A loop that is left, where each invocation counts for itself. What adds up a subgroup cannot do so: the counter is
/// not the same for all of it, as invocations have taken different numbers of turns.
const LEFT: &str = include_str!("left.wgsl");
const SUBGROUPS: &str = include_str!("subgroups.wgsl");
const BARRIERS: &str = include_str!("barriers.wgsl");

/// The runtime as WGSL.
pub fn text(prefix: &str, binding: ResourceBinding, layout: Layout) -> String {
    let (count, left) = match (layout.options.hits, layout.options.subgroups) {
        (true, _) => (HIT, LEFT),
        (false, false) => (COUNT, LEFT),
        (false, true) => (SUBGROUPS, ""),
    };
    let barriers = if layout.barriers > 0 { BARRIERS } else { "" };
    let ResourceBinding { group, binding } = binding;
    let text = [RUNTIME, count, left, barriers].concat();
    let text = text.replace("hirace_", &format!("{prefix}_"));
    text.replace("GROUP", &group.to_string())
        .replace("BINDING", &binding.to_string())
        .replace("COUNTERS", &format!("{}u", layout.counters))
        .replace("FIRST_OF_BARRIERS", &format!("{}u", layout.words_of_counters()))
        .replace("BARRIERS", &format!("{}u", layout.barriers))
}

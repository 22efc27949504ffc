//! The functions that a covered module contains, written in WGSL.
//!
//! An invocation counts in its own variables and adds the counts to the buffer when it ends. The variables are not an array,
//! because drivers keep a dynamically indexed array in memory, and some compile its accesses as atomic operations at every point,
//! which takes minutes. For the same reason a loop selects the counter to add; each of its iterations examines the counters of
//! one [`STRETCH`].

use super::Layout;
use naga::ResourceBinding;
use std::fmt::Write;

const RUNTIME: &str = include_str!("runtime.wgsl");
const ADDS: &str = include_str!("adds.wgsl");
const HITS: &str = include_str!("hits.wgsl");
const COUNTER: &str = include_str!("counter.wgsl");
const COUNTER_OF_SUBGROUPS: &str = include_str!("counter_of_subgroups.wgsl");
const SUBGROUPS: &str = include_str!("subgroups.wgsl");
/// The exit from a loop, where each invocation counts by itself, because invocations of a subgroup may have executed different
/// numbers of iterations.
const LEFT: &str = include_str!("left.wgsl");
const BARRIERS: &str = include_str!("barriers.wgsl");

/// Number of counters that one loop adds to the buffer. Its cost is quadratic in this number.
const STRETCH: u32 = 64;

/// Returns the runtime as WGSL. `loops` are the first counters of loop exits.
pub fn text(
    prefix: &str,
    binding: ResourceBinding,
    layout: &Layout,
    loops: impl Iterator<Item = u32>,
) -> String {
    let subgroups = layout.of_subgroups();
    let mut text = [RUNTIME, if layout.options.hits { HITS } else { ADDS }].concat();
    if subgroups {
        text.push_str(SUBGROUPS);
    }
    for counter in 0..layout.counters() {
        let each = if subgroups { COUNTER_OF_SUBGROUPS } else { COUNTER };
        text.push_str(&each.replace("_N", &format!("_{counter}")));
    }
    for first in loops {
        let after = |n| format!("_{}", first + n);
        let left = LEFT.replace("_N", &after(0)).replace("_AND_1", &after(1));
        text.push_str(&left.replace("_AND_2", &after(2)));
    }
    keep(&mut text, layout);
    if layout.barriers > 0 {
        text.push_str(BARRIERS);
    }
    let ResourceBinding { group, binding } = binding;
    let text = text.replace("hirace_", &format!("{prefix}_"));
    text.replace("GROUP", &group.to_string())
        .replace("BINDING", &binding.to_string())
        .replace("FIRST_OF_BARRIERS", &format!("{}u", layout.words_of_counters()))
        .replace("BARRIERS", &format!("{}u", layout.barriers))
}

/// Writes the function that adds the counts of an invocation to the buffer.
fn keep(text: &mut String, layout: &Layout) {
    let counters = layout.counters();
    let kept =
        if layout.of_subgroups() { &[("ran", 0), ("led", counters)][..] } else { &[("ran", 0)] };
    text.push_str("fn hirace_keep() {\n");
    for start in (0..counters).step_by(STRETCH as usize) {
        let end = (start + STRETCH).min(counters);
        let _ = writeln!(text, "    for (var at = {start}u; at < {end}u; at += 1u) {{");
        for (what, first) in kept {
            let _ = writeln!(text, "        var {what} = 0u;");
            for counter in start..end {
                let own = format!("hirace_{what}_{counter}");
                let _ = writeln!(text, "        {what} = select({what}, {own}, at == {counter}u);");
            }
            let _ = writeln!(text, "        hirace_add(2u * ({first}u + at), {what});");
        }
        text.push_str("    }\n");
    }
    text.push_str("}\n");
}

//! The functions of a module that counts its coverage, written in WGSL.
//!
//! An invocation counts in its own variables and adds the counts to the buffer when it ends. The variables are not an array,
//! because drivers keep a dynamically indexed array in memory, and some compile its accesses as atomic operations at every point,
//! which takes minutes. For the same reason a loop selects the counter to add; each of its iterations examines the counters of
//! one [`CHUNK`].

use super::Layout;
use naga::ResourceBinding;
use std::fmt::Write;

const BUFFER: &str = include_str!("buffer.wgsl");
const ADD_COUNT: &str = include_str!("add_count.wgsl");
const RECORD_HIT: &str = include_str!("record_hit.wgsl");
const COUNTER: &str = include_str!("counter.wgsl");
const SUBGROUP_COUNTER: &str = include_str!("subgroup_counter.wgsl");
const SUBGROUP_LEADER: &str = include_str!("subgroup_leader.wgsl");
/// The exit from a loop, where each invocation counts by itself, because invocations of a subgroup may have executed different
/// numbers of iterations.
const LOOP_EXIT: &str = include_str!("loop_exit.wgsl");
const BARRIERS: &str = include_str!("barriers.wgsl");

/// Number of counters that one loop adds to the buffer. Its cost is quadratic in this number.
const CHUNK: u32 = 64;

/// Returns the runtime as WGSL. `loops` are the first counters of loop exits.
pub fn text(
    prefix: &str,
    binding: ResourceBinding,
    layout: &Layout,
    loops: impl Iterator<Item = u32>,
) -> String {
    let subgroups = layout.of_subgroups();
    let mut text = [BUFFER, if layout.options.hits { RECORD_HIT } else { ADD_COUNT }].concat();
    if subgroups {
        text.push_str(SUBGROUP_LEADER);
    }
    for counter in 0..layout.counters() {
        let declarations = if subgroups { SUBGROUP_COUNTER } else { COUNTER };
        text.push_str(&declarations.replace("_N", &format!("_{counter}")));
    }
    for first in loops {
        let suffix = |n| format!("_{}", first + n);
        let exit = LOOP_EXIT.replace("_N", &suffix(0)).replace("_AND_1", &suffix(1));
        text.push_str(&exit.replace("_AND_2", &suffix(2)));
    }
    record_counts(&mut text, layout);
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
fn record_counts(text: &mut String, layout: &Layout) {
    let counters = layout.counters();
    // The kinds of counts, with the first counter in the buffer of each kind.
    let kinds = match layout.of_subgroups() {
        true => &[("invocations", 0), ("subgroups", counters)][..],
        false => &[("invocations", 0)],
    };
    text.push_str("fn hirace_record_counts() {\n");
    for start in (0..counters).step_by(CHUNK as usize) {
        let end = (start + CHUNK).min(counters);
        let _ = writeln!(text, "    for (var at = {start}u; at < {end}u; at += 1u) {{");
        for (kind, first) in kinds {
            let _ = writeln!(text, "        var {kind} = 0u;");
            for counter in start..end {
                let own = format!("hirace_{kind}_{counter}");
                let _ = writeln!(text, "        {kind} = select({kind}, {own}, at == {counter}u);");
            }
            let _ = writeln!(text, "        hirace_add_count(2u * ({first}u + at), {kind});");
        }
        text.push_str("    }\n");
    }
    text.push_str("}\n");
}

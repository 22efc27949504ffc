//! Chooses the shadow of a launch: the width of its words, the number of bindings, and whether workgroups share shadow memory.
//!
//! Workgroups share *slots* of the shadow of workgroup memory if there is no room for one slot each. A workgroup takes a slot
//! when it begins, and frees it when all its invocations have ended. A kernel may return from anywhere, so its entry point
//! becomes a function that a new entry point calls. The workgroup that takes a slot clears it, and a barrier after that orders
//! the clearing. In phase 2 the host assigns slots to the workgroups that it asks about, and the others get none.

use super::fields::{Fields, Width};
use super::layout::{Layout, Limits};
use super::plan::{Options, Plan, WatchedMemory};
use crate::ir::memory::{Shape, Space};
use crate::program::Program;
use crate::watch::WatchPlan;

/// Returns `options` adapted to a launch of this shape. Words are wide if `options` requests that or if the invocation ids do not
/// fit in narrow words, provided that the device supports them. Workgroups share shadow slots for their workgroup memory if there
/// is not enough room for one each.
pub fn fit(
    options: Options,
    program: &Program,
    watch: &WatchPlan,
    shape: Shape,
    bytes: impl Fn(&WatchedMemory) -> u64,
    limits: Limits,
) -> Options {
    let plan = Plan::new(program, watch, &Options { width: Width::Narrow, ..options.clone() });
    let for_table = u32::from(plan.table_binding.is_some());
    let free = limits.bindings.saturating_sub(for_table).max(1);
    let needs_wide = plan.dispatch.is_some_and(|needs| {
        options.width == Width::Wide || Fields::new(shape, needs, Width::Narrow, 0).is_none()
    });
    let width = match needs_wide && limits.wide && free >= 2 {
        true => Width::Wide,
        false => Width::Narrow,
    };
    let spread = |shared_slots| {
        let options = Options { width, bindings: 1, shared_slots, ..options.clone() };
        let plan = Plan::new(program, watch, &options);
        // Computes the size as if a binding were unlimited.
        let endless = Limits { binding_words: u32::MAX - 1, ..limits };
        let layout = Layout::new(&plan, shape, &bytes, endless);
        let (_, first) = plan.spread();
        let words = layout.buffers.last().copied().unwrap_or(0);
        let bindings = first as u32 + words.div_ceil(limits.binding_words.max(1));
        Options { bindings: bindings.min(free), ..options }
    };
    let options = spread(shape.workgroups > limits.slots);
    if !plan.has_slots() || options.shared_slots {
        return options;
    }
    let plan = Plan::new(program, watch, &options);
    let layout = Layout::new(&plan, shape, &bytes, limits);
    let is_left_out = |w: &WatchedMemory| layout.unwatched.iter().any(|left| left.name == w.name);
    match plan.watched.iter().any(|w| w.space == Space::Workgroup && is_left_out(w)) {
        true => spread(true),
        false => options,
    }
}

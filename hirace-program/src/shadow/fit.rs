//! Which shadow a launch needs: how long its words are, how many bindings they take, and whether workgroups
//! share it.

use super::fields::{Fields, Width};
use super::layout::{Layout, Limits};
use super::plan::{Options, Plan, Watched};
use crate::ir::memory::{Shape, Space};
use crate::program::Program;
use crate::watch::WatchPlan;

/// `options`, fitted to a launch of this shape. Words are wide if that is what `options` asks for, or
/// if the ids of so many invocations do not fit others; and if the device can. Workgroups share shadows of
/// their memory that not each can have.
pub fn fit(
    options: Options,
    program: &Program,
    watch: &WatchPlan,
    shape: Shape,
    bytes: impl Fn(&Watched) -> u64,
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
        // As if a binding had no end.
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
    let is_left_out = |w: &Watched| layout.unwatched.iter().any(|left| left.name == w.name);
    match plan.watched.iter().any(|w| w.space == Space::Workgroup && is_left_out(w)) {
        true => spread(true),
        false => options,
    }
}

//! Drops idle loops: they contain nothing to show, compute nothing that is needed elsewhere, and are known to
//! terminate.

use super::SliceRequest;
use super::nest::{Kind, Nest};
use crate::vm::code::{Code, Instruction};
use std::collections::BTreeMap;
use std::ops::Range;

/// Minimum number of instructions of a loop iteration: those at its end. Where a device limits iterations,
/// each counts as this many steps.
pub const MIN_STEPS_PER_ITERATION: u64 = 2;

/// Removes idle loops from `kept`. `passed` maps the start of each removed loop to its maximum number of
/// steps.
pub fn drop_loops(
    code: &Code,
    nest: &Nest,
    request: &SliceRequest<'_>,
    kept: &mut [bool],
    passed: &mut BTreeMap<usize, u32>,
) {
    // Inner loops come first.
    for block in nest.blocks.iter().rev() {
        let Instruction::Loop { site, .. } = code.instructions[block.start] else { continue };
        if !matches!(block.kind, Kind::Loop(_))
            || !kept[block.start]
            || passed.contains_key(&block.start)
        {
            continue;
        }
        let Some(iterations) = (request.max_iterations)(site) else { continue };
        let idle = IdleLoops { code, nest, request, kept, passed };
        let Some((within, parts)) = idle.steps(block.range(), true) else { continue };
        let steps = iterations.saturating_mul(within.saturating_add(MIN_STEPS_PER_ITERATION));
        let is_short = steps <= request.max_skipped_steps;
        let Some(steps) = u32::try_from(steps).ok().filter(|_| is_short) else { continue };
        if idle.is_needed_elsewhere(block.range(), &parts) {
            continue;
        }
        kept[block.range()].fill(false);
        if steps > 0 {
            kept[block.start] = true;
            passed.insert(block.start, steps);
        }
    }
}

struct IdleLoops<'a> {
    code: &'a Code,
    nest: &'a Nest,
    request: &'a SliceRequest<'a>,
    kept: &'a [bool],
    passed: &'a BTreeMap<usize, u32>,
}

impl IdleLoops<'_> {
    /// Returns the number of steps of the loops that were dropped among these instructions, and the ranges of
    /// all functions that are called; `None` if something is to be shown there.
    fn steps(&self, range: Range<usize>, is_loop: bool) -> Option<(u64, Vec<Range<usize>>)> {
        let (start, mut parts) = (range.start, vec![range.clone()]);
        let mut sum = 0_u64;
        for at in range.filter(|at| self.kept[*at]) {
            let instruction = self.code.instructions[at];
            match instruction {
                Instruction::Loop { .. } if is_loop && at == start => {}
                Instruction::Loop { .. } => {
                    sum = sum.saturating_add(u64::from(*self.passed.get(&at)?));
                }
                Instruction::Call { function, .. } => {
                    let function = self.nest.function(function as usize)?;
                    let (steps, called) = self.steps(self.nest.blocks[function].range(), false)?;
                    sum = sum.saturating_add(steps);
                    parts.extend(called);
                }
                Instruction::Return { .. } if is_loop => return None,
                Instruction::Barrier { .. } => return None,
                _ if self.request.shows(self.code, instruction) => return None,
                _ if self.request.checks(self.code, instruction) => return None,
                _ => {}
            }
        }
        Some((sum, parts))
    }

    /// Returns whether `parts` compute something that is needed without the loop.
    fn is_needed_elsewhere(&self, of_loop: Range<usize>, parts: &[Range<usize>]) -> bool {
        let mut without = self.kept.to_vec();
        without[of_loop].fill(false);
        let needed = self.request.needed(self.code, &without);
        let mut computed = parts.iter().flat_map(Clone::clone).filter(|at| self.kept[*at]);
        computed.any(|at| self.request.operands[at].write_any(&needed))
    }
}

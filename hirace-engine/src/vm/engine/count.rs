//! Counts executions for coverage.

use super::fragment::{Fragment, all_lanes, lanes_where};
use super::{Context, VisibleOperations};
use crate::vm::code::{CountingEvent, Range};

impl<V> Context<'_, '_, V> {
    /// Counts the active lanes as this entry of the code states. Takes no step.
    #[inline(never)]
    pub(super) fn count_lanes<const N: usize>(
        &mut self,
        f: &mut Fragment<N>,
        index: u32,
        left: &mut u64,
    ) where
        Self: VisibleOperations<N>,
    {
        *left += 1;
        match self.setup.code.counting[index as usize] {
            CountingEvent::Reached(counter) => self.count(counter, f.mask),
            CountingEvent::Either { condition, yes, no } => {
                let (any, all) = holds(f, condition);
                for (counter, lanes) in [(yes, any), (no, !all)] {
                    let lanes = f.mask & lanes;
                    if let Some(counter) = counter
                        && lanes != 0
                    {
                        self.count(counter, lanes);
                    }
                }
            }
            CountingEvent::Iteration { iterations } => {
                let mask = f.mask;
                let register = &mut f.registers[iterations as usize];
                for (lane, iterations) in register.iter_mut().enumerate() {
                    let more = mask >> lane & 1;
                    *iterations = (*iterations + more as u32).min(2);
                }
            }
            CountingEvent::LoopExit { iterations, first } => {
                let mut after = [0; 3];
                for (lane, iterations) in f.registers[iterations as usize].iter().enumerate() {
                    after[(*iterations).min(2) as usize] |= 1 << lane;
                }
                for (iterations, lanes) in (0..).zip(after) {
                    if f.mask & lanes != 0 {
                        self.count(first.plus(iterations), f.mask & lanes);
                    }
                }
            }
            CountingEvent::Visit { barrier } => self.visit(f, barrier),
        }
    }
}

/// Returns the lanes in which any component of a condition is true, and those in which all are.
fn holds<const N: usize>(f: &Fragment<N>, condition: Range) -> (u64, u64) {
    let (mut any, mut all) = (0, all_lanes::<N>());
    for register in &f.registers[condition.indices()] {
        let lanes = lanes_where(register);
        any |= lanes;
        all &= lanes;
    }
    (any, all)
}

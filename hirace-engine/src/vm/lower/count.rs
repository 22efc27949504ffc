//! Inserts the counting instructions of coverage, at the same points as the coverage pass.

use super::function::Body;
use crate::diagnostic::Result;
use crate::ir::body::{ArmId, Entry};
use crate::ir::walk::StatementId;
use crate::points::{Counter, Points};
use crate::vm::code::{CountingEvent, Instruction, Range, Register};
use naga::{Expression, Handle};

impl Body<'_, '_> {
    fn notes(&mut self, counting: CountingEvent) {
        self.lowering.code.counting.push(counting);
        let index = self.lowering.code.counting.len() as u32 - 1;
        self.push(Instruction::Count { index });
    }

    /// Returns the register that counts the iterations of a loop.
    fn iterations(&mut self, of: usize) -> Register {
        if let Some(&register) = self.iterations.get(&of) {
            return register;
        }
        let register = self.lowering.allocate(1).start;
        self.iterations.insert(of, register);
        register
    }

    /// Inserts the counters before a statement.
    pub(super) fn count_before(&mut self, at: StatementId, returns: bool) {
        let Some(points) = self.lowering.points else { return };
        let at = (self.id, at);
        if let Some(counter) = points.begins(at) {
            self.notes(CountingEvent::Reached(counter));
        }
        if let Some(of) = points.region(at) {
            let (start, from) = (self.iterations(of), self.lowering.constant(vec![0]));
            self.push(Instruction::Assign { to: Range { start, count: 1 }, from });
        }
        if let Some(barrier) = points.barrier(at) {
            self.notes(CountingEvent::Visit { barrier: barrier as u32 });
        }
        if returns {
            for of in points.enclosing_loops(self.lowering.program, at) {
                self.count_left(points, of);
            }
        }
    }

    /// Inserts the counters after a statement and everything it contains.
    pub(super) fn count_after(&mut self, at: StatementId) {
        let Some(points) = self.lowering.points else { return };
        if let Some(of) = points.region((self.id, at)) {
            self.count_left(points, of);
        }
    }

    fn count_left(&mut self, points: &Points, of: usize) {
        let iterations = self.iterations(of);
        self.notes(CountingEvent::LoopExit { iterations, first: points.loops[of].counters });
    }

    /// Inserts the counters at the start of one of a statement's blocks.
    pub(super) fn count_block(&mut self, at: StatementId, block: usize) {
        let Some(points) = self.lowering.points else { return };
        if let Some(arm) = self.lowering.program.body(self.id).arm_at(at, block) {
            self.notes(CountingEvent::Reached(points.arm(arm)));
            self.count_iteration(points, arm);
        }
    }

    fn count_iteration(&mut self, points: &Points, arm: ArmId) {
        if let Some(of) = points.iteration(arm) {
            let iterations = self.iterations(of);
            self.notes(CountingEvent::Iteration { iterations });
        }
    }

    /// Inserts the counters for the lanes that leave a loop by an `if` with a block that does nothing else.
    /// Such a block is not lowered; `condition` selects the lanes.
    pub(super) fn count_exit(
        &mut self,
        at: StatementId,
        leaving: usize,
        condition: Register,
        only: Option<StatementId>,
    ) {
        let Some(points) = self.lowering.points else { return };
        let arm = self.lowering.program.body(self.id).arm_at(at, leaving);
        let arm = arm.map(|arm| points.arm(arm));
        let run = only.and_then(|only| points.begins((self.id, only)));
        for counter in [arm, run].into_iter().flatten() {
            let condition = Range { start: condition, count: 1 };
            let sides: [Option<Counter>; 2] = match leaving {
                0 => [Some(counter), None],
                _ => [None, Some(counter)],
            };
            let [yes, no] = sides;
            self.notes(CountingEvent::Either { condition, yes, no });
        }
    }

    /// Inserts the counters for the arms that a value selects: before an operator is computed, or at the end
    /// of a loop iteration.
    pub(super) fn count_decided(
        &mut self,
        at: StatementId,
        operator: Option<Handle<Expression>>,
    ) -> Result<()> {
        let Some(points) = self.lowering.points else { return Ok(()) };
        let bodies = &self.lowering.program.bodies;
        let mut found = Vec::new();
        for &branch in self.lowering.program.body(self.id).decided_by_values(at) {
            for (id, arm) in bodies.arms_of(bodies.branch(branch)) {
                found.extend(arm.entries.iter().find_map(|entry| match *entry {
                    Entry::Value { operator: of, value, holds, .. } if of == operator => {
                        Some((value, holds, points.arm(id)))
                    }
                    _ => None,
                }));
            }
        }
        for (value, holds, counter) in found {
            let condition = self.range(value)?;
            let (yes, no) = match holds {
                true => (Some(counter), None),
                false => (None, Some(counter)),
            };
            self.notes(CountingEvent::Either { condition, yes, no });
        }
        Ok(())
    }
}

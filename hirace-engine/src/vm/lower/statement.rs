//! Lowers statements: control flow, calls, barriers.

use super::function::Body;
use super::image::Texel;
use super::types;
use crate::diagnostic::Result;
use crate::ir::sites::SiteId;
use crate::ir::walk::{NumberedStatement, Statements};
use crate::source_map::Span;
use crate::vm::code::{
    Barrier, Fence, Instruction, Range, SubgroupOperation, SubgroupStep, SwitchTable,
};
use naga::{Block, Expression, GatherMode, Handle, Statement, SwitchCase, SwitchValue};

impl Body<'_, '_> {
    /// Lowers a block and frees its registers afterwards.
    pub(super) fn lower_block(&mut self, block: Statements<'_>) -> Result<()> {
        let outer = std::mem::take(&mut self.block);
        self.lower_open(block)?;
        let inner = std::mem::replace(&mut self.block, outer);
        self.release(inner);
        Ok(())
    }

    /// Lowers a block as part of the current one, so that its values stay available.
    fn lower_open(&mut self, block: Statements<'_>) -> Result<()> {
        for at in block.iter() {
            self.statement(at)?;
        }
        Ok(())
    }

    fn statement(&mut self, at: NumberedStatement<'_>) -> Result<()> {
        let span = Span::from(at.span);
        let sites = &self.lowering.program.sites;
        let barrier = sites.barrier(self.id, at.id);
        let site = sites.statement(self.id, at.id);
        if let Some(place) = barrier.or(site) {
            self.lowering.place = place;
        }
        let (barrier, site) = (barrier.unwrap_or(SiteId::NONE), site.unwrap_or(SiteId::NONE));
        self.count_before(at.id, matches!(at.statement, Statement::Return { .. }));
        match *at.statement {
            Statement::Emit(ref range) => self.lower_emit(at.id, range.clone())?,
            Statement::Block(_) => {
                at.blocks().into_iter().try_for_each(|block| self.lower_block(block))?;
            }
            Statement::If { condition, ref accept, ref reject }
                if self.in_loop_body && is_exit(accept, reject) =>
            {
                let condition = self.value(condition)?;
                let holds = reject.is_empty();
                let leaving = usize::from(!holds);
                let inner = at.blocks().get(leaving).and_then(|block| block.iter().next());
                self.count_exit(at.id, leaving, condition, inner.map(|inner| inner.id));
                self.push(Instruction::BreakIf { condition, holds });
                self.count_block(at.id, 1 - leaving);
            }
            Statement::If { condition, .. } => self.lower_if(condition, at)?,
            Statement::Switch { selector, ref cases } => self.lower_switch(selector, cases, at)?,
            Statement::Loop { break_if, .. } => self.lower_loop(at, break_if, site)?,
            Statement::Break => {
                self.push(Instruction::Break);
            }
            Statement::Continue => {
                self.push(Instruction::Continue);
            }
            Statement::Return { value } => {
                if let Some(value) = value {
                    let from = self.value(value)?;
                    self.push(Instruction::Assign { to: self.result, from });
                }
                self.push(Instruction::Return { site });
            }
            Statement::ControlBarrier(flags) => self.barrier(flags, barrier),
            Statement::MemoryBarrier(memory) => self.fence(memory, site),
            Statement::Store { pointer, value } => self.store(pointer, value, site, span)?,
            Statement::Atomic { pointer, fun, value, result } => {
                self.atomic(pointer, fun, value, result, site, span)?;
            }
            Statement::ImageStore { image, coordinate, array_index, value } => {
                let texel = Texel { image, coordinate, layer: array_index };
                self.image_store(texel, value, site)?;
            }
            Statement::ImageAtomic { image, coordinate, array_index, fun, value } => {
                let texel = Texel { image, coordinate, layer: array_index };
                self.image_atomic(texel, fun, value, site)?;
            }
            Statement::WorkGroupUniformLoad { pointer, result } => {
                self.barrier(naga::Barrier::WORK_GROUP, barrier);
                let range = self.load(pointer, site, span, false)?;
                self.barrier(naga::Barrier::WORK_GROUP, barrier);
                self.values[result.index()] = Some(range.start);
            }
            Statement::Call { function, ref arguments, result } => {
                self.call(function, arguments, result, span)?;
            }
            Statement::SubgroupBallot { result, predicate } => {
                self.subgroup(SubgroupOperation::Ballot, predicate, result)?;
            }
            Statement::SubgroupGather { mode, argument, result } => {
                let index = match mode {
                    GatherMode::Broadcast(index)
                    | GatherMode::Shuffle(index)
                    | GatherMode::ShuffleDown(index)
                    | GatherMode::ShuffleUp(index)
                    | GatherMode::ShuffleXor(index)
                    | GatherMode::QuadBroadcast(index) => Some(self.value(index)?),
                    GatherMode::BroadcastFirst | GatherMode::QuadSwap(_) => None,
                };
                self.subgroup(SubgroupOperation::Gather(mode, index), Some(argument), result)?;
            }
            Statement::SubgroupCollectiveOperation { op, collective_op, argument, result } => {
                let (scalar, _) = self.scalar(argument)?;
                let operation = SubgroupOperation::Collective(op, collective_op, scalar);
                self.subgroup(operation, Some(argument), result)?;
            }
            _ => return Err(self.unsupported_error(span, "a statement of this kind")),
        }
        self.count_after(at.id);
        Ok(())
    }

    fn subgroup(
        &mut self,
        operation: SubgroupOperation,
        argument: Option<Handle<Expression>>,
        result: Handle<Expression>,
    ) -> Result<()> {
        let operand = match argument {
            Some(argument) => self.range(argument)?,
            None => Range::NONE,
        };
        let out = self.temporary(self.inner(result), self.span(result))?;
        self.values[result.index()] = Some(out.start);
        self.lowering.code.subgroup_steps.push(SubgroupStep { operation, out, operand });
        let index = self.lowering.code.subgroup_steps.len() as u32 - 1;
        self.push(Instruction::Subgroup { index });
        Ok(())
    }

    fn fence(&mut self, memory: naga::Barrier, site: SiteId) {
        self.lowering.code.fences.push(Fence { memory, site });
        let index = self.lowering.code.fences.len() as u32 - 1;
        self.push(Instruction::Fence { index });
    }

    fn barrier(&mut self, flags: naga::Barrier, site: SiteId) {
        let known = self.lowering.program.sites.barrier_at(site);
        self.lowering.code.barriers.push(Barrier { does: known.unwrap_or(flags.into()), site });
        let index = self.lowering.code.barriers.len() as u32 - 1;
        self.push(Instruction::Barrier { index });
    }

    fn lower_if(&mut self, condition: Handle<Expression>, at: NumberedStatement<'_>) -> Result<()> {
        let [accept, reject] = at.blocks()[..] else { return Ok(()) };
        let condition = self.value(condition)?;
        let place = self.lowering.place;
        let start = self.push(Instruction::If { condition, otherwise: 0 });
        let nested = std::mem::replace(&mut self.in_loop_body, false);
        self.count_block(at.id, 0);
        self.lower_block(accept)?;
        self.lowering.place = place;
        let middle = self.push(Instruction::Else { end: 0 });
        self.count_block(at.id, 1);
        self.lower_block(reject)?;
        self.in_loop_body = nested;
        self.lowering.place = place;
        let end = self.push(Instruction::EndIf);
        let code = &mut self.lowering.code.instructions;
        code[start as usize] = Instruction::If { condition, otherwise: middle };
        code[middle as usize] = Instruction::Else { end };
        Ok(())
    }

    fn lower_loop(
        &mut self,
        at: NumberedStatement<'_>,
        break_if: Option<Handle<Expression>>,
        site: SiteId,
    ) -> Result<()> {
        let [body, continuing] = at.blocks()[..] else { return Ok(()) };
        let place = self.lowering.place;
        let enter = self.push(Instruction::Loop { continuing: 0, site });
        let start = self.lowering.next_pc();
        // The continuing block uses values that the body computed.
        let outer = std::mem::take(&mut self.block);
        let nested = std::mem::replace(&mut self.in_loop_body, true);
        self.count_block(at.id, 0);
        self.lower_open(body)?;
        self.in_loop_body = nested;
        self.lowering.place = place;
        let middle = self.push(Instruction::Continuing { back: 0 });
        self.lower_open(continuing)?;
        self.lowering.place = place;
        if let Some(condition) = break_if {
            self.count_decided(at.id, None)?;
            let condition = self.value(condition)?;
            self.push(Instruction::BreakIf { condition, holds: true });
        }
        let back = self.push(Instruction::Back { start });
        let inner = std::mem::replace(&mut self.block, outer);
        self.release(inner);
        let code = &mut self.lowering.code.instructions;
        code[enter as usize] = Instruction::Loop { continuing: middle, site };
        code[middle as usize] = Instruction::Continuing { back };
        Ok(())
    }

    fn lower_switch(
        &mut self,
        selector: Handle<Expression>,
        cases: &[SwitchCase],
        at: NumberedStatement<'_>,
    ) -> Result<()> {
        let selector = self.value(selector)?;
        let place = self.lowering.place;
        let chosen = self.temporaries(1).start;
        let mut table = SwitchTable { default: u32::MAX, ..SwitchTable::default() };
        let start = self.push(Instruction::EndSwitch);
        let mut pending: Option<u32> = None;
        let mut falls = false;
        let nested = std::mem::replace(&mut self.in_loop_body, false);
        for ((index, case), body) in (0..).zip(cases).zip(at.blocks()) {
            match case.value {
                SwitchValue::I32(value) => table.values.push((value as u32, index)),
                SwitchValue::U32(value) => table.values.push((value, index)),
                SwitchValue::Default => table.default = index,
            }
            self.lowering.place = place;
            let pc = self.push(Instruction::Case { chosen, index, falls, next: 0 });
            self.link_case(pending.replace(pc), pc);
            self.count_block(at.id, index as usize);
            self.lower_block(body)?;
            falls = case.fall_through;
        }
        self.in_loop_body = nested;
        self.lowering.place = place;
        let end = self.push(Instruction::EndSwitch);
        self.link_case(pending, end);
        self.lowering.code.switches.push(table);
        let table = self.lowering.code.switches.len() as u32 - 1;
        self.lowering.code.instructions[start as usize] =
            Instruction::Switch { selector, chosen, table, first: start + 1 };
        Ok(())
    }

    /// Sets the link from the case at `from` to the start of the next one.
    fn link_case(&mut self, from: Option<u32>, to: u32) {
        let Some(from) = from else { return };
        if let Instruction::Case { next, .. } = &mut self.lowering.code.instructions[from as usize]
        {
            *next = to;
        }
    }

    fn call(
        &mut self,
        function: Handle<naga::Function>,
        arguments: &[Handle<Expression>],
        result: Option<Handle<Expression>>,
        span: Span,
    ) -> Result<()> {
        let Some(helper) = self.lowering.helpers.get(&function) else {
            return Err(self.unsupported_error(span, "a call of a function that is declared later"));
        };
        let (start, end, to, from) =
            (helper.start, helper.end, helper.arguments.clone(), helper.result);
        for (to, argument) in to.into_iter().zip(arguments) {
            let from = self.value(*argument)?;
            self.push(Instruction::Copy { to, from });
        }
        self.push(Instruction::Call { function: start, end });
        if let Some(result) = result {
            let module = &self.lowering.program.module;
            let count = types::registers(module, self.inner(result)).unwrap_or(from.count);
            let to = self.temporaries(count);
            self.push(Instruction::Copy {
                to: Range { count: to.count.min(from.count), ..to },
                from: from.start,
            });
            self.values[result.index()] = Some(to.start);
        }
        Ok(())
    }
}

/// Returns whether an `if` only leaves the loop, in one of its blocks.
fn is_exit(accept: &Block, reject: &Block) -> bool {
    let leaves = |block: &Block| matches!(block[..], [Statement::Break]);
    (leaves(accept) && reject.is_empty()) || (accept.is_empty() && leaves(reject))
}

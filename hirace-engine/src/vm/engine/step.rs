//! The interpreter loop, and control flow.
//!
//! Code that rarely runs is in functions of its own. When it was inlined, its registers made the loop 5 %
//! slower.

use super::fragment::{
    Fragment, Frame, FrameKind, Repetition, SNAPSHOT_ROUNDS, all_lanes, lanes, lanes_where,
};
use super::{Atomic, Context, INVALID_ADDRESS, Load, Pause, Store, VisibleOperations};
use crate::ir::sites::SiteId;
use crate::vm::alu;
use crate::vm::code::{Check, Code, Instruction, Pc, Range, Register};
use crate::vm::run::Invocation;

/// Number of repetitions of a loop after which the waiting lanes of its fragment are split off.
const MAX_REPETITIONS: u32 = 4096;

/// Number of repetitions of a loop between two checks of whether its state changes.
const SNAPSHOT_EVERY: u32 = 4096;

/// A fragment is compared with a snapshot in about one of this many repetitions.
const COMPARED_SHARE: u32 = 32;

/// The interpreter loop, compiled for several sets of processor features, so that loops over lanes use the
/// available vector extensions.
#[cfg_attr(
    vectors,
    multiversion::multiversion(targets(
        "x86_64+avx+avx2+bmi1+bmi2+lzcnt+popcnt+sse3+ssse3+sse4.1+sse4.2"
    ))
)]
fn steps<'m, 'a, V, const N: usize>(
    context: &mut Context<'m, 'a, V>,
    fragment: &mut Fragment<N>,
    left: &mut u64,
) -> Pause
where
    Context<'m, 'a, V>: VisibleOperations<N>,
{
    context.steps(fragment, left)
}

impl<V> Context<'_, '_, V> {
    /// Runs a fragment for at most `fuel` instructions.
    pub fn run<const N: usize>(&mut self, fragment: &mut Fragment<N>, fuel: u64) -> Pause
    where
        Self: VisibleOperations<N>,
    {
        let mut left = fuel;
        let pause = steps(self, fragment, &mut left);
        fragment.steps += fuel - left;
        self.tally.steps += fuel - left;
        pause
    }

    #[inline(always)]
    fn steps<const N: usize>(&mut self, f: &mut Fragment<N>, fuel: &mut u64) -> Pause
    where
        Self: VisibleOperations<N>,
    {
        let code = self.setup.code;
        loop {
            if *fuel == 0 {
                return Pause::Fuel;
            }
            *fuel -= 1;
            let instruction = &code.instructions[f.pc as usize];
            f.pc += 1;
            // Matched by reference, so that each arm reads only the fields that it uses.
            match *instruction {
                Instruction::Copy { to, from } => {
                    let from = from as usize..(from + to.count) as usize;
                    f.registers.copy_within(from, to.start as usize);
                }
                Instruction::Assign { to, from } => f.assign(to.start, from, to.count),
                Instruction::Clear { to } => f.registers[to.indices()].fill([0; N]),
                Instruction::Binary { op, scalar, out, left, right } => {
                    alu::binary(&mut f.registers, op, scalar, out, left, right);
                    then_assign_or_break(f, code, fuel);
                }
                Instruction::Unary { op, scalar, out, operand } => {
                    alu::unary(&mut f.registers, op, scalar, out, operand);
                }
                Instruction::Compute { index } => {
                    alu::compute(&mut f.registers, &code.computations[index as usize]);
                }
                Instruction::Subgroup { index } => {
                    if let Some(pause) = self.subgroup(f, index) {
                        return pause;
                    }
                }
                Instruction::Image { index } => {
                    if let Some(pause) = self.image(f, index) {
                        return pause;
                    }
                }
                Instruction::Length { to, length } => {
                    f.registers[to as usize] = [self.setup.lengths[length as usize]; N];
                }
                Instruction::Address { to, index, stride, offset, check } => {
                    let index = self.checked(f, index, check);
                    let to = &mut f.registers[to as usize];
                    for (to, index) in to.iter_mut().zip(index.0) {
                        *to = index.wrapping_mul(stride).wrapping_add(offset);
                    }
                    invalidate_addresses(to, index.1);
                    if let Some(pause) = self.run_following_load(f, fuel) {
                        return pause;
                    }
                }
                Instruction::AddressFrom { to, base, index, stride, check } => {
                    let index = self.checked(f, index, check);
                    let base = f.registers[base as usize];
                    let to = &mut f.registers[to as usize];
                    for ((to, index), base) in to.iter_mut().zip(index.0).zip(base) {
                        let address = index.wrapping_mul(stride).wrapping_add(base);
                        *to = if base == INVALID_ADDRESS { INVALID_ADDRESS } else { address };
                    }
                    invalidate_addresses(to, index.1);
                    if let Some(pause) = self.run_following_load(f, fuel) {
                        return pause;
                    }
                }
                Instruction::Offset { to, base, offset } => {
                    let base = f.registers[base as usize];
                    for (to, base) in f.registers[to as usize].iter_mut().zip(base) {
                        *to = base.saturating_add(offset);
                    }
                }
                Instruction::Gather { to, address } => gather(f, to, address),
                Instruction::Scatter { address, from } => scatter(f, address, from),
                Instruction::Load { to, address, access } => {
                    if let Some(pause) = self.load(f, Load { to, address, access }) {
                        return pause;
                    }
                }
                Instruction::Store { address, from, access } => {
                    if let Some(pause) = self.store(f, Store { address, from, access }) {
                        return pause;
                    }
                }
                Instruction::Atomic { to, address, operation } => {
                    if let Some(pause) = self.atomic(f, Atomic { to, address, operation }) {
                        return pause;
                    }
                }
                Instruction::Call { function, end } => {
                    f.frames.push(Frame {
                        kind: FrameKind::Call,
                        resume: end,
                        aux: f.pc,
                        site: SiteId::NONE,
                        pending: 0,
                        done: 0,
                    });
                    f.pc = function;
                }
                Instruction::Return { site } => self.return_lanes(f, site),
                Instruction::FunctionEnd => {
                    if f.frames.len() <= 1 {
                        self.finish(f, None);
                        return Pause::Done;
                    }
                    if let Some(frame) = f.frames.pop() {
                        f.mask |= frame.done;
                        f.pc = frame.aux;
                    }
                    if f.mask == 0 {
                        f.resume_waiting_lanes();
                    }
                }
                Instruction::Barrier { index } => return Pause::Barrier(index),
                Instruction::Fence { index } => {
                    if let Some(pause) = self.pass_fence(f, index, fuel) {
                        return pause;
                    }
                }
                Instruction::Claim { index } => self.claim(f, index, fuel),
                Instruction::Count { index } => self.count_lanes(f, index, fuel),
                Instruction::Pass { steps } => {
                    f.steps += u64::from(steps);
                    // Makes the steps visible to the code that limits them.
                    return Pause::Fuel;
                }
                Instruction::Back { start } => {
                    if let Some(pause) = self.repeat_loop(f, start) {
                        return pause;
                    }
                }
                Instruction::BreakIf { condition, holds } => break_if(f, condition, holds),
                _ => control(f, code, *instruction),
            }
        }
    }

    /// Runs the next instruction directly if it is the one that most often follows an address computation.
    /// The dispatch of instructions dominates an interpreter's time, and a well-predicted branch costs
    /// nothing.
    #[inline(always)]
    fn run_following_load<const N: usize>(
        &mut self,
        f: &mut Fragment<N>,
        fuel: &mut u64,
    ) -> Option<Pause>
    where
        Self: VisibleOperations<N>,
    {
        let next = self.setup.code.instructions[f.pc as usize];
        let Instruction::Load { to, address, access } = next else { return None };
        *fuel = fuel.checked_sub(1)?;
        f.pc += 1;
        self.load(f, Load { to, address, access })
    }

    /// Executes a fence, which takes no step.
    #[cold]
    #[inline(never)]
    fn pass_fence<const N: usize>(
        &mut self,
        f: &mut Fragment<N>,
        index: u32,
        left: &mut u64,
    ) -> Option<Pause>
    where
        Self: VisibleOperations<N>,
    {
        *left += 1;
        self.fence(f, index)
    }

    /// Ends a loop iteration.
    fn repeat_loop<const N: usize>(&mut self, f: &mut Fragment<N>, start: Pc) -> Option<Pause> {
        let frame = f.frames.last_mut()?;
        if f.mask == 0 {
            f.mask = frame.done;
            f.frames.pop();
            if f.mask == 0 {
                f.resume_waiting_lanes();
            }
            return None;
        }
        frame.resume = frame.aux;
        f.pc = start;
        if N == 1 {
            f.count_trip();
        }
        if f.mask != f.lanes {
            f.starving_rounds += 1;
            return (f.starving_rounds >= MAX_REPETITIONS).then_some(Pause::Starving);
        }
        f.rounds = f.rounds.wrapping_add(1);
        if f.rounds.is_multiple_of(SNAPSHOT_EVERY) || f.snapshot.is_some() {
            return self.is_spinning(f).then_some(Pause::Spinning);
        }
        None
    }

    /// Returns whether the fragment is in the same state as some iterations ago, so that it repeats until
    /// memory changes. States that recur after many iterations are found after proportionally many.
    #[cold]
    fn is_spinning<const N: usize>(&mut self, f: &mut Fragment<N>) -> bool {
        let changes = self.tally.changes;
        let Some(mut snapshot) = f.snapshot.take() else {
            f.take_snapshot(changes, SNAPSHOT_ROUNDS.max(f.rounds / COMPARED_SHARE));
            return false;
        };
        if snapshot.changes != changes || snapshot.remaining == 0 {
            return false;
        }
        let same = f.repeats(&snapshot, self.setup.code, &self.setup.loop_registers);
        snapshot.remaining -= 1;
        let with_others = snapshot.passed_barrier;
        if same {
            f.repetition = Some(Repetition { changes, with_others });
        }
        // While others have to be found to repeat what they do, this fragment is compared on.
        f.snapshot = Some(snapshot).filter(|_| !same || with_others);
        same
    }

    /// Makes the lanes in `f.mask` return from their function.
    fn return_lanes<const N: usize>(&mut self, f: &mut Fragment<N>, site: SiteId) {
        let mask = f.mask;
        let call = f.frames.iter_mut().skip(1).rev().find(|f| f.kind == FrameKind::Call);
        match call {
            Some(frame) => frame.done |= mask,
            None => self.finish(f, Some(site)),
        }
        f.mask = 0;
        f.resume_waiting_lanes();
    }

    /// Ends the active lanes at the end of the entry point.
    fn finish<const N: usize>(&mut self, f: &mut Fragment<N>, site: Option<SiteId>) {
        for lane in lanes(f.mask) {
            if let Some(returned) = self.returned_lanes.get_mut(f.first as usize + lane) {
                *returned = site;
            }
        }
        f.lanes &= !f.mask;
    }

    /// Returns the value of an index, clamped if it is out of bounds, and the lanes for which no valid index
    /// exists.
    #[inline(always)]
    fn checked<const N: usize>(
        &mut self,
        f: &Fragment<N>,
        index: Register,
        check: u32,
    ) -> ([u32; N], u64) {
        let check = &self.setup.code.checks[check as usize];
        let length = self.setup.lengths[check.length as usize];
        let index = f.registers[index as usize];
        let mut bad = 0;
        for index in &index {
            bad |= u32::from(*index >= length);
        }
        if bad == 0 { (index, 0) } else { self.clamped(f, index, length, check) }
    }

    /// Reports and clamps indices that are out of bounds.
    #[cold]
    fn clamped<const N: usize>(
        &mut self,
        f: &Fragment<N>,
        mut index: [u32; N],
        length: u32,
        check: &Check,
    ) -> ([u32; N], u64) {
        let buffer = check.buffer.map(|buffer| &self.setup.buffers[buffer as usize]);
        let elastic = buffer.is_some_and(|buffer| buffer.elastic);
        let mut nowhere = 0;
        for (lane, index) in index.iter_mut().enumerate().filter(|(_, index)| **index >= length) {
            let value = *index;
            *index = length.saturating_sub(1);
            let true_index = if check.signed { i64::from(value as i32) } else { i64::from(value) };
            let grows = elastic && true_index >= 0;
            let is_dropped = self.setup.drops && check.memory.is_some();
            if length == 0 || grows || is_dropped {
                nowhere |= 1 << lane;
            }
            if f.mask >> lane & 1 == 0 {
                continue;
            }
            if grows && let Some(want) = self.wanted(check, value) {
                self.tally.record_wanted_length(want.0, want.1);
                continue;
            }
            let local = f.first + lane as u32;
            let invocation = Invocation { workgroup: self.workgroup, local };
            self.tally.record_out_of_bounds(check, invocation, true_index, length);
        }
        (index, nowhere)
    }

    /// Returns the memory that a check is about, and the length that it would need for `index`.
    fn wanted(&self, check: &Check, index: u32) -> Option<(crate::vm::observer::MemoryId, u64)> {
        let crate::vm::code::Length::Runtime { offset, stride, .. } =
            self.setup.code.lengths[check.length as usize]
        else {
            return None;
        };
        let bytes = u64::from(offset) + (u64::from(index) + 1) * u64::from(stride);
        Some((check.memory?, bytes))
    }
}

/// Does the same as `run_following_load` for the instructions that most often follow an operator.
#[inline(always)]
fn then_assign_or_break<const N: usize>(f: &mut Fragment<N>, code: &Code, fuel: &mut u64) {
    let next = code.instructions[f.pc as usize];
    if *fuel == 0 || !matches!(next, Instruction::Assign { .. } | Instruction::BreakIf { .. }) {
        return;
    }
    *fuel -= 1;
    f.pc += 1;
    match next {
        Instruction::Assign { to, from } => f.assign(to.start, from, to.count),
        Instruction::BreakIf { condition, holds } => break_if(f, condition, holds),
        _ => {}
    }
}

/// Sets addresses to the invalid address.
#[inline(always)]
fn invalidate_addresses<const N: usize>(address: &mut [u32; N], mask: u64) {
    if mask != 0 {
        for lane in lanes(mask) {
            address[lane] = INVALID_ADDRESS;
        }
    }
}

/// Executes instructions that split lanes within a function.
fn control<const N: usize>(f: &mut Fragment<N>, code: &Code, instruction: Instruction) {
    let depth = f.frames.len();
    let mut frame = |kind, resume, aux, site, pending| {
        f.frames.push(Frame { kind, resume, aux, site, pending, done: 0 });
    };
    match instruction {
        Instruction::If { condition, otherwise } => {
            let holds = lanes_where(&f.registers[condition as usize]) & f.mask;
            frame(FrameKind::If, otherwise, 0, SiteId::NONE, f.mask & !holds);
            f.mask = holds;
        }
        Instruction::Loop { continuing, site } => {
            frame(FrameKind::Loop, continuing, continuing, site, 0);
            if let Some(snapshot) = &mut f.snapshot {
                snapshot.enter_loop(depth);
            }
            if N == 1 {
                f.begin_trips();
            }
        }
        Instruction::Switch { selector, chosen, table, first } => {
            frame(FrameKind::Switch, first, 0, SiteId::NONE, f.mask);
            let table = &code.switches[table as usize];
            let selector = f.registers[selector as usize];
            let chosen = &mut f.registers[chosen as usize];
            *chosen = [table.default; N];
            for (value, case) in &table.values {
                for (chosen, selector) in chosen.iter_mut().zip(selector) {
                    *chosen = if selector == *value { *case } else { *chosen };
                }
            }
            f.mask = 0;
        }
        Instruction::Break => {
            leave(f, |kind| matches!(kind, FrameKind::Loop | FrameKind::Switch), |f| &mut f.done);
        }
        Instruction::Continue => leave(f, |kind| kind == FrameKind::Loop, |f| &mut f.pending),
        _ => join(f, instruction),
    }
    if f.mask == 0 {
        f.resume_waiting_lanes();
    }
}

/// Makes lanes whose condition equals `holds` leave the innermost loop.
fn break_if<const N: usize>(f: &mut Fragment<N>, condition: Register, holds: bool) {
    let Some(frame) = f.frames.last_mut() else { return };
    let leaving = lanes_where(&f.registers[condition as usize]);
    let leaving = f.mask & if holds { leaving } else { !leaving };
    frame.done |= leaving;
    f.mask &= !leaving;
    if f.mask == 0 {
        f.resume_waiting_lanes();
    }
}

/// Executes instructions at which waiting lanes resume.
fn join<const N: usize>(f: &mut Fragment<N>, instruction: Instruction) {
    let Some(frame) = f.frames.last_mut() else { return };
    match instruction {
        Instruction::Else { end } => {
            frame.done |= f.mask;
            frame.resume = end;
            f.mask = std::mem::take(&mut frame.pending);
        }
        Instruction::EndIf | Instruction::EndSwitch => {
            f.mask |= frame.done | frame.pending;
            f.frames.pop();
        }
        Instruction::Continuing { back } => {
            f.mask |= std::mem::take(&mut frame.pending);
            frame.resume = back;
        }
        Instruction::Case { chosen, index, falls, next } => {
            if !falls {
                frame.done |= std::mem::take(&mut f.mask);
            }
            let mut chose = 0;
            for (lane, chosen) in f.registers[chosen as usize].iter().enumerate() {
                chose |= u64::from(*chosen == index) << lane;
            }
            chose &= frame.pending;
            frame.pending &= !chose;
            frame.resume = next;
            f.mask |= chose;
        }
        _ => {}
    }
}

/// Moves the active lanes to the innermost frame of a matching kind.
fn leave<const N: usize>(
    f: &mut Fragment<N>,
    is_target: impl Fn(FrameKind) -> bool,
    place: impl Fn(&mut Frame) -> &mut u64,
) {
    if let Some(frame) = f.frames.iter_mut().rev().find(|frame| is_target(frame.kind)) {
        *place(frame) |= std::mem::take(&mut f.mask);
    }
}

/// Copies from the registers whose numbers are in `address`.
fn gather<const N: usize>(f: &mut Fragment<N>, to: Range, address: Register) {
    let numbers = f.registers[address as usize];
    for index in 0..to.count {
        let mut value = [0; N];
        for (lane, (value, number)) in value.iter_mut().zip(numbers).enumerate() {
            let register = f.registers.get(number.wrapping_add(index) as usize);
            *value = register.map_or(0, |register| register[lane]);
        }
        f.registers[(to.start + index) as usize] = value;
    }
}

/// Copies to the registers whose numbers are in `address`.
fn scatter<const N: usize>(f: &mut Fragment<N>, address: Register, from: Range) {
    let numbers = f.registers[address as usize];
    for index in 0..from.count {
        let value = f.registers[(from.start + index) as usize];
        for lane in lanes(f.mask & all_lanes::<N>()) {
            let number = numbers[lane].wrapping_add(index) as usize;
            if let Some(register) = f.registers.get_mut(number) {
                register[lane] = value[lane];
            }
        }
    }
}

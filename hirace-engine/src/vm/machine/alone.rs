//! One invocation by itself: who drives says when it passes a barrier, and is given what each operation depends on.
//!
//! It is followed instruction by instruction, which takes longer than [`Group::step`](super::Group::step).

use super::apply::apply;
use super::ask::{Due, asked, due};
use super::carried::carried;
use super::depend::Depends;
use super::heeded::heeded;
use super::reads::Reads;
use super::request::{Answer, NotAsked, Request};
use super::{Machine, Notes};
use crate::ir::memory::MemoryId;
use crate::vm::code::{Code, Instruction, Pc, Register};
use crate::vm::engine::claim::holds;
use crate::vm::engine::fragment::{Fragment, State};
use crate::vm::engine::{Asking, Context, Pause};
use crate::vm::workgroup::{place, start::start_fragment};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// An invocation that is stepped by itself. A value: two that are equal do the same from then on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Alone {
    workgroup: u32,
    fragment: Fragment<1>,
    depends: Depends,
    /// The loops that it is in, those outside first.
    turns: Vec<Turn>,
}

/// What an invocation that is by itself comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Comes {
    /// It asks, and this depends on those of its own reads: one set for each piece that is touched, or one alone.
    Asks(Request, Vec<Reads>),
    /// What the source claims does not hold: the claim of this number. It goes on when it is stepped.
    Fails(u32),
    /// It went round a loop in which nothing changed but by these of its reads.
    Spins(Range<u32>),
}

/// One time round a loop.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Turn {
    /// How many frames there are inside the loop.
    depth: usize,
    /// What the variables that the loop carries held at its start.
    variables: Vec<u32>,
    /// The reads before it.
    reads: u32,
    /// Whether it changed memory, or waited for others.
    changes: bool,
    /// How often the loop went back after accesses to shared memory.
    count: u32,
}

/// What is known of code before it runs alone.
#[derive(Clone, Debug)]
pub struct Followed {
    /// For each loop, by its start: the registers that hold something from one turn to the next.
    carried: FxHashMap<Pc, Vec<Register>>,
    /// For each register, whether somebody looks at it.
    heeded: Vec<bool>,
    /// How often a loop may go back in which shared memory is accessed.
    turns: u32,
}

impl Followed {
    /// Of a machine's code, whose loops may go back so often if they access what is shared, and at whose `memory` somebody
    /// looks when all are done.
    pub fn new(machine: &Machine<'_>, turns: u32, memory: &[MemoryId]) -> Self {
        let code = machine.setup.code;
        let mut temporary = FxHashSet::default();
        let mut assigned = FxHashSet::default();
        for instruction in &code.instructions {
            if let Instruction::Assign { to, .. } = instruction {
                assigned.extend(to.indices());
            }
            temporary.extend(results(code, *instruction));
        }
        let is_variable =
            |register: &usize| assigned.contains(register) || !temporary.contains(register);
        let constant: FxHashSet<usize> =
            code.constants.iter().map(|(register, _)| *register as usize).collect();
        let registers =
            (0..code.registers as usize).filter(|register| !constant.contains(register));
        let variables: Vec<Register> =
            registers.filter(is_variable).map(|register| register as Register).collect();
        let heeded = heeded(code, &variables, memory);
        Self { carried: carried(code, &variables), heeded, turns }
    }

    /// Whether nobody looks at what an instruction computes.
    fn is_unheeded(&self, code: &Code, instruction: Instruction) -> bool {
        !self.heeded[results(code, instruction)].contains(&true)
    }

    /// What those hold that the loop that starts there carries.
    fn carried(&self, start: Pc, f: &Fragment<1>) -> Vec<u32> {
        let registers = self.carried.get(&start).into_iter().flatten();
        registers.map(|register| f.registers[*register as usize][0]).collect()
    }
}

/// The registers of what an instruction computes: nothing looks at them before they are computed the next time.
pub(in crate::vm) fn results(code: &Code, instruction: Instruction) -> Range<usize> {
    let one = |register: Register| register as usize..register as usize + 1;
    match instruction {
        Instruction::Copy { to, .. } | Instruction::Gather { to, .. } => to.indices(),
        Instruction::Binary { out, .. } | Instruction::Unary { out, .. } => out.indices(),
        Instruction::Compute { index } => code.computations[index as usize].out.indices(),
        Instruction::Length { to, .. }
        | Instruction::Address { to, .. }
        | Instruction::AddressFrom { to, .. }
        | Instruction::Offset { to, .. } => one(to),
        Instruction::Load { to, access, .. } => {
            let parts = code.accesses[access as usize].parts.iter();
            let count = parts.map(|part| part.register + part.leaf.registers()).max().unwrap_or(0);
            to as usize..(to + count) as usize
        }
        Instruction::Atomic { to: Some(to), operation, .. } => {
            let operation = &code.atomics[operation as usize];
            let count =
                u32::from(operation.scalar.width / 4) + u32::from(operation.compare.is_some());
            to as usize..(to + count) as usize
        }
        Instruction::Switch { chosen, .. } => one(chosen),
        _ => 0..0,
    }
}

impl Alone {
    /// An invocation before its first instruction.
    pub fn start(machine: &Machine<'_>, workgroup: u32, local: u32) -> Self {
        let fragment = start_fragment(&machine.setup, workgroup, local, 1, Vec::new());
        let depends = Depends::new(fragment.registers.len());
        Self { workgroup, fragment, depends, turns: Vec::new() }
    }

    /// Its local invocation index.
    pub fn local(&self) -> u32 {
        self.fragment.first
    }

    /// On which of its reads it depends that it came here.
    pub fn control(&self) -> Reads {
        self.depends.control()
    }

    /// How many reads it has made, updates included.
    pub fn reads(&self) -> u32 {
        self.depends.reads
    }

    /// Runs it to what it comes to next. If it waits at a barrier it passes that.
    pub fn step(&mut self, machine: &Machine<'_>, followed: &Followed, notes: &mut Notes) -> Comes {
        let setup = &machine.setup;
        if self.fragment.state != State::Asking {
            self.fragment.state = State::Ready;
        }
        loop {
            if self.fragment.lanes == 0 {
                return Comes::Asks(Request::End, vec![self.control()]);
            }
            if self.fragment.state == State::Asking {
                match due(setup, self.workgroup, &self.fragment) {
                    Due::Ask(request) => return self.asks(machine, followed, request),
                    Due::Hidden(answer) => {
                        // It fits: it was made for this operation.
                        let _ = self.take(machine, notes, &answer, true);
                        continue;
                    }
                }
            }
            if self.fragment.steps >= machine.steps {
                let site = place(setup.code, &self.fragment);
                return Comes::Asks(Request::Limit { site }, vec![self.control()]);
            }
            if let Some(comes) = self.instruction(machine, followed, notes) {
                return comes;
            }
        }
    }

    /// Whether what it asked for is a read or an update on whose answer nothing hangs that it does.
    pub fn forgets(&self, machine: &Machine<'_>, followed: &Followed) -> bool {
        let code = machine.setup.code;
        asked(&machine.setup, &self.fragment).is_some_and(|instruction| {
            matches!(instruction, Instruction::Load { .. } | Instruction::Atomic { .. })
                && followed.is_unheeded(code, instruction)
        })
    }

    /// Answers what it asked for.
    pub fn answer(
        &mut self,
        machine: &Machine<'_>,
        notes: &mut Notes,
        answer: &Answer,
    ) -> Result<(), NotAsked> {
        if self.fragment.state != State::Asking {
            return Err(NotAsked);
        }
        self.take(machine, notes, answer, false)
    }

    fn take(
        &mut self,
        machine: &Machine<'_>,
        notes: &mut Notes,
        answer: &Answer,
        hidden: bool,
    ) -> Result<(), NotAsked> {
        let setup = &machine.setup;
        let instruction = asked(setup, &self.fragment).ok_or(NotAsked)?;
        self.depends.answered(setup.code, &self.fragment, instruction, hidden);
        let before = notes.changes();
        apply(setup, self.workgroup, &mut self.fragment, &mut notes.0, answer)?;
        if !hidden && notes.changes() != before {
            self.changes();
        }
        Ok(())
    }

    fn asks(&mut self, machine: &Machine<'_>, followed: &Followed, request: Request) -> Comes {
        let setup = &machine.setup;
        // So that nothing hangs on what it found, not even whether a loop's turn changed something.
        if matches!(request, Request::Update(..)) && self.forgets(machine, followed) {
            self.changes();
        }
        let depends = match asked(setup, &self.fragment) {
            Some(instruction) => self.depends.of_operation(setup.code, instruction),
            None => vec![self.control()],
        };
        Comes::Asks(request, depends)
    }

    /// Runs one instruction.
    fn instruction(
        &mut self,
        machine: &Machine<'_>,
        followed: &Followed,
        notes: &mut Notes,
    ) -> Option<Comes> {
        let setup = &machine.setup;
        let code = setup.code;
        let f = &mut self.fragment;
        let instruction = *code.instructions.get(f.pc as usize)?;
        self.depends.follow(code, f, instruction);
        match instruction {
            Instruction::Claim { index } => {
                f.pc += 1;
                return (!holds(f, &code.claims[index as usize], 0)).then_some(Comes::Fails(index));
            }
            Instruction::Loop { .. } => {
                let depth = f.frames.len() + 1;
                let variables = followed.carried(f.pc + 1, f);
                let reads = self.depends.reads;
                self.turns.retain(|turn| turn.depth < depth);
                self.turns.push(Turn { depth, variables, reads, changes: false, count: 0 });
            }
            _ => {}
        }
        let mut context = Context {
            setup,
            visible: Asking,
            tally: &mut notes.0,
            workgroup: self.workgroup,
            alone: false,
            returned: &mut [],
        };
        match context.run(f, 1) {
            Pause::Asking => f.state = State::Asking,
            Pause::Barrier(index) => {
                f.state = State::AtBarrier(index);
                self.changes();
                let barrier = code.barriers[index as usize];
                let request = Request::Barrier { does: barrier.does, site: barrier.site };
                return Some(Comes::Asks(request, vec![self.control()]));
            }
            Pause::Meeting => {
                let subgroup = f.subgroup;
                let site = place(code, f);
                return Some(Comes::Asks(
                    Request::Subgroup { subgroup, site },
                    vec![self.control()],
                ));
            }
            Pause::Done => f.lanes = 0,
            // With so little fuel it goes on after each.
            Pause::Fuel | Pause::Starving | Pause::Spinning => {}
        }
        match instruction {
            Instruction::Back { start } => {
                self.turned(followed, start, place(code, &self.fragment))
            }
            _ => None,
        }
    }

    /// Looks at a loop's turn that is over.
    fn turned(
        &mut self,
        followed: &Followed,
        start: Pc,
        site: crate::ir::sites::SiteId,
    ) -> Option<Comes> {
        let f = &self.fragment;
        let depth = f.frames.len();
        self.turns.retain(|turn| turn.depth <= depth);
        if f.pc != start {
            return None;
        }
        let turn = self.turns.last_mut().filter(|turn| turn.depth == depth)?;
        let variables = followed.carried(start, f);
        let reads = self.depends.reads;
        if !turn.changes && turn.variables == variables {
            return Some(Comes::Spins(turn.reads..reads));
        }
        let shares = turn.changes || turn.reads != reads;
        let count = turn.count + u32::from(shares);
        *turn = Turn { depth, variables, reads, changes: false, count };
        (count > followed.turns).then(|| Comes::Asks(Request::Limit { site }, vec![self.control()]))
    }

    fn changes(&mut self) {
        for turn in &mut self.turns {
            turn.changes = true;
        }
    }
}

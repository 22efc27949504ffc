//! One invocation without its workgroup: the driver decides when it passes a barrier, and learns which reads
//! each operation depends on.
//!
//! Dependencies are tracked instruction by instruction, which takes longer than
//! [`Group::step`](super::Group::step).

use super::apply::apply;
use super::carried::find_carried;
use super::dependencies::Dependencies;
use super::liveness::live_registers;
use super::pending_request::{OperationVisibility, handling, pending_instruction};
use super::reads::Reads;
use super::request::{Answer, Request, UnexpectedAnswer};
use super::{Machine, Notes};
use crate::ir::memory::MemoryId;
use crate::vm::code::{Instruction, Pc, Register};
use crate::vm::engine::claim::holds;
use crate::vm::engine::fragment::{Fragment, State};
use crate::vm::engine::{Context, Pause, RequestHandler};
use crate::vm::operands::{Operands, RegisterSet};
use crate::vm::workgroup::{place, start::start_fragment};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// An invocation that is stepped by itself. It is a value: two equal ones behave the same from then on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SteppedInvocation {
    workgroup: u32,
    fragment: Fragment<1>,
    depends: Dependencies,
    /// The iterations of the loops that it is in, the outermost loop first.
    iterations: Vec<Iteration>,
}

/// The next event of an invocation that is stepped by itself.
#[derive(Clone, Debug, PartialEq)]
pub enum StepResult {
    /// The invocation makes a request. The second field is the set of its own reads that the request depends
    /// on: one set for each accessed piece, or a single one.
    Request(Request, Vec<Reads>),
    /// The claim of the source with this number does not hold. The invocation continues when it is stepped.
    ClaimFailed(u32),
    /// The invocation completed a loop iteration in which nothing changed except by these of its reads.
    Spinning(Range<u32>),
}

/// One iteration of a loop.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Iteration {
    /// Number of frames inside the loop.
    depth: usize,
    /// The values of the loop-carried variables at the start of the iteration.
    variables: Vec<u32>,
    /// Number of reads before the iteration.
    reads: u32,
    /// Whether the iteration changed memory or waited for other invocations.
    changes: bool,
    /// How often the loop has repeated after accesses to shared memory.
    count: u32,
}

/// Static facts about the code that [`SteppedInvocation`] uses.
#[derive(Clone, Debug)]
pub struct CodeAnalysis {
    /// For each loop, by its start: the loop-carried registers.
    carried: FxHashMap<Pc, Vec<Register>>,
    /// The operands of each instruction.
    operands: Vec<Operands>,
    /// The live registers.
    live: RegisterSet,
    /// How often a loop that accesses shared memory may repeat.
    iterations: u32,
}

impl CodeAnalysis {
    /// Analyses a machine's code. Loops may repeat `iterations` times if they access shared memory. `memory` is
    /// the memory that is observed after the dispatch.
    pub fn new(machine: &Machine<'_>, iterations: u32, memory: &[MemoryId]) -> Self {
        let code = machine.setup.code;
        let mut temporary = FxHashSet::default();
        let mut assigned = FxHashSet::default();
        let operands = Operands::table(code);
        for (instruction, operands) in code.instructions.iter().zip(&operands) {
            let results = operands.results.iter().flat_map(|range| range.indices());
            match instruction {
                Instruction::Assign { .. } => assigned.extend(results),
                // Their results may be read before they are computed the next time.
                Instruction::Clear { .. }
                | Instruction::Scatter { .. }
                | Instruction::Subgroup { .. }
                | Instruction::Image { .. } => {}
                _ => temporary.extend(results),
            }
        }
        let is_variable =
            |register: &usize| assigned.contains(register) || !temporary.contains(register);
        let constant: FxHashSet<usize> =
            code.constants.iter().map(|(register, _)| *register as usize).collect();
        let registers =
            (0..code.registers as usize).filter(|register| !constant.contains(register));
        let variables: Vec<Register> =
            registers.filter(is_variable).map(|register| register as Register).collect();
        let live = live_registers(code, &operands, &variables, memory);
        Self { carried: find_carried(code, &operands, &variables), operands, live, iterations }
    }

    /// Returns the values of the registers that the loop at `start` carries.
    fn carried(&self, start: Pc, f: &Fragment<1>) -> Vec<u32> {
        let registers = self.carried.get(&start).into_iter().flatten();
        registers.map(|register| f.registers[*register as usize][0]).collect()
    }
}

impl SteppedInvocation {
    /// Creates an invocation before its first instruction.
    pub fn start(machine: &Machine<'_>, workgroup: u32, local: u32) -> Self {
        let fragment = start_fragment(&machine.setup, workgroup, local, 1, Vec::new());
        let depends = Dependencies::new(fragment.registers.len());
        Self { workgroup, fragment, depends, iterations: Vec::new() }
    }

    /// Returns the local invocation index.
    pub fn local(&self) -> u32 {
        self.fragment.first
    }

    /// Returns the reads that the invocation's control flow depends on.
    pub fn control(&self) -> Reads {
        self.depends.control()
    }

    /// Returns the number of reads so far, including atomic updates.
    pub fn reads(&self) -> u32 {
        self.depends.reads
    }

    /// Runs the invocation to its next event. If it waits at a barrier, it passes the barrier.
    pub fn step(
        &mut self,
        machine: &Machine<'_>,
        followed: &CodeAnalysis,
        notes: &mut Notes,
    ) -> StepResult {
        let setup = &machine.setup;
        if self.fragment.state != State::AwaitingAnswer {
            self.fragment.state = State::Ready;
        }
        loop {
            if self.fragment.lanes == 0 {
                return StepResult::Request(Request::End, vec![self.control()]);
            }
            if self.fragment.state == State::AwaitingAnswer {
                match handling(setup, self.workgroup, &self.fragment) {
                    OperationVisibility::Ask(request) => {
                        return self.handle_request(machine, followed, request);
                    }
                    OperationVisibility::Invisible(answer) => {
                        // The answer fits: it was made for this operation.
                        let _ = self.take(machine, notes, &answer, true);
                        continue;
                    }
                }
            }
            if self.fragment.steps >= machine.steps {
                let site = place(setup.code, &self.fragment);
                return StepResult::Request(Request::Limit { site }, vec![self.control()]);
            }
            if let Some(comes) = self.instruction(machine, followed, notes) {
                return comes;
            }
        }
    }

    /// Returns whether the requested operation is a read or update on whose answer nothing that the
    /// invocation does depends.
    pub fn ignores_answer(&self, machine: &Machine<'_>, followed: &CodeAnalysis) -> bool {
        let operands = self.fragment.pc.checked_sub(1).map(|pc| &followed.operands[pc as usize]);
        pending_instruction(&machine.setup, &self.fragment).zip(operands).is_some_and(
            |(instruction, operands)| {
                matches!(instruction, Instruction::Load { .. } | Instruction::Atomic { .. })
                    && !operands.write_any(&followed.live)
            },
        )
    }

    /// Answers the pending request.
    pub fn answer(
        &mut self,
        machine: &Machine<'_>,
        notes: &mut Notes,
        answer: &Answer,
    ) -> Result<(), UnexpectedAnswer> {
        if self.fragment.state != State::AwaitingAnswer {
            return Err(UnexpectedAnswer);
        }
        self.take(machine, notes, answer, false)
    }

    fn take(
        &mut self,
        machine: &Machine<'_>,
        notes: &mut Notes,
        answer: &Answer,
        hidden: bool,
    ) -> Result<(), UnexpectedAnswer> {
        let setup = &machine.setup;
        let instruction = pending_instruction(setup, &self.fragment).ok_or(UnexpectedAnswer)?;
        self.depends.record_answer(setup.code, &self.fragment, instruction, hidden);
        let before = notes.changes();
        apply(setup, self.workgroup, &mut self.fragment, &mut notes.0, answer)?;
        if !hidden && notes.changes() != before {
            self.changes();
        }
        Ok(())
    }

    fn handle_request(
        &mut self,
        machine: &Machine<'_>,
        followed: &CodeAnalysis,
        request: Request,
    ) -> StepResult {
        let setup = &machine.setup;
        // Makes sure that nothing depends on the old value, not even whether a loop iteration changed
        // something.
        if matches!(request, Request::Update(..)) && self.ignores_answer(machine, followed) {
            self.changes();
        }
        let depends = match pending_instruction(setup, &self.fragment) {
            Some(instruction) => self.depends.operation_dependencies(setup.code, instruction),
            None => vec![self.control()],
        };
        StepResult::Request(request, depends)
    }

    /// Runs one instruction.
    fn instruction(
        &mut self,
        machine: &Machine<'_>,
        followed: &CodeAnalysis,
        notes: &mut Notes,
    ) -> Option<StepResult> {
        let setup = &machine.setup;
        let code = setup.code;
        let f = &mut self.fragment;
        let instruction = *code.instructions.get(f.pc as usize)?;
        self.depends.follow(&followed.operands[f.pc as usize], code, f, instruction);
        match instruction {
            Instruction::Claim { index } => {
                f.pc += 1;
                return (!holds(f, &code.claims[index as usize], 0))
                    .then_some(StepResult::ClaimFailed(index));
            }
            Instruction::Loop { .. } => {
                let depth = f.frames.len() + 1;
                let variables = followed.carried(f.pc + 1, f);
                let reads = self.depends.reads;
                self.iterations.retain(|iteration| iteration.depth < depth);
                self.iterations.push(Iteration {
                    depth,
                    variables,
                    reads,
                    changes: false,
                    count: 0,
                });
            }
            _ => {}
        }
        let mut context = Context {
            setup,
            handler: RequestHandler,
            tally: &mut notes.0,
            workgroup: self.workgroup,
            alone: false,
            returned_lanes: &mut [],
        };
        match context.run(f, 1) {
            Pause::VisibleOperation => f.state = State::AwaitingAnswer,
            Pause::Barrier(index) => {
                f.state = State::AtBarrier(index);
                self.changes();
                let barrier = code.barriers[index as usize];
                let request = Request::Barrier { does: barrier.does, site: barrier.site };
                return Some(StepResult::Request(request, vec![self.control()]));
            }
            Pause::SubgroupOperation => {
                let subgroup = f.subgroup;
                let site = place(code, f);
                return Some(StepResult::Request(
                    Request::Subgroup { subgroup, site },
                    vec![self.control()],
                ));
            }
            Pause::Done => f.lanes = 0,
            // With this little fuel, the invocation continues after each instruction.
            Pause::Fuel | Pause::Starving | Pause::Spinning => {}
        }
        match instruction {
            Instruction::Back { start } => {
                self.end_iteration(followed, start, place(code, &self.fragment))
            }
            _ => None,
        }
    }

    /// Inspects a loop iteration that has ended.
    fn end_iteration(
        &mut self,
        followed: &CodeAnalysis,
        start: Pc,
        site: crate::ir::sites::SiteId,
    ) -> Option<StepResult> {
        let f = &self.fragment;
        let depth = f.frames.len();
        self.iterations.retain(|iteration| iteration.depth <= depth);
        if f.pc != start {
            return None;
        }
        let iteration = self.iterations.last_mut().filter(|iteration| iteration.depth == depth)?;
        let variables = followed.carried(start, f);
        let reads = self.depends.reads;
        if !iteration.changes && iteration.variables == variables {
            return Some(StepResult::Spinning(iteration.reads..reads));
        }
        let shares = iteration.changes || iteration.reads != reads;
        let count = iteration.count + u32::from(shares);
        *iteration = Iteration { depth, variables, reads, changes: false, count };
        (count > followed.iterations)
            .then(|| StepResult::Request(Request::Limit { site }, vec![self.control()]))
    }

    fn changes(&mut self) {
        for iteration in &mut self.iterations {
            iteration.changes = true;
        }
    }
}

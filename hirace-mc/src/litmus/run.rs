//! Execution of litmus tests: the implementation of [`Program`].

use super::instruction::{AccessAttributes, Instruction, Operand};
use super::mnemonic::Function;
use super::{Column, Dialect, Test};
use crate::program::{
    Access, Atomic, Location, MemoryOrder, Operation, Program, ScopePosition, Step, Update, Value,
};
use hirace_core::vm::machine::Reads;

/// The state of a column.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pc: u32,
    registers: Vec<Value>,
    /// The reads on which the value of each register depends.
    depends: Vec<Reads>,
    /// The reads on which control flow depends.
    control: Reads,
    reads: u32,
    awaited: Option<PendingRead>,
    has_ended: bool,
    /// The loops that contain the current instruction, outermost first.
    iterations: Vec<LoopIteration>,
}

/// What to do with the answer to a read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct PendingRead {
    to: Option<usize>,
    function: Option<(Function, [Value; 2])>,
}

/// An iteration of a loop.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct LoopIteration {
    head: u32,
    /// The values of live registers at its start.
    registers: Vec<Value>,
    /// The number of reads before it.
    reads: u32,
    /// Whether it changed memory or waited for other invocations.
    changes: bool,
    /// The number of completed iterations.
    count: u32,
}

impl State {
    /// Returns the values of the registers.
    pub fn registers(&self) -> &[Value] {
        &self.registers
    }

    /// Returns whether the column has ended.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    fn control(&self) -> Vec<u32> {
        self.control.iter(self.reads).collect()
    }

    fn value(&self, operand: Operand) -> (Value, Reads) {
        match operand {
            Operand::Value(value) => (value, Reads::NONE),
            Operand::Register(register) => (self.registers[register], self.depends[register]),
        }
    }

    fn set(&mut self, register: usize, value: Value, depends: Reads) {
        self.registers[register] = value;
        self.depends[register] = depends;
    }

    fn changes(&mut self) {
        for iteration in &mut self.iterations {
            iteration.changes = true;
        }
    }

    fn receive(&mut self, answer: Value) {
        let Some(PendingRead { to, function }) = self.awaited.take() else { return };
        if let Some((function, values)) = function
            && left(function, answer, values) != answer
        {
            self.changes();
        }
        if let Some(to) = to {
            self.set(to, answer, Reads::one(self.reads));
        }
        self.reads += 1;
    }

    /// Jumps to `target`. For a backward jump, returns an operation if the loop spins or has reached its bound.
    fn jump(&mut self, target: u32, column: &Column, iterations: u32) -> Option<Operation> {
        let goes_back = target < self.pc;
        self.pc = target;
        if !goes_back {
            return None;
        }
        self.iterations.retain(|iteration| iteration.head <= target);
        let registers = self.values(column.live(target)?);
        let iteration = self.iterations.last_mut().filter(|iteration| iteration.head == target)?;
        if !iteration.changes && iteration.registers == registers {
            return Some(Operation::Spins((iteration.reads..self.reads).collect()));
        }
        iteration.registers = registers;
        iteration.reads = self.reads;
        iteration.changes = false;
        iteration.count += 1;
        (iteration.count > iterations).then_some(Operation::Limit)
    }

    fn values(&self, registers: &[usize]) -> Vec<Value> {
        registers.iter().map(|register| self.registers[*register]).collect()
    }

    /// Enters the loop with this head, if it has not been entered yet.
    fn enter(&mut self, head: u32, live: &[usize]) {
        if self.iterations.last().is_none_or(|iteration| iteration.head != head) {
            self.iterations.retain(|iteration| iteration.head < head);
            let (registers, reads) = (self.values(live), self.reads);
            self.iterations.push(LoopIteration {
                head,
                registers,
                reads,
                changes: false,
                count: 0,
            });
        }
    }
}

impl Column {
    /// Returns the registers that are live at `pc` if it is a loop head.
    fn live(&self, pc: u32) -> Option<&[usize]> {
        let at = self.heads.binary_search_by_key(&pc, |(head, _)| *head).ok()?;
        Some(&self.heads[at].1)
    }
}

impl Program for Test {
    type State = State;

    fn invocations(&self) -> &[ScopePosition] {
        &self.scope_positions
    }

    fn classes(&self) -> u8 {
        match self.dialect {
            Dialect::Vulkan => 4,
            Dialect::Ptx => 1,
        }
    }

    fn initial(&self, location: Location) -> Value {
        let cell = location.0.checked_sub(1).and_then(|index| self.locations.get(index as usize));
        cell.map_or(0, |cell| cell.initial)
    }

    fn start(&self, invocation: usize) -> State {
        let registers: Vec<Value> =
            self.columns[invocation].registers.iter().map(|register| register.initial).collect();
        let depends = vec![Reads::NONE; registers.len()];
        State {
            pc: 0,
            registers,
            depends,
            control: Reads::NONE,
            reads: 0,
            awaited: None,
            has_ended: false,
            iterations: Vec::new(),
        }
    }

    /// Columns are alike if they have the same text and the condition mentions neither of them.
    fn alike(&self, one: usize, other: usize) -> bool {
        let (first, second) = (&self.columns[one], &self.columns[other]);
        let is_named = |column| self.claim.as_ref().is_some_and(|claim| claim.names_column(column));
        one == other
            || first.code == second.code
                && first.registers == second.registers
                && !is_named(one)
                && !is_named(other)
    }

    /// In a loop, the old value decides whether an update changes memory, so it is used.
    fn is_result_unused(&self, invocation: usize, state: &State) -> bool {
        let column = &self.columns[invocation];
        state.awaited.as_ref().is_some_and(|awaited| {
            awaited.to.is_none_or(|register| !column.used[register])
                && (awaited.function.is_none() || column.heads.is_empty())
        })
    }

    fn step(&self, invocation: usize, state: &mut State, answer: Option<Value>) -> Step {
        state.receive(answer.unwrap_or(0));
        let column = &self.columns[invocation];
        loop {
            if let Some(live) = column.live(state.pc) {
                state.enter(state.pc, live);
            }
            let site = column.site + state.pc;
            let Some(instruction) = column.code.get(state.pc as usize) else {
                state.has_ended = true;
                let (operation, control) = (Operation::End, state.control());
                // The end is reported at the last instruction.
                return Step {
                    operation,
                    depends: Vec::new(),
                    control,
                    site: site.saturating_sub(1),
                };
            };
            if let Some((operation, depends)) = state.run(instruction, column, self.loop_bound) {
                let depends = depends.iter(state.reads).collect();
                return Step { operation, depends, control: state.control(), site };
            }
        }
    }
}

impl State {
    /// Executes an instruction. Returns its visible operation, if it has one, and the reads on which it depends.
    fn run(
        &mut self,
        instruction: &Instruction,
        column: &Column,
        iterations: u32,
    ) -> Option<(Operation, Reads)> {
        let control = self.control;
        self.pc += 1;
        match *instruction {
            Instruction::Load { to, at, how } => {
                let (access, depends) = self.access(at, how);
                self.awaited = Some(PendingRead { to: Some(to), function: None });
                Some((Operation::Read(access), depends | control))
            }
            Instruction::Store { at, value, how } => {
                let (access, depends) = self.access(at, how);
                let (value, of_value) = self.value(value);
                self.changes();
                Some((Operation::Write(access, value), depends | of_value | control))
            }
            Instruction::Update { to, at, function, values: [first, second], how } => {
                let (access, depends) = self.access(at, how);
                let ((first, of_first), (second, of_second)) =
                    (self.value(first), self.value(second));
                self.awaited =
                    Some(PendingRead { to, function: Some((function, [first, second])) });
                let operation =
                    Operation::Update(access, update(function, [first, second], access.atomic));
                Some((operation, depends | of_first | of_second | control))
            }
            Instruction::Fence(atomic) => Some((Operation::Fence(atomic), control)),
            Instruction::Barrier { number, waits, orders } => {
                self.changes();
                Some((Operation::Barrier { group: waits, barrier: number, orders }, control))
            }
            Instruction::ToDevice { visible } => Some((Operation::ToDevice { visible }, control)),
            Instruction::Compute { to, function, values: [first, second] } => {
                let ((first, of_first), (second, of_second)) =
                    (self.value(first), self.value(second));
                self.set(to, left(function, first, [second, 0]), of_first | of_second);
                None
            }
            Instruction::Branch { left, comparison, right, target } => {
                let ((left, of_left), (right, of_right)) = (self.value(left), self.value(right));
                self.control |= of_left | of_right;
                let goes = comparison.holds(left, right);
                Some((goes.then(|| self.jump(target, column, iterations))??, self.control))
            }
            Instruction::Goto(target) => Some((self.jump(target, column, iterations)?, control)),
        }
    }

    fn access(&self, at: Operand, how: AccessAttributes) -> (Access, Reads) {
        let (address, depends) = self.value(at);
        let AccessAttributes { class, atomic, available } = how;
        (Access { location: Location(address), class, atomic, available }, depends)
    }
}

fn update(function: Function, [first, second]: [Value; 2], atomic: Option<Atomic>) -> Update {
    let failed = atomic.map_or(MemoryOrder::Relaxed, |atomic| atomic.order);
    match function {
        Function::Add => Update::Add(first, 32),
        Function::Sub => Update::Add(Value::from((first as u32).wrapping_neg()), 32),
        Function::Min => Update::Min(first),
        Function::Max => Update::Max(first),
        Function::And => Update::And(first),
        Function::Or => Update::Or(first),
        Function::Xor => Update::Xor(first),
        Function::Exchange => Update::Exchange(first),
        Function::CompareExchange => {
            Update::CompareExchange { expected: first, with: second, failed }
        }
    }
}

/// Returns the result of an update of `found`, or of a computation.
fn left(function: Function, found: Value, values: [Value; 2]) -> Value {
    update(function, values, None).apply(found, |_| found).unwrap_or(found)
}

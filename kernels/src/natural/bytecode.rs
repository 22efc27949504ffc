//! A small stack machine that runs one program on many inputs.

/// One machine per invocation.
#[hirace::monitor]
pub mod bytecode {
    use hirace::prelude::*;

    const STACK: usize = 16;
    const FUEL: usize = 200;

    /// A runtime error.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(u32)]
    pub enum Fault {
        /// A value was popped from an empty stack.
        Underflow = 1,
        /// A value was pushed on a full stack.
        Overflow = 2,
        /// The operation is unknown.
        Unknown = 3,
        /// The step limit was reached.
        OutOfFuel = 4,
        /// A division by zero.
        DivisionByZero = 5,
    }

    #[derive(Clone, Copy)]
    enum Op {
        Push(i32),
        Input,
        Add,
        Sub,
        Mul,
        Div,
        Dup,
        Swap,
        JumpIfZero { target: usize },
        Halt,
    }

    impl Op {
        /// Decodes a word: the lower byte is the operation, the rest is its operand.
        fn decode(word: u32) -> Result<Self, Fault> {
            let operand = word as i32 >> 8;
            Ok(match word & 0xff {
                0 => Self::Halt,
                1 => Self::Push(operand),
                2 => Self::Input,
                3 => Self::Add,
                4 => Self::Sub,
                5 => Self::Mul,
                6 => Self::Div,
                7 => Self::Dup,
                8 => Self::Swap,
                9 => Self::JumpIfZero { target: operand as usize },
                _ => return Err(Fault::Unknown),
            })
        }
    }

    #[derive(Default)]
    struct Machine {
        stack: [i32; STACK],
        len: usize,
        pc: usize,
    }

    impl Machine {
        fn push(&mut self, value: i32) -> Result<(), Fault> {
            if self.len == STACK {
                return Err(Fault::Overflow);
            }
            self.stack[self.len] = value;
            self.len += 1;
            Ok(())
        }

        fn pop(&mut self) -> Result<i32, Fault> {
            self.len = self.len.checked_sub(1).ok_or(Fault::Underflow)?;
            Ok(self.stack[self.len])
        }

        fn binary(&mut self, op: Op) -> Result<(), Fault> {
            let right = self.pop()?;
            let left = self.pop()?;
            let result = match op {
                Op::Sub => left.wrapping_sub(right),
                Op::Mul => left.wrapping_mul(right),
                Op::Div if right == 0 => return Err(Fault::DivisionByZero),
                Op::Div => left.wrapping_div(right),
                _ => left.wrapping_add(right),
            };
            self.push(result)
        }

        /// Runs a program and returns the top of the stack at its end.
        fn run(&mut self, program: &[u32], input: i32) -> Result<i32, Fault> {
            for _ in 0..FUEL {
                let word = program.get(self.pc).copied().unwrap_or(0);
                self.pc += 1;
                match Op::decode(word)? {
                    Op::Halt => return self.pop(),
                    Op::Push(value) => self.push(value)?,
                    Op::Input => self.push(input)?,
                    Op::Dup => {
                        let top = self.pop()?;
                        self.push(top)?;
                        self.push(top)?;
                    }
                    Op::Swap => {
                        let (top, below) = (self.pop()?, self.pop()?);
                        self.push(top)?;
                        self.push(below)?;
                    }
                    Op::JumpIfZero { target } => {
                        if self.pop()? == 0 {
                            self.pc = target;
                        }
                    }
                    op @ (Op::Add | Op::Sub | Op::Mul | Op::Div) => self.binary(op)?,
                }
            }
            Err(Fault::OutOfFuel)
        }
    }

    /// Writes results, and a fault code for each: 0 if there is none.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        program: &[u32],
        inputs: &[i32],
        results: &mut [i32],
        faults: &mut [u32],
    ) {
        let i = id.x as usize;
        let Some(&input) = inputs.get(i) else { return };
        let mut machine = Machine::default();
        match machine.run(program, input) {
            Ok(result) => results[i] = result,
            Err(fault) => faults[i] = fault as u32,
        }
    }

    /// Shares one register among all machines.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        program: &[u32],
        inputs: &[i32],
        register: &mut [i32],
    ) {
        let i = id.x as usize;
        let mut machine = Machine::default();
        if let Ok(result) = machine.run(program, inputs[i]) {
            register[0] = result;
//          ^^^^^^^^^^^ race: write/write on register[..]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::bytecode::{self, Fault};
    use crate::support::{clean, integers, racy};
    use hirace::Launch;

    const fn push(n: i32) -> u32 {
        1 | (n << 8) as u32
    }

    const fn jump_if_zero(to: u32) -> u32 {
        9 | to << 8
    }

    const HALT: u32 = 0;
    const INPUT: u32 = 2;
    const ADD: u32 = 3;
    const SUB: u32 = 4;
    const MUL: u32 = 5;
    const DIV: u32 = 6;
    const DUP: u32 = 7;
    const SWAP: u32 = 8;

    fn launch(program: &[u32], inputs: &[i32]) -> Launch {
        Launch::new().workgroups(2).buffer("program", program).buffer("inputs", inputs)
    }

    #[test]
    fn programs_are_run() {
        // 1000 / n + n * n - 7
        let formula = [INPUT, push(1000), SWAP, DIV, INPUT, DUP, MUL, ADD, push(-7), ADD, HALT];
        let inputs = integers(20, 100, 360);
        let launch = launch(&formula, &inputs).zeros("results", 100).zeros("faults", 100);
        let run = clean(&bytecode::clean::kernel(), launch);
        let results: Vec<i32> =
            inputs.iter().map(|&n| if n == 0 { 0 } else { 1000 / n + n * n - 7 }).collect();
        let faults: Vec<u32> =
            inputs.iter().map(|&n| if n == 0 { Fault::DivisionByZero as u32 } else { 0 }).collect();
        assert_eq!(run.read::<i32>("results"), results);
        assert_eq!(run.read::<u32>("faults"), faults);
    }

    #[test]
    fn programs_have_loops_and_faults() {
        let run = |program: &[u32]| {
            let inputs: Vec<i32> = (0..16).collect();
            let launch = launch(program, &inputs).zeros("results", 16).zeros("faults", 16);
            let run = clean(&bytecode::clean::kernel(), launch);
            (run.read::<i32>("results"), run.read::<u32>("faults"))
        };
        // Counts n down to 0, then pushes 42.
        let loops =
            [INPUT, DUP, jump_if_zero(7), push(1), SUB, push(0), jump_if_zero(1), push(42), HALT];
        assert_eq!(run(&loops), (vec![42; 16], vec![0; 16]));
        // An endless loop, an empty stack, a full stack, and an unknown operation.
        let fault = |program: &[u32]| run(program).1;
        assert_eq!(fault(&[push(0), jump_if_zero(0)]), vec![Fault::OutOfFuel as u32; 16]);
        assert_eq!(fault(&[ADD]), vec![Fault::Underflow as u32; 16]);
        assert_eq!(fault(&[INPUT; 17]), vec![Fault::Overflow as u32; 16]);
        assert_eq!(fault(&[77]), vec![Fault::Unknown as u32; 16]);
    }

    #[test]
    fn a_shared_register_races() {
        let launch = launch(&[INPUT, DUP, MUL], &integers(9, 128, 361)).zeros("register", 1);
        racy(&bytecode::racy::kernel(), launch, include_str!("bytecode.rs"));
    }
}

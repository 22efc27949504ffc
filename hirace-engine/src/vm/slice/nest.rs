//! The nesting of control structures in flat code, and the targets of jumps.

use crate::vm::code::{Code, Instruction};
use std::ops::Range;

/// The kind of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An `if`, with the index of its `Else` if it has one.
    If(Option<usize>),
    /// A loop, with the index of its `Continuing`.
    Loop(usize),
    Switch,
    /// A helper function or the entry point.
    Function,
}

/// A control structure, from the instruction that enters it to the one that ends it.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
    pub parent: Option<usize>,
}

impl Block {
    /// Returns the instructions of the block.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end + 1
    }

    /// Returns the sides of an `if`.
    pub fn arms(&self) -> [Range<usize>; 2] {
        let middle = match self.kind {
            Kind::If(Some(middle)) => middle,
            _ => self.end,
        };
        [self.start + 1..middle, (middle + 1).min(self.end)..self.end]
    }

    /// Returns whether two instructions are not on different sides of an `if`.
    pub fn is_one_side(&self, a: usize, b: usize) -> bool {
        match self.kind {
            Kind::If(Some(middle)) => (a < middle) == (b < middle),
            _ => true,
        }
    }
}

/// The nesting of code.
#[derive(Debug)]
pub struct Nest {
    pub blocks: Vec<Block>,
    /// For each instruction, its innermost block; the instructions that enter or end a block belong to it.
    pub innermost: Vec<usize>,
}

impl Nest {
    /// Computes the nesting of `code`; `None` if its instructions do not nest.
    pub fn of(code: &Code) -> Option<Self> {
        let mut nest = Self { blocks: Vec::new(), innermost: Vec::new() };
        let mut open: Vec<usize> = Vec::new();
        for (at, instruction) in code.instructions.iter().enumerate() {
            if open.is_empty() {
                nest.enter(&mut open, Kind::Function, at);
            }
            match instruction {
                Instruction::If { .. } => nest.enter(&mut open, Kind::If(None), at),
                Instruction::Loop { continuing, .. } => {
                    nest.enter(&mut open, Kind::Loop(*continuing as usize), at);
                }
                Instruction::Switch { .. } => nest.enter(&mut open, Kind::Switch, at),
                Instruction::Else { .. } => {
                    nest.blocks[*open.last()?].kind = Kind::If(Some(at));
                }
                _ => {}
            }
            let innermost = *open.last()?;
            nest.innermost.push(innermost);
            let is_end = matches!(
                (instruction, nest.blocks[innermost].kind),
                (Instruction::EndIf, Kind::If(_))
                    | (Instruction::Back { .. }, Kind::Loop(_))
                    | (Instruction::EndSwitch, Kind::Switch)
                    | (Instruction::FunctionEnd, Kind::Function)
            );
            if is_end {
                nest.blocks[innermost].end = at;
                open.pop();
            }
        }
        open.is_empty().then_some(nest)
    }

    fn enter(&mut self, open: &mut Vec<usize>, kind: Kind, at: usize) {
        self.blocks.push(Block { kind, start: at, end: at, parent: open.last().copied() });
        open.push(self.blocks.len() - 1);
    }

    /// Returns the blocks that enclose an instruction, from the innermost one to the function.
    pub fn around(&self, at: usize) -> impl Iterator<Item = usize> {
        let innermost = self.innermost.get(at).copied();
        std::iter::successors(innermost, |block| self.blocks[*block].parent)
    }

    /// Returns the block that a jump leaves or continues.
    pub fn target(&self, at: usize, jump: Instruction) -> Option<usize> {
        self.around(at).find(|block| match (jump, self.blocks[*block].kind) {
            (Instruction::Break, kind) => matches!(kind, Kind::Loop(_) | Kind::Switch),
            (Instruction::Continue | Instruction::BreakIf { .. }, kind) => {
                matches!(kind, Kind::Loop(_))
            }
            (Instruction::Return { .. }, kind) => kind == Kind::Function,
            _ => false,
        })
    }

    /// Returns the function that contains an instruction.
    pub fn function(&self, at: usize) -> Option<usize> {
        self.around(at).find(|block| self.blocks[*block].kind == Kind::Function)
    }
}

//! How the structures of flat code nest, and where jumps lead.

use crate::vm::code::{Code, Instruction};
use std::ops::Range;

/// What encloses instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// With the place of its `Else`, if it has one.
    If(Option<usize>),
    /// With the place of its `Continuing`.
    Loop(usize),
    Switch,
    /// A helper function, or the entry point.
    Function,
}

/// A structure, from the instruction that enters it to the one that ends it.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
    pub parent: Option<usize>,
}

impl Block {
    /// The instructions of it.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end + 1
    }

    /// The sides of an `if`.
    pub fn arms(&self) -> [Range<usize>; 2] {
        let middle = match self.kind {
            Kind::If(Some(middle)) => middle,
            _ => self.end,
        };
        [self.start + 1..middle, (middle + 1).min(self.end)..self.end]
    }

    /// Whether two instructions are not on different sides of an `if`.
    pub fn is_one_side(&self, a: usize, b: usize) -> bool {
        match self.kind {
            Kind::If(Some(middle)) => (a < middle) == (b < middle),
            _ => true,
        }
    }
}

/// See the [module](self).
#[derive(Debug)]
pub struct Nest {
    pub blocks: Vec<Block>,
    /// For each instruction, the innermost block that it is in; those that enter or end a block are in it.
    pub innermost: Vec<usize>,
}

impl Nest {
    /// Of `code`; nothing if its instructions do not nest.
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

    /// The blocks around an instruction, from the innermost out, to the function.
    pub fn around(&self, at: usize) -> impl Iterator<Item = usize> {
        let innermost = self.innermost.get(at).copied();
        std::iter::successors(innermost, |block| self.blocks[*block].parent)
    }

    /// The block that a jump leaves or goes on with.
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

    /// The function that an instruction is in.
    pub fn function(&self, at: usize) -> Option<usize> {
        self.around(at).find(|block| self.blocks[*block].kind == Kind::Function)
    }
}

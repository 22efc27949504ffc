//! Finds paired reads and writes: `data[i] += 1` reads and writes the same location.
//!
//! Pairs are found within a straight-line run of instructions, so that the same lanes do both. Two locations
//! are equal if their addresses are computed in the same way from registers that have not been written in
//! between. Only what observers are shown is changed.

use crate::ir::access::{Action, Extent};
use crate::ir::sites::SiteId;
use crate::vm::code::{Code, Instruction, MemoryRef, Pairing, Range, Register};

/// Marks the pairs.
pub(super) fn pair(code: &mut Code) {
    let mut block = Block::default();
    for instruction in code.instructions.clone() {
        block.pass(code, instruction);
    }
}

/// How an address is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Way {
    base: Option<Register>,
    index: Register,
    stride: u32,
    offset: u32,
    length: u32,
}

/// A read that has no paired write yet.
#[derive(Clone, Debug)]
struct Read {
    memory: MemoryRef,
    address: Register,
    extent: Box<[Extent]>,
    site: SiteId,
    access: u32,
}

/// What is known within the current straight-line run.
#[derive(Debug, Default)]
struct Block {
    /// Addresses that are in registers.
    ways: Vec<(Way, Register)>,
    reads: Vec<Read>,
}

impl Block {
    fn pass(&mut self, code: &mut Code, instruction: Instruction) {
        match instruction {
            Instruction::Address { to, index, stride, offset, check } => {
                let length = code.checks[check as usize].length;
                self.compute(Way { base: None, index, stride, offset, length }, to);
            }
            Instruction::AddressFrom { to, base, index, stride, check } => {
                let (base, length) = (Some(self.first(base)), code.checks[check as usize].length);
                self.compute(Way { base, index, stride, offset: 0, length }, to);
            }
            Instruction::Load { to, access, .. } => {
                let parts = code.accesses[access as usize].parts.iter();
                let ends = parts.map(|part| part.register + part.leaf.registers());
                self.write(Range { start: to, count: ends.max().unwrap_or(0) });
                self.read(code, access);
            }
            Instruction::Store { access, .. } => self.store(code, access),
            Instruction::Copy { to, .. }
            | Instruction::Assign { to, .. }
            | Instruction::Clear { to } => self.write(to),
            Instruction::Binary { out, .. } | Instruction::Unary { out, .. } => self.write(out),
            Instruction::Compute { index } => self.write(code.computations[index as usize].out),
            Instruction::Length { to, .. } | Instruction::Offset { to, .. } => self.write(one(to)),
            Instruction::Claim { .. } => {}
            _ => *self = Self::default(),
        }
    }

    /// Returns the register that an address was first computed into.
    fn first(&self, address: Register) -> Register {
        let way = self.ways.iter().find(|(_, register)| *register == address);
        let same = |way: &Way| self.ways.iter().find(|(other, _)| other == way);
        way.and_then(|(way, _)| same(way)).map_or(address, |(_, register)| *register)
    }

    fn compute(&mut self, way: Way, to: Register) {
        self.write(one(to));
        if way.index != to && way.base != Some(to) {
            self.ways.push((way, to));
        }
    }

    /// Discards everything that depends on registers that are written.
    fn write(&mut self, range: Range) {
        let is_written = |register: Register| range.indices().contains(&(register as usize));
        self.reads.retain(|read| !is_written(read.address));
        self.ways.retain(|(way, register)| {
            let used = [Some(*register), Some(way.index), way.base];
            !used.into_iter().flatten().any(is_written)
        });
    }

    fn read(&mut self, code: &Code, access: u32) {
        let found = &code.accesses[access as usize];
        let Some(event) = found.event.as_ref().filter(|event| event.action == Action::Read) else {
            return;
        };
        self.reads.push(Read {
            memory: found.memory,
            address: self.first(event.address),
            extent: event.extent.clone(),
            site: event.site,
            access,
        });
    }

    fn store(&mut self, code: &mut Code, access: u32) {
        let found = &mut code.accesses[access as usize];
        let Some(event) = found.event.as_mut().filter(|event| event.action == Action::Write) else {
            return;
        };
        let address = self.first(event.address);
        let last = self.reads.iter().rposition(|read| {
            (read.memory, read.address, &read.extent) == (found.memory, address, &event.extent)
        });
        let Some(last) = last else { return };
        let read = self.reads.remove(last);
        event.pairing = Pairing::AfterRead(read.site);
        let write = event.site;
        if let Some(event) = &mut code.accesses[read.access as usize].event {
            event.pairing = Pairing::BeforeWrite(write);
        }
    }
}

fn one(start: Register) -> Range {
    Range { start, count: 1 }
}

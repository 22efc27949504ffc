//! The locations of a kernel: from a piece of memory to a number, and back.
//!
//! A location has 32 bits for the offset in bytes, 2 for how many bytes it has, 14 for the memory and 16 for the
//! workgroup whose it is, from 1; 0 is everybody's.

use crate::program::{Class, Location, Value};
use hirace_core::ir::memory::{MemoryId, Space};
use hirace_core::ir::naming::describe;
use hirace_core::program::Program;
use hirace_core::vm::machine::{Piece, Place};
use hirace_core::vm::memory::Resources;
use naga::{GlobalVariable, Handle, Module};

/// The kind of memory of a space.
pub fn class(space: Space) -> Class {
    Class(match space {
        Space::Storage => 0,
        Space::Workgroup => 1,
        Space::Texture => 2,
    })
}

/// The location of a piece.
pub fn location(place: Place, piece: Piece) -> Location {
    let bytes = match piece.bytes {
        1 => 0,
        2 => 1,
        _ => 2u64,
    };
    let workgroup = match place.space {
        Space::Workgroup => u64::from(place.workgroup) + 1,
        _ => 0,
    };
    Location(
        workgroup << 48 | u64::from(place.memory.0) << 34 | bytes << 32 | u64::from(piece.offset),
    )
}

/// What it holds at first.
pub fn initial(resources: &Resources, location: Location) -> Value {
    if location.0 >> 48 != 0 {
        return 0;
    }
    let (memory, offset) = (memory(location), location.0 as u32);
    let buffer = resources
        .buffer(memory)
        .or_else(|| resources.texture(memory).map(|texture| &texture.texels));
    let word = buffer.and_then(|buffer| buffer.words().get(offset as usize / 4));
    let word = word.map_or(0, |word| word.load(std::sync::atomic::Ordering::Relaxed));
    let bits = 8 << (location.0 >> 32 & 3);
    u64::from(word >> (8 * (offset % 4))) & u64::MAX >> (64 - bits)
}

/// What the source calls it: `data[3]`.
pub fn name(program: &Program, location: Location) -> String {
    variable(&program.module, location)
        .map_or_else(String::new, |handle| describe(&program.module, handle, location.0 as u32))
}

/// The variable that it is in.
pub fn variable(module: &Module, location: Location) -> Option<Handle<GlobalVariable>> {
    let mut globals = module.global_variables.iter();
    let found = globals.find(|(handle, _)| handle.index() as u32 == memory(location).0);
    found.map(|(handle, _)| handle)
}

/// The memory that it is in.
pub fn memory(location: Location) -> MemoryId {
    MemoryId((location.0 >> 34 & 0x3fff) as u32)
}

//! The locations of a kernel: the encoding of a piece of memory as a number.
//!
//! The low 32 bits are the offset in bytes, followed by 2 bits for the size, 14 bits for the memory, and 16 bits for
//! the workgroup that owns the memory, counted from 1; 0 stands for memory that all workgroups share.

use crate::program::{Class, Location, Value};
use hirace_core::ir::memory::{MemoryId, Space};
use hirace_core::ir::naming::describe;
use hirace_core::program::Program;
use hirace_core::vm::machine::{Piece, Place};
use hirace_core::vm::memory::Resources;
use naga::{GlobalVariable, Handle, Module};

/// Returns the storage class of a memory space.
pub fn class(space: Space) -> Class {
    Class(match space {
        Space::Storage => 0,
        Space::Workgroup => 1,
        Space::Texture => 2,
    })
}

/// Returns the location of a piece.
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

/// Returns the initial value of a location.
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

/// Returns the name of a location in the source: `data[3]`.
pub fn name(program: &Program, location: Location) -> String {
    variable(&program.module, location)
        .map_or_else(String::new, |handle| describe(&program.module, handle, location.0 as u32))
}

/// Returns the variable that contains a location.
pub fn variable(module: &Module, location: Location) -> Option<Handle<GlobalVariable>> {
    let mut globals = module.global_variables.iter();
    let found = globals.find(|(handle, _)| handle.index() as u32 == memory(location).0);
    found.map(|(handle, _)| handle)
}

/// Returns the memory that contains a location.
pub fn memory(location: Location) -> MemoryId {
    MemoryId((location.0 >> 34 & 0x3fff) as u32)
}

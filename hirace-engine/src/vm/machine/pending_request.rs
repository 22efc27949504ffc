//! Builds the request of the instruction that an invocation has stopped at.

use super::request::{Access, Answer, Piece, Place, Request};
use crate::ir::access::{Action, Extent};
use crate::ir::sites::SiteId;
use crate::vm::atomic::Update;
use crate::vm::code::{
    AccessEvent, ImageOperation, ImageStep, Instruction, MemoryAccess, MemoryRef, Pairing, Part,
    Register,
};
use crate::vm::engine::fragment::Fragment;
use crate::vm::engine::memory::read_value;
use crate::vm::engine::{INVALID_ADDRESS, Setup, image};
use crate::vm::observer::{Accesses, Space, Watcher};
use crate::vm::ops::image::Image;
use std::sync::atomic::Ordering;

/// How a visible operation is handled.
pub enum OperationVisibility {
    /// The driver is asked.
    Ask(Request),
    /// The operation is not visible to other invocations, or accesses nothing.
    Invisible(Answer),
}

/// Returns the instruction that an invocation has a request for.
pub fn pending_instruction(setup: &Setup, f: &Fragment<1>) -> Option<Instruction> {
    setup.code.instructions.get(f.pc.checked_sub(1)? as usize).copied()
}

/// Returns how the operation that the invocation has stopped at is handled.
pub fn handling(setup: &Setup, workgroup: u32, f: &Fragment<1>) -> OperationVisibility {
    let code = setup.code;
    match pending_instruction(setup, f) {
        Some(Instruction::Load { address, access, .. }) => {
            let access = &code.accesses[access as usize];
            let pieces = pieces(access, f.registers[address as usize][0]);
            match access.memory {
                _ if pieces.is_empty() => OperationVisibility::Invisible(Answer::Read(Vec::new())),
                MemoryRef::Buffer(buffer) if !code.buffers[buffer as usize].writable => {
                    let words = setup.buffers[buffer as usize].words;
                    let word = |at: u32| {
                        words.get(at as usize).map_or(0, |word| word.load(Ordering::Relaxed))
                    };
                    let read = |p: &Piece| word(p.offset / 4) >> (8 * (p.offset % 4));
                    OperationVisibility::Invisible(Answer::Read(pieces.iter().map(read).collect()))
                }
                _ => OperationVisibility::Ask(Request::Read(shared(
                    setup,
                    workgroup,
                    access,
                    pieces,
                    Action::Read,
                ))),
            }
        }
        Some(Instruction::Store { address, from, access }) => {
            let access = &code.accesses[access as usize];
            let pieces = pieces(access, f.registers[address as usize][0]);
            if pieces.is_empty() {
                return OperationVisibility::Invisible(Answer::Done);
            }
            let values = access.parts.iter().flat_map(|part| {
                let first = from + part.register;
                registers(part)
                    .map(move |at| part.leaf.encode(f.registers[(first + at) as usize][0]))
            });
            let values = values.collect();
            OperationVisibility::Ask(Request::Write(
                shared(setup, workgroup, access, pieces, Action::Write),
                values,
            ))
        }
        Some(Instruction::Atomic { address, operation, .. }) => {
            let operation = &code.atomics[operation as usize];
            let access = &code.accesses[operation.access as usize];
            let address = f.registers[address as usize][0];
            if address == INVALID_ADDRESS {
                return OperationVisibility::Invisible(Answer::Updated(0));
            }
            let update = update(f, operation);
            let offset = access.parts.first().map_or(0, |part| part.offset);
            let bytes = u32::from(update.scalar.width);
            let pieces = vec![Piece { offset: address.wrapping_add(offset), bytes }];
            OperationVisibility::Ask(Request::Update(
                shared(setup, workgroup, access, pieces, Action::Atomic),
                update,
            ))
        }
        Some(Instruction::Image { index }) => texel(setup, f, &code.image_steps[index as usize]),
        Some(Instruction::Fence { index }) => {
            let fence = code.fences[index as usize];
            OperationVisibility::Ask(Request::Fence { memory: fence.memory, site: fence.site })
        }
        _ => OperationVisibility::Invisible(Answer::Done),
    }
}

/// Returns the update that an atomic operation of the invocation performs.
pub fn update(f: &Fragment<1>, operation: &crate::vm::code::AtomicOperation) -> Update {
    let wide = operation.scalar.width == 8;
    let value = |register: Register| read_value(&f.registers, register, 0, wide);
    Update {
        function: operation.function,
        scalar: operation.scalar,
        value: value(operation.value),
        compare: operation.compare.map(value),
    }
}

/// Returns the update that an atomic operation on a texture performs on the first words of the texel.
pub fn texel_update(f: &Fragment<1>, step: &ImageStep) -> Option<Update> {
    let ImageOperation::Atomic { function, scalar } = step.operation else { return None };
    let [low, high, ..] = image::texel(f, step.value, 0);
    let value = u64::from(low) | u64::from(high) << 32;
    Some(Update { function, scalar, value, compare: None })
}

fn texel(setup: &Setup, f: &Fragment<1>, step: &ImageStep) -> OperationVisibility {
    let used = &setup.code.textures[step.texture as usize];
    let image = Image { texture: setup.textures[step.texture as usize], dim: used.dim };
    let Some(word) = image::word(f, step, image, 0) else {
        return OperationVisibility::Invisible(match step.operation {
            ImageOperation::Load { .. } => Answer::Read(Vec::new()),
            ImageOperation::Atomic { .. } => Answer::Updated(0),
            _ => Answer::Done,
        });
    };
    let (site, action) = step.site.unwrap_or((SiteId::NONE, Action::Read));
    let first = word as u32 * 4;
    let access = |pieces| {
        let place = Place { memory: used.memory, space: Space::Texture, workgroup: 0 };
        Access { place, pieces, site, action }
    };
    let words = || (0..4).map(|at| Piece { offset: first + 4 * at, bytes: 4 }).collect();
    OperationVisibility::Ask(match (step.operation, texel_update(f, step)) {
        (_, Some(update)) => {
            let bytes = u32::from(update.scalar.width);
            Request::Update(access(vec![Piece { offset: first, bytes }]), update)
        }
        (ImageOperation::Store, None) => {
            let texel = image::stored(f, step, used, 0);
            Request::Write(access(words()), texel.to_vec())
        }
        _ => Request::Read(access(words())),
    })
}

/// Returns the registers of a part, relative to its first one.
pub fn registers(part: &Part) -> std::ops::Range<u32> {
    0..part.leaf.registers()
}

/// Returns the pieces that an access at an address touches. None if the address is invalid.
fn pieces(access: &MemoryAccess, address: u32) -> Vec<Piece> {
    if address == INVALID_ADDRESS {
        return Vec::new();
    }
    let pieces = access.parts.iter().flat_map(|part| {
        let bytes = part.leaf.bytes();
        let start = address.saturating_add(part.offset);
        registers(part).map(move |at| Piece { offset: start.saturating_add(bytes * at), bytes })
    });
    pieces.collect()
}

fn shared(
    setup: &Setup,
    workgroup: u32,
    access: &MemoryAccess,
    pieces: Vec<Piece>,
    does: Action,
) -> Access {
    let place = match access.memory {
        MemoryRef::Buffer(buffer) => {
            let memory = setup.code.buffers[buffer as usize].memory;
            Place { memory, space: Space::Storage, workgroup: 0 }
        }
        MemoryRef::Workgroup(variable) => {
            let (memory, _) = setup.code.workgroup_variables[variable as usize];
            Place { memory, space: Space::Workgroup, workgroup }
        }
    };
    let event = access.event.as_ref();
    Access {
        place,
        pieces,
        site: event.map_or(SiteId::NONE, |event| event.site),
        action: event.map_or(does, |event| event.action),
    }
}

/// Shows an observer the access that an invocation requests, or that was just handled without a request.
pub fn show<W: Watcher + ?Sized>(setup: &Setup, f: &Fragment<1>, watcher: &mut W) {
    let code = setup.code;
    let seen = |access: u32| {
        let access = &code.accesses[access as usize];
        let memory = match access.memory {
            MemoryRef::Buffer(buffer) => code.buffers[buffer as usize].memory,
            MemoryRef::Workgroup(variable) => code.workgroup_variables[variable as usize].0,
        };
        Some((access.event.as_ref()?, memory))
    };
    let event = match pending_instruction(setup, f) {
        Some(Instruction::Load { access, .. } | Instruction::Store { access, .. }) => seen(access),
        Some(Instruction::Atomic { operation, .. }) => {
            seen(code.atomics[operation as usize].access)
        }
        Some(Instruction::Image { index }) => {
            return show_texel(setup, f, &code.image_steps[index as usize], watcher);
        }
        _ => None,
    };
    let Some((event, memory)) = event else { return };
    let AccessEvent { site, action, space, commutes, address, ref extent, .. } = *event;
    let offset = f.registers[address as usize][0];
    if offset == INVALID_ADDRESS {
        return;
    }
    let (subgroup, first_invocation, mask) = (f.subgroup, f.first, 1);
    let offsets = &[offset];
    watcher.access(&Accesses {
        site,
        action,
        commutes,
        space,
        memory,
        subgroup,
        first_invocation,
        mask,
        offsets,
        extent,
        stored: None,
        pairing: Pairing::Alone,
    });
}

fn show_texel<W: Watcher + ?Sized>(
    setup: &Setup,
    f: &Fragment<1>,
    step: &ImageStep,
    watcher: &mut W,
) {
    let used = &setup.code.textures[step.texture as usize];
    let image = Image { texture: setup.textures[step.texture as usize], dim: used.dim };
    let Some((site, action)) = step.site else { return };
    let Some(word) = image::word(f, step, image, 0) else { return };
    watcher.access(&Accesses {
        site,
        action,
        commutes: false,
        space: Space::Texture,
        memory: used.memory,
        subgroup: f.subgroup,
        first_invocation: f.first,
        mask: 1,
        offsets: &[word as u32],
        extent: &[Extent { offset: 0, bytes: 4 }],
        stored: None,
        pairing: Pairing::Alone,
    });
}

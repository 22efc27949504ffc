//! Names of racy words in the syntax of the source.

use crate::facts::{Memory, Space};
use crate::ir::{layout, naming};
use crate::launch::Launch;
use crate::observe::Granule;
use crate::program::Program;
use crate::vm::observer::MemoryId;
use naga::{AddressSpace, GlobalVariable, Handle};

/// Returns the variable that a memory belongs to.
pub(crate) fn variable(
    program: &Program,
    memory: MemoryId,
) -> Option<(Handle<GlobalVariable>, &GlobalVariable)> {
    program.module.global_variables.iter().nth(memory.0 as usize)
}

/// Returns the name of the variable that a memory belongs to; empty if there is none.
pub(crate) fn variable_name(program: &Program, memory: MemoryId) -> String {
    variable(program, memory).map(|(_, global)| name(global)).unwrap_or_default()
}

/// Returns the name of a variable.
pub(crate) fn name(global: &GlobalVariable) -> String {
    global.name.clone().unwrap_or_else(|| "(unnamed)".to_owned())
}

/// Returns the address space of a variable.
pub(crate) fn space(global: &GlobalVariable) -> Space {
    match global.space {
        AddressSpace::WorkGroup => Space::Workgroup,
        AddressSpace::Handle => Space::Texture,
        AddressSpace::Private => Space::Private,
        AddressSpace::Uniform => Space::Uniform,
        _ => Space::Storage,
    }
}

/// Returns the memory that a race on `granule` is about.
pub(crate) fn memory(program: &Program, launch: &Launch, granule: Granule) -> Memory {
    let Some((handle, global)) = variable(program, granule.memory) else {
        let (variable, element) = Default::default();
        return Memory { space: Space::Storage, variable, index: granule.index.into(), element };
    };
    let variable = name(global);
    if let Some(texture) = launch.resources.texture(granule.memory) {
        let [width, height, _] = texture.size.map(|n| n.max(1));
        let (x, y) = (granule.index % width, granule.index / width % height);
        let z = granule.index / width / height;
        let element = match texture.size {
            [_, 1, 1] => format!("{variable}[{x}]"),
            [_, _, 1] => format!("{variable}[({x}, {y})]"),
            _ => format!("{variable}[({x}, {y}, {z})]"),
        };
        let index = i64::from(granule.index);
        return Memory { space: Space::Texture, variable, index, element };
    }
    let offset = granule.index << layout::granule_shift(&program.module, global.ty);
    let element = naming::describe(&program.module, handle, offset);
    Memory { space: space(global), variable, index: i64::from(offset / 4), element }
}

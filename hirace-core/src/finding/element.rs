//! What a racy word is called in the source.

use super::Memory;
use crate::ir::{layout, naming};
use crate::launch::Launch;
use crate::observe::Granule;
use crate::program::Program;
use crate::vm::observer::MemoryId;
use naga::{AddressSpace, GlobalVariable, Handle};

/// The variable that a memory belongs to.
pub(crate) fn variable(
    program: &Program,
    memory: MemoryId,
) -> Option<(Handle<GlobalVariable>, &GlobalVariable)> {
    program.module.global_variables.iter().nth(memory.0 as usize)
}

/// Its name.
pub(crate) fn name(global: &GlobalVariable) -> String {
    global.name.clone().unwrap_or_else(|| "(unnamed)".to_owned())
}

/// `storage`, `workgroup`, `texture` …
pub(crate) fn space(global: &GlobalVariable) -> &'static str {
    match global.space {
        AddressSpace::WorkGroup => "workgroup",
        AddressSpace::Handle => "texture",
        AddressSpace::Private => "private",
        AddressSpace::Uniform => "uniform",
        _ => "storage",
    }
}

/// The memory of a race on `granule`.
pub(crate) fn memory(program: &Program, launch: &Launch, granule: Granule) -> Memory {
    let Some((handle, global)) = variable(program, granule.memory) else {
        let index = i64::from(granule.index);
        return Memory {
            space: String::new(),
            variable: String::new(),
            index,
            element: String::new(),
        };
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
        return Memory { space: "texture".to_owned(), variable, index, element };
    }
    let offset = granule.index << layout::granule_shift(&program.module, global.ty);
    let element = naming::describe(&program.module, handle, offset);
    Memory { space: space(global).to_owned(), variable, index: i64::from(offset / 4), element }
}

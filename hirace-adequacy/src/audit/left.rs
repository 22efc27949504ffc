//! What a launch leaves, as a test may expect it.

use super::search::draft::written;
use hirace_core::check::memory::FinalMemory;
use hirace_core::finding::fingerprint;
use hirace_core::ir::scalars::{Footprint, scalars};
use hirace_core::launch::number::Number;

/// No more numbers are written down as what a buffer is to hold.
const MOST_EXPECTED: usize = 256;

/// What a buffer holds after a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The buffer.
    pub name: String,
    /// Its numbers, as SPEC; nothing, where they are too many to be read.
    pub numbers: Option<String>,
    /// A hash of its bytes.
    pub digest: u64,
}

/// What these buffers and textures hold.
pub fn left(memory: &FinalMemory, names: &[String]) -> Vec<Left> {
    let of = |name: &String| {
        let digest = fingerprint::digest(&memory.contents(name).ok()?);
        Some(Left { name: name.clone(), numbers: numbers(memory, name), digest })
    };
    names.iter().filter_map(of).collect()
}

/// What a buffer holds, as SPEC, if it is few numbers.
fn numbers(memory: &FinalMemory, name: &str) -> Option<String> {
    let bytes = memory.bytes(name).ok()?;
    let module = &memory.program.module;
    let mut variables = module.global_variables.iter();
    let (_, variable) = variables.find(|(_, one)| one.name.as_deref() == Some(name))?;
    let elements = Footprint::of(module, variable.ty).elements(u32::try_from(bytes.len()).ok()?);
    let mut all: Vec<Option<String>> = Vec::new();
    scalars(module, variable.ty, elements, &mut |slot| {
        let number = Number::read(slot, &bytes).filter(|number| number.to_f64().is_finite());
        all.push(number.map(|number| written(number, Some(slot.scalar))));
    });
    // What is no number cannot be written.
    let all = all.into_iter().collect::<Option<Vec<String>>>()?;
    match all.split_first() {
        Some((first, rest)) if rest.len() > 3 && rest.iter().all(|one| one == first) => {
            let length = Footprint::of(module, variable.ty).stride.map(|_| format!("{elements}:"));
            Some(format!("fill:{}{first}", length.unwrap_or_default()))
        }
        Some(_) if all.len() <= MOST_EXPECTED => Some(all.join(",")),
        _ => None,
    }
}

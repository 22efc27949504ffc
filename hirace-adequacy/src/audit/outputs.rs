//! The outputs of a launch, in a form that a test can expect.

use super::search::draft::written;
use hirace_core::check::memory::FinalMemory;
use hirace_core::finding::fingerprint;
use hirace_core::ir::scalars::{Footprint, scalars};
use hirace_core::launch::number::Number;

/// The maximum number of values that are listed as the expected contents of a buffer.
const MAX_LISTED_VALUES: usize = 256;

/// The contents of a buffer after a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputContents {
    /// The buffer.
    pub name: String,
    /// The numbers as SPEC, or `None` if there are too many to list.
    pub numbers: Option<String>,
    /// A hash of the bytes.
    pub digest: u64,
}

/// Returns the contents of these buffers and textures.
pub fn output_contents(memory: &FinalMemory, names: &[String]) -> Vec<OutputContents> {
    let of = |name: &String| {
        let digest = fingerprint::digest(&memory.contents(name).ok()?);
        Some(OutputContents { name: name.clone(), numbers: numbers(memory, name), digest })
    };
    names.iter().filter_map(of).collect()
}

/// Returns the contents of a buffer as SPEC, if it has few numbers.
fn numbers(memory: &FinalMemory, name: &str) -> Option<String> {
    let bytes = memory.bytes(name).ok()?;
    let module = &memory.program.module;
    let mut variables = module.global_variables.iter();
    let (_, variable) = variables.find(|(_, one)| one.name.as_deref() == Some(name))?;
    let elements = Footprint::of(module, variable.ty).elements(u32::try_from(bytes.len()).ok()?);
    let mut all: Vec<String> = Vec::new();
    let (mut count, mut are_equal, mut are_finite) = (0, true, true);
    scalars(module, variable.ty, elements, &mut |slot| {
        let number = Number::read(slot, &bytes).filter(|number| number.to_f64().is_finite());
        // Not all values can be written, for example NaN.
        are_finite &= number.is_some();
        if let Some(number) = number
            && (are_equal || count <= MAX_LISTED_VALUES)
        {
            let number = written(number, Some(slot.scalar));
            count += 1;
            are_equal &= all.first().is_none_or(|first| *first == number);
            if count <= MAX_LISTED_VALUES {
                all.push(number);
            }
        }
    });
    match all.first() {
        _ if !are_finite => None,
        Some(first) if count > 4 && are_equal => {
            let length = Footprint::of(module, variable.ty).stride.map(|_| format!("{elements}:"));
            Some(format!("fill:{}{first}", length.unwrap_or_default()))
        }
        Some(_) if count <= MAX_LISTED_VALUES => Some(all.join(",")),
        _ => None,
    }
}

//! Kernels in OpenCL C.
//!
//! Accesses are what the source says they are: plain ones to memory that is also used atomically are plain
//! here too. Every line says which line of the source it is (`#line`), so that a finding is at the same place.
//! Indices are clamped, as they are when the monitor runs, and what C leaves undefined (sums that wrap, division
//! by zero, numbers too large for an integer) is written so that it is what WGSL says it is.
//!
//! - `types` declares structures that lie in memory as WGSL's do, and `constants` what is known of a module;
//! - `function` prints a function: its `statements`, the `places` that pointers point to, and the `values` of
//!   expressions, with their `operators` and `math`.
//!
//! What OpenCL C 1.2 has no words for (subgroups, textures, halves), is refused.

mod constants;
mod function;
mod math;
mod operators;
mod places;
mod statements;
#[cfg(test)]
mod tests;
mod types;
mod values;

use constants::Constants;
use function::Printer;
use hirace_core::ir::walk::FunctionId;
use hirace_core::program::Program;
use naga::{GlobalVariable, Handle};
use types::Types;
pub use types::has;

/// A kernel, printed.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The text.
    pub text: String,
    /// What it is called.
    pub name: String,
    /// Its parameters in order.
    pub parameters: Vec<Parameter>,
    /// How the text declares them.
    pub signature: String,
}

/// What a kernel is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// The buffer of this variable.
    Buffer(Handle<GlobalVariable>),
    /// How many elements of so many bytes that has, the first of which is so many bytes from its beginning.
    Length {
        /// The variable.
        of: Handle<GlobalVariable>,
        /// Where the first element is.
        offset: u32,
        /// How far one is from the next.
        stride: u32,
    },
    /// The value of this uniform variable.
    Value(Handle<GlobalVariable>),
}

/// What there are no words for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("OpenCL C has no words for {0}, or none are known here")]
pub struct Unsayable(pub String);

type Result<T> = std::result::Result<T, Unsayable>;

fn unsayable<T>(what: impl Into<String>) -> Result<T> {
    Err(Unsayable(what.into()))
}

/// How every text begins: a product and a sum stay two operations, each of which rounds.
const PRELUDE: &str = "#pragma OPENCL FP_CONTRACT OFF\n";

/// Prints the entry point of this index, and the functions that it calls.
///
/// # Errors
/// What there are no words for.
pub fn print(program: &Program, entry: usize) -> Result<Kernel> {
    let Some(point) = program.module.entry_points.get(entry) else {
        return unsayable("a kernel that is not there");
    };
    let shared = Shared {
        program,
        types: Types::new(&program.module),
        constants: Constants::new(&program.module),
    };
    let mut helpers: Vec<_> = program
        .calls
        .reachable([FunctionId::Entry(entry)])
        .into_iter()
        .filter_map(|id| match id {
            FunctionId::Helper(handle) => Some(handle),
            FunctionId::Entry(_) => None,
        })
        .collect();
    // naga has what is called before what calls it, and so does C.
    helpers.sort();
    let mut functions = String::new();
    for helper in helpers {
        functions += &Printer::new(&shared, FunctionId::Helper(helper)).helper(helper)?;
    }
    // `kernel` alone would be a word of the language.
    let name = format!("entry_{}", point.name);
    let entry = Printer::new(&shared, FunctionId::Entry(entry)).entry(&name)?;
    let (types, constants) = (shared.types.declared(), shared.constants.declared());
    functions += &entry.text;
    let reversing = match functions.contains(&format!("{}(", math::REVERSED)) {
        true => math::REVERSING,
        false => "",
    };
    let text = format!("{PRELUDE}{types}{constants}{reversing}{functions}");
    Ok(Kernel { text, ..entry })
}

/// What all functions of a text share.
struct Shared<'a> {
    program: &'a Program,
    types: Types<'a>,
    constants: Constants<'a>,
}

//! Kernels in OpenCL C.
//!
//! Accesses are printed as in the source: plain accesses to memory that is also used atomically are plain. Every line
//! states its source line (`#line`), so that findings have the same source location. Indices are clamped, as under the
//! monitor. Operations that are undefined in C (overflow of signed integers, division by zero, conversion of large
//! numbers) are printed so that they behave as in WGSL.
//!
//! - `types` declares structures with the memory layout of WGSL, and `constants` declares constants;
//! - `function` prints a function: its `statements`, the `places` that pointers point to, and the `values` of
//!   expressions, with their `operators` and `math`.
//!
//! What OpenCL C 1.2 cannot express (subgroups, textures, halves) is refused.

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
pub use types::has_scalar_kind;

/// A printed kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The text.
    pub text: String,
    /// The name of the kernel.
    pub name: String,
    /// The parameters, in order.
    pub parameters: Vec<Parameter>,
    /// The declaration of the parameters.
    pub signature: String,
}

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// The buffer of this variable.
    Buffer(Handle<GlobalVariable>),
    /// The number of elements of a runtime-sized array.
    Length {
        /// The variable.
        of: Handle<GlobalVariable>,
        /// The offset of the first element in bytes.
        offset: u32,
        /// The distance between elements in bytes.
        stride: u32,
    },
    /// The value of this uniform variable.
    Value(Handle<GlobalVariable>),
}

/// An error: something that cannot be printed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unsupported in OpenCL C or by its printer: {0}")]
pub struct UnsupportedError(pub String);

type Result<T> = std::result::Result<T, UnsupportedError>;

fn unsupported<T>(what: impl Into<String>) -> Result<T> {
    Err(UnsupportedError(what.into()))
}

/// The start of every text: products and sums must not be fused, so that each operation rounds.
const PRELUDE: &str = "#pragma OPENCL FP_CONTRACT OFF\n";

/// Prints the entry point of this index, and the functions that it calls.
///
/// # Errors
/// The kernel cannot be expressed.
pub fn print(program: &Program, entry: usize) -> Result<Kernel> {
    let Some(point) = program.module.entry_points.get(entry) else {
        return unsupported("a missing entry point");
    };
    let shared = ProgramContext {
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
    // naga orders callees before callers, as C requires.
    helpers.sort();
    let mut functions = String::new();
    for helper in helpers {
        functions += &Printer::new(&shared, FunctionId::Helper(helper)).helper(helper)?;
    }
    // `kernel` alone would be a keyword.
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

/// The state that all functions of a text share.
struct ProgramContext<'a> {
    program: &'a Program,
    types: Types<'a>,
    constants: Constants<'a>,
}

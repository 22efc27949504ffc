//! Typed tree → WGSL text and source map.
//!
//! Rust's expressions can contain statements; WGSL's cannot. An expression that contains statements is printed before
//! the statement that uses it, and stores its value in a variable (`flow`, `matching`, `loops`). Operands that Rust
//! evaluates before it are first bound to names (`value`), so that the evaluation order is Rust's.

mod atomics;
mod body;
mod claims;
mod deferred;
mod exchange;
mod expr;
mod flow;
mod loops;
mod matching;
mod module;
mod names;
mod place;
mod specialize;
mod text;
mod types;
mod value;

use super::map::Map;
use super::tree::{FunctionId, Module};
use super::uniforms;

/// Generated WGSL with its source map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrintedModule {
    /// The text.
    pub wgsl: String,
    /// Its map.
    pub map: Map,
    /// The names that differ between WGSL and Rust, as pairs of WGSL name and Rust name. A member is written as its
    /// struct's WGSL name, a dot, and its own name.
    pub names: Vec<(String, String)>,
}

/// The kernels of a module to print.
#[derive(Clone, Debug)]
pub enum Selection {
    /// All kernels that are not generic.
    All,
    /// A generic kernel with the values of its const parameters. All values are printed with the same number of
    /// characters, so that the texts of two instances differ only in them.
    Instance(FunctionId, Vec<u32>),
}

/// Prints a module.
///
/// # Errors
/// Returns an error at the place of everything that WGSL cannot express.
pub fn print(module: &Module, selection: &Selection) -> syn::Result<PrintedModule> {
    let given = module::given(module, selection);
    let mut module = specialize::specialize(module, selection)?;
    atomics::retype(&mut module)?;
    uniforms::flatten(&mut module);
    module::print(&module, &given)
}

#[cfg(test)]
mod tests;

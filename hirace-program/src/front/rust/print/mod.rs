//! Typed tree → WGSL text and map.
//!
//! Rust's expressions hold statements; WGSL's do not. What holds some is printed before the statement that
//! uses it, into a variable (`flow`, `choice`, `loops`); what Rust evaluates before that is then bound
//! to a name first (`value`), so that everything happens in Rust's order.

mod body;
mod choice;
mod claims;
mod exchange;
mod expr;
mod flow;
mod loops;
mod module;
mod names;
mod narrow;
mod place;
mod ranges;
mod search;
mod text;
mod types;
mod value;
mod variants;
mod wide;

use super::map::Map;
use super::tree::{FunctionId, Module};
use super::{atomics, specialise, uniforms};

pub(super) use body::error;

/// WGSL text and where it came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// The text.
    pub wgsl: String,
    /// Its map.
    pub map: Map,
    /// What is declared in the module under another name than in Rust: as in WGSL, as in Rust. A member goes
    /// by its struct in WGSL, a dot, and its name.
    pub names: Vec<(String, String)>,
}

/// Which kernels of a module to print.
#[derive(Clone, Debug)]
pub enum Selection {
    /// All that are not generic.
    All,
    /// A generic kernel, with the values of its const parameters. Values take the same number of characters
    /// whatever they are, so that the text of one instance is that of another but for them.
    Instance(FunctionId, Vec<u32>),
}

/// Prints a module. What WGSL cannot have is an error at its place.
pub fn print(module: &Module, selection: &Selection) -> syn::Result<Printed> {
    let given = module::given(module, selection);
    let mut module = specialise::specialise(module, selection)?;
    atomics::retype(&mut module)?;
    uniforms::flatten(&mut module);
    module::print(&module, &given)
}

#[cfg(test)]
mod tests;

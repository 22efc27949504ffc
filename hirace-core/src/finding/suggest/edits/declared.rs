//! The declarations of memory in the source text.

use crate::front::wgsl::tokens::Tokens;
use crate::program::{Language, Program};
use crate::source_map::Span;
use naga::{GlobalVariable, Handle, Type};
use std::ops::Range;

/// Scalars with a common declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Element {
    /// A variable, or the elements of the array in it.
    Variable(Handle<GlobalVariable>),
    /// A member of a struct by its index, or the elements of the array in it.
    Member(Handle<Type>, u32),
}

/// Returns the span of the scalar type in the declaration of an element. Returns `None` if it is not a 32-bit integer
/// or has another form.
pub fn scalar(
    program: &Program,
    entry: usize,
    tokens: &Tokens<'_>,
    element: Element,
) -> Option<Span> {
    let (from, name) = match element {
        Element::Variable(variable) => {
            let declared = Span::from(program.module.global_variables.get_span(variable));
            let from = match program.language {
                // In Rust, the variable is a parameter of the kernel.
                Language::Rust => {
                    let entry = program.module.entry_points.get(entry)?;
                    program.function_name(&entry.name)?
                }
                _ => declared,
            };
            let name = program.module.global_variables[variable].name.as_deref()?;
            (tokens.at(from.start), name)
        }
        Element::Member(of, index) => {
            let of = &program.module.types[of];
            let naga::TypeInner::Struct { members, .. } = &of.inner else { return None };
            let (of, name) = (of.name.as_deref()?, members.get(index as usize)?.name.as_deref()?);
            let is_declared =
                |at: &usize| tokens.text(*at) == "struct" && tokens.text(*at + 1) == of;
            (tokens.all().find(is_declared)?, name)
        }
    };
    let is_named = |at: &usize| tokens.text(*at) == name && tokens.text(*at + 1) == ":";
    let named = (from..tokens.all().end).find(is_named)?;
    let scalar = of_type(tokens, named + 2).find(|at| matches!(tokens.text(*at), "u32" | "i32"))?;
    // An atomic type needs no change.
    let is_atomic = matches!(tokens.text(scalar.checked_sub(2)?), "atomic" | "Atomic");
    (!is_atomic).then(|| tokens.span(scalar))
}

/// Returns the tokens of the type that starts at `start`.
fn of_type(tokens: &Tokens<'_>, start: usize) -> Range<usize> {
    let mut open = 0i32;
    for at in start..tokens.all().end {
        match tokens.text(at) {
            "<" | "(" | "[" => open += 1,
            ">" | ")" | "]" if open > 0 => open -= 1,
            ">>" if open > 1 => open -= 2,
            "," if open > 0 => {}
            "," | ")" | ";" | "=" | "{" | "}" => return start..at,
            _ => {}
        }
    }
    start..tokens.all().end
}

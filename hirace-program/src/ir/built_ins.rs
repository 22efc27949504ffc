//! Built-in values that entry points get as arguments, by themselves or as members of a structure.

use naga::{Binding, BuiltIn, FunctionArgument, Module, TypeInner};

/// Returns the built-in values of an argument of an entry point. Those that are members of a structure have the index of the member.
pub fn built_ins(module: &Module, argument: &FunctionArgument) -> Vec<(Option<u32>, BuiltIn)> {
    let built_in = |binding: &Option<Binding>| match binding {
        Some(Binding::BuiltIn(built_in)) => Some(*built_in),
        _ => None,
    };
    match &module.types[argument.ty].inner {
        TypeInner::Struct { members, .. } => (0..)
            .zip(members)
            .filter_map(|(index, member)| Some((Some(index), built_in(&member.binding)?)))
            .collect(),
        _ => built_in(&argument.binding).map(|built_in| (None, built_in)).into_iter().collect(),
    }
}

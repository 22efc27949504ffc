//! Tests of lowering: the types of a kernel's locals, its tree, or its errors.

mod accepted;
mod mutated;
mod refused;
mod types;

use super::super::tree::{Module, Type};
use super::items::Items;

/// Returns the module of an item. Panics with its errors if there are any.
fn module(item: &str) -> Module {
    let item: syn::Item = syn::parse_str(item).unwrap();
    super::lower(&item).unwrap_or_else(|errors| {
        let all: Vec<String> = errors
            .into_iter()
            .map(|error| {
                let start = error.span().start();
                format!("{}:{} {error}", start.line, start.column)
            })
            .collect();
        panic!("refused:\n{}", all.join("\n"))
    })
}

/// Returns a kernel with this body and a buffer of each number type.
fn kernel(body: &str) -> String {
    format!(
        "#[hirace::monitor(workgroup_size(64))]
        fn kernel(
            #[builtin(global_invocation_id)] gid: UVec3,
            #[builtin(local_invocation_index)] lane: u32,
            floats: &mut [f32],
            ints: &mut [i32],
            words: &mut [u32],
            hits: &Atomic<u32>,
            #[workgroup] tile: &mut [f32; 64],
        ) {{ {body} }}"
    )
}

/// Returns the types of the locals of a kernel with this body: `x: u32, y: Vec3`.
fn locals(body: &str) -> String {
    let module = module(&kernel(body));
    let locals = module.functions[0].locals[2..].to_vec();
    let items = Items { module, ..Items::default() };
    let named = |ty: &Type| items.describe(&ty.into());
    let all: Vec<String> =
        locals.iter().map(|local| format!("{}: {}", local.name.text, named(&local.ty))).collect();
    all.join(", ")
}

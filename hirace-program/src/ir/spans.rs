//! Maps all spans of a module to another text.

use super::operands;
use naga::{Arena, Block, Function, Module, Span, UniqueArena};

/// Replaces every span of `module` by the result of `to`.
pub fn move_spans(module: &mut Module, to: &impl Fn(Span) -> Span) {
    arena(&mut module.global_variables, to);
    arena(&mut module.constants, to);
    arena(&mut module.overrides, to);
    arena(&mut module.global_expressions, to);
    let mut types = UniqueArena::new();
    for (handle, ty) in module.types.iter() {
        types.insert(ty.clone(), to(module.types.get_span(handle)));
    }
    module.types = types;
    arena(&mut module.functions, to);
    for (_, function) in module.functions.iter_mut() {
        self::function(function, to);
    }
    for entry in &mut module.entry_points {
        self::function(&mut entry.function, to);
    }
}

fn function(function: &mut Function, to: &impl Fn(Span) -> Span) {
    arena(&mut function.expressions, to);
    arena(&mut function.local_variables, to);
    block(&mut function.body, to);
}

fn arena<T>(arena: &mut Arena<T>, to: &impl Fn(Span) -> Span) {
    let mut moved = Arena::new();
    for (_, value, span) in arena.drain() {
        moved.append(value, to(span));
    }
    *arena = moved;
}

fn block(block: &mut Block, to: &impl Fn(Span) -> Span) {
    for (statement, span) in block.span_iter_mut() {
        if let Some(span) = span {
            *span = to(*span);
        }
        for inner in operands::children(statement) {
            self::block(inner, to);
        }
    }
}

/// Removes all spans from `module`, for code that is not part of the user's source.
pub fn forget_spans(module: &mut Module) {
    move_spans(module, &|_| Span::UNDEFINED);
}

//! How deep a module may nest, and how much it may hold.
//!
//! Everything after the front ends is recursive in the nesting of statements, calls and types, and runs
//! on ordinary stacks. WGSL lets implementations set such limits; nobody writes what they forbid.

use crate::diagnostic::{Diagnostic, Result};
use crate::ir::calls::CallGraph;
use crate::ir::walk;
use crate::source_map::{SourceMap, Span};
use naga::{Block, Function, Module, TypeInner};

/// Statements within statements. Each `else if` is one level.
const STATEMENTS: usize = 400;
/// Functions that call functions.
const CALLS: usize = 200;
/// Types of members and elements: WGSL's own limit.
const TYPES: usize = 255;

/// Members of a type, with those of the types in it: what shows memory by name goes through them.
const MEMBERS: u64 = 1_000_000;
/// Entry points of a file: each is checked by itself.
const ENTRIES: usize = 1_000;

/// Refuses a module that is beyond these limits. Call it on a large stack.
pub fn check(module: &Module, source: &SourceMap) -> Result<()> {
    let error = |span: naga::Span, message: String| {
        Err(Box::new(match span.is_defined() {
            true => Diagnostic::at(source, Span::from(span), message),
            false => Diagnostic { source_map: Some(source.clone()), ..Diagnostic::new(message) },
        }))
    };
    if module.entry_points.len() > ENTRIES {
        let span = module.entry_points[ENTRIES].function.body.span_iter().next();
        let span = span.map_or(naga::Span::UNDEFINED, |(_, span)| *span);
        return error(span, "a file may have 1,000 entry points; this has more".to_owned());
    }
    let mut types = Vec::with_capacity(module.types.len());
    let mut members: Vec<u64> = Vec::with_capacity(module.types.len());
    for (handle, ty) in module.types.iter() {
        let depth = 1 + match &ty.inner {
            TypeInner::Array { base, .. } => types[base.index()],
            TypeInner::Struct { members, .. } => {
                members.iter().map(|member| types[member.ty.index()]).max().unwrap_or(0)
            }
            _ => 0,
        };
        if depth > TYPES {
            let span = module.types.get_span(handle);
            return error(span, format!("types may nest {TYPES} levels deep; this is deeper"));
        }
        types.push(depth);
        let of_type = match &ty.inner {
            TypeInner::Array { base, .. } => members[base.index()],
            TypeInner::Struct { members: all, .. } => {
                let of_members = all.iter().map(|member| members[member.ty.index()]);
                of_members.fold(0_u64, u64::saturating_add)
            }
            _ => 1,
        };
        if of_type > MEMBERS {
            let message = "a type may have 1,000,000 members, with those of the structures in it; this has more";
            return error(module.types.get_span(handle), message.to_owned());
        }
        members.push(of_type);
    }
    let calls = CallGraph::of(module).depths();
    for ((handle, function), calls) in module.functions.iter().zip(calls) {
        let span = module.functions.get_span(handle);
        if let Some(at) = beyond(&function.body, STATEMENTS) {
            return error(if at.is_defined() { at } else { span }, too_deep(function));
        }
        if calls > CALLS {
            return error(span, format!("calls may nest {CALLS} levels deep; these are deeper"));
        }
    }
    for entry in &module.entry_points {
        if let Some(at) = beyond(&entry.function.body, STATEMENTS) {
            return error(at, too_deep(&entry.function));
        }
    }
    Ok(())
}

fn too_deep(function: &Function) -> String {
    let name = function.name.as_deref().unwrap_or("a function");
    format!("statements (and `else if`s) may nest {STATEMENTS} levels deep; `{name}` is deeper")
}

/// The first statement that has more than `levels` blocks around it.
fn beyond(block: &Block, levels: usize) -> Option<naga::Span> {
    block.span_iter().find_map(|(statement, span)| match levels {
        0 => Some(*span),
        _ => walk::children(statement).into_iter().find_map(|inner| beyond(inner, levels - 1)),
    })
}

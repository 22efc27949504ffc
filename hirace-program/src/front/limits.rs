//! How deep an input may nest.
//!
//! Everything after the front ends is recursive in the nesting of statements, calls and types, and runs
//! on ordinary stacks. WGSL lets implementations set such limits; nobody writes what they forbid.

use super::wgsl::tokens::{TokenKind, Tokens};
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

/// Operators of one expression, and `else`s of one file: naga's time grows with their squares.
const OPERATORS: usize = 10_000;

/// Refuses a text that naga would take minutes for.
pub fn check_text(tokens: &Tokens<'_>, source: &SourceMap) -> Result<()> {
    let mut operators = 0;
    let mut elses = 0;
    for index in tokens.all() {
        match tokens.text(index) {
            "," | ";" | "{" | "}" => operators = 0,
            "else" => elses += 1,
            "(" | ")" | ":" => {}
            _ if tokens.kind(index) == TokenKind::Punctuation => operators += 1,
            _ => {}
        }
        let what = match (operators > OPERATORS, elses > OPERATORS) {
            (true, _) => "an expression has more than 10,000 operators",
            (_, true) => "the file has more than 10,000 `else`s",
            _ => continue,
        };
        return Err(Box::new(Diagnostic::at(source, tokens.span(index), what)));
    }
    Ok(())
}

/// Refuses a module that nests deeper than that. Call it on a large stack.
pub fn check(module: &Module, source: &SourceMap) -> Result<()> {
    let error = |span: naga::Span, message: String| {
        Err(Box::new(Diagnostic::at(source, Span::from(span), message)))
    };
    let mut types = Vec::with_capacity(module.types.len());
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
    }
    let calls = CallGraph::of(module).depths();
    for ((handle, function), calls) in module.functions.iter().zip(calls) {
        let span = module.functions.get_span(handle);
        if statements(&function.body) > STATEMENTS {
            return error(span, too_deep(function));
        }
        if calls > CALLS {
            return error(span, format!("calls may nest {CALLS} levels deep; these are deeper"));
        }
    }
    for entry in &module.entry_points {
        if statements(&entry.function.body) > STATEMENTS {
            return Err(Box::new(Diagnostic::new(too_deep(&entry.function))));
        }
    }
    Ok(())
}

fn too_deep(function: &Function) -> String {
    let name = function.name.as_deref().unwrap_or("a function");
    format!("statements (and `else if`s) may nest {STATEMENTS} levels deep; `{name}` is deeper")
}

/// How many levels deep statements nest.
fn statements(block: &Block) -> usize {
    let inner = block.iter().flat_map(walk::children).map(statements);
    1 + inner.max().unwrap_or(0)
}

//! Edits that guard the index of a write in WGSL: `if (i < arrayLength(&a)) { a[i] = x; }`.

use crate::edit::Edit;
use crate::front::wgsl::tokens::{TokenKind, Tokens};
use crate::ir::access::{Action, Target};
use crate::program::{Language, Program};
use crate::source_map::Span;
use crate::vm::run::OutOfBounds;
use naga::{ArraySize, Expression, Handle, ScalarKind, TypeInner};
use std::collections::BTreeMap;
use std::ops::Range;

/// Functions without effects that an index may call. It is evaluated twice.
const PURE: [&str; 8] = ["u32", "i32", "min", "max", "clamp", "abs", "select", "bool"];

/// The beginnings of the names of functions that a guarded statement must not call, because all invocations have to reach them, or
/// because their effects are not part of the write.
const NOT_GUARDED: [&str; 5] = ["atomic", "quad", "subgroup", "texture", "workgroup"];

/// Returns the edits that skip these writes out of bounds. Returns `None` if one of them is not a statement by itself.
pub(crate) fn guard(program: &Program, all: &[&OutOfBounds]) -> Option<Vec<Edit>> {
    if program.language != Language::Wgsl {
        return None;
    }
    let tokens = Tokens::new(program.source.text());
    let guard = Guard { program, tokens: &tokens };
    let mut conditions: BTreeMap<Span, Vec<String>> = BTreeMap::new();
    for found in all {
        let statement = guard.statement(found)?;
        let condition = guard.condition(found)?;
        let known = conditions.entry(statement).or_default();
        if !known.contains(&condition) {
            known.push(condition);
        }
    }
    let all = conditions.into_iter();
    Some(all.flat_map(|(at, conditions)| guard.wrap(at, &conditions.join(" && "))).collect())
}

/// An index of an array that is not constant.
struct Indexing {
    /// The span of the indexed expression, `a[i]`.
    span: Span,
    /// The kind of the index.
    kind: ScalarKind,
    /// The length of the array; `None` if it is runtime-sized.
    length: Option<u32>,
}

struct Guard<'a> {
    program: &'a Program,
    tokens: &'a Tokens<'a>,
}

impl Guard<'_> {
    /// Returns the span of the statement that does nothing but the access: an assignment to the place, or an atomic operation whose
    /// result is not used.
    fn statement(&self, found: &OutOfBounds) -> Option<Span> {
        let (program, tokens) = (self.program, self.tokens);
        let site = program.sites.get(found.site)?;
        let action = program.sites.access(found.site)?.action;
        let statement = tokens.statement(tokens.at(site.span.start));
        if action == Action::Read
            || tokens.span(statement.start).start != site.span.start
            || tokens.text(statement.end) != ";"
        {
            return None;
        }
        let is_call = action.is_atomic();
        let last = statement.end.checked_sub(1)?;
        if is_call && tokens.span(last).end != site.span.end {
            return None;
        }
        let rest = statement.start + usize::from(is_call)..statement.end;
        let mut called = rest.filter(|at| tokens.text(at + 1) == "(").map(|at| tokens.text(at));
        let is_effect = |name: &str| {
            tokens.has_function(name) || NOT_GUARDED.iter().any(|start| name.starts_with(start))
        };
        (!called.any(is_effect)).then(|| tokens.span_of(statement.start..statement.end + 1))
    }

    /// Returns the condition under which an index is in bounds.
    fn condition(&self, found: &OutOfBounds) -> Option<String> {
        let (program, tokens) = (self.program, self.tokens);
        let Indexing { span, kind, length } = self.indexing(found)?;
        let close = tokens.at(span.end).checked_sub(1)?;
        let open = tokens.partner(close).filter(|_| tokens.text(close) == "]")?;
        let index = open + 1..close;
        if tokens.span(open).start <= span.start || !self.is_pure(index.clone()) {
            return None;
        }
        let array = program.source.snippet(Span::new(span.start, tokens.span(open).start));
        let shown = program.source.snippet(tokens.span_of(index.clone()));
        let is_punctuation = |at: usize| tokens.kind(at) == TokenKind::Punctuation;
        let is_path = index.clone().all(|at| !is_punctuation(at) || tokens.text(at) == ".");
        let compared = if is_path { shown.to_owned() } else { format!("({shown})") };
        let length = match length {
            Some(length) => format!("{length}u"),
            None => format!("arrayLength(&{})", array.trim_end()),
        };
        match kind {
            ScalarKind::Uint => Some(format!("{compared} < {length}")),
            ScalarKind::Sint => Some(format!("{compared} >= 0 && u32({shown}) < {length}")),
            _ => None,
        }
    }

    /// Returns the index that was out of bounds, if the access has only one that can be.
    fn indexing(&self, found: &OutOfBounds) -> Option<Indexing> {
        let program = self.program;
        let site = program.sites.get(found.site)?;
        let Target::Pointer { pointer, .. } = program.sites.access(found.site)?.target else {
            return None;
        };
        let function = site.function.get(&program.module);
        let info = program.info_of(site.function);
        let types = &program.module.types;
        let inner = |of: Handle<Expression>| info[of].ty.inner_with(types);
        let indexing = |at: Handle<Expression>, base, index| {
            let TypeInner::Scalar(scalar) = inner(index) else { return None };
            let TypeInner::Pointer { base, .. } = *inner(base) else { return None };
            let TypeInner::Array { size, .. } = types[base].inner else { return None };
            let length = match size {
                ArraySize::Constant(length) => Some(length.get()),
                _ => None,
            };
            let span = Span::from(function.expressions.get_span(at));
            let is_possible = length.is_none_or(|length| length == found.length);
            is_possible.then_some(Indexing { span, kind: scalar.kind, length })
        };
        let (mut at, mut possible) = (pointer, Vec::new());
        loop {
            at = match function.expressions[at] {
                Expression::Access { base, index } => {
                    possible.extend(indexing(at, base, index));
                    base
                }
                Expression::AccessIndex { base, .. } => base,
                _ => break,
            };
        }
        let only = possible.pop()?;
        possible.is_empty().then_some(only)
    }

    /// Returns whether evaluating these tokens has no effect and reads no array.
    fn is_pure(&self, index: Range<usize>) -> bool {
        const OPERATORS: [&str; 14] =
            [".", ",", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "(", ")"];
        let tokens = self.tokens;
        !index.is_empty()
            && index.into_iter().all(|at| match tokens.kind(at) {
                TokenKind::Number => true,
                TokenKind::Word => tokens.text(at + 1) != "(" || PURE.contains(&tokens.text(at)),
                TokenKind::Punctuation => OPERATORS.contains(&tokens.text(at)),
            })
    }

    /// Returns the edits that put a statement under an `if`.
    fn wrap(&self, statement: Span, condition: &str) -> [Edit; 2] {
        let text = self.program.source.text();
        let range = statement.range(text);
        let line = text[..range.start].rfind('\n').map_or(0, |newline| newline + 1);
        let before = &text[line..range.start];
        let is_first = before.trim().is_empty();
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let unit = if before.contains('\t') { "\t" } else { "    " };
        let (open, close) = match is_first {
            true => (format!("{newline}{before}{unit}"), format!("{newline}{before}}}")),
            false => (" ".to_owned(), " }".to_owned()),
        };
        [
            Edit::new(
                Span::new(statement.start, statement.start),
                format!("if ({condition}) {{{open}"),
            ),
            Edit::new(Span::new(statement.end, statement.end), close),
        ]
    }
}

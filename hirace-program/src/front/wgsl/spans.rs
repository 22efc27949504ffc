//! Replaces naga's spans of sites by the spans that users see.
//!
//! naga's spans serve its own needs: a store has the span of its statement, a built-in function that of its name, `*p` that of
//! what `let p = &…` points to. This module replaces them by the spans that reports show:
//!
//! | site                       | span                                                         |
//! |----------------------------|--------------------------------------------------------------|
//! | read, write                | the memory expression: `tile[l]`, `*p`, `(*q).v.x`           |
//! | atomic, texture, barrier … | the whole call: `atomicAdd(&c[l], 1u)`                       |
//! | branch, loop               | its head: `if (a == b)`, `for (…; …; …)`; `a && b`           |
//! | return                     | `return x`                                                   |
//!
//! [`dereferences`] finds the `*p` that a read belongs to.

use super::dereferences;
use super::tokens::Tokens;
use crate::ir::access::{Access, Action, Target};
use crate::ir::sites::{SiteKind, Sites};
use crate::ir::walk::FunctionId;
use crate::source_map::{SourceMap, Span};
use naga::Module;
use std::ops::Range;

/// Sets the spans of `sites`, the sites of `module`, which was parsed from the WGSL text `source`, according to the table above.
pub fn repair_spans(sites: &mut Sites, module: &Module, source: &SourceMap) {
    let tokens = Tokens::new(source.text());
    for function in FunctionId::all(module) {
        dereferences::repair_spans(sites, module, function, &tokens);
    }
    for site in &mut sites.list {
        let start = tokens.at(site.span.start);
        match &site.kind {
            SiteKind::Access(access) => site.span = access_span(access, site.span, &tokens),
            SiteKind::Barrier(_) | SiteKind::Fence | SiteKind::Subgroup => {
                site.span = call(&tokens, site.span)
            }
            SiteKind::Loop => {
                let end = tokens.at(site.span.end).saturating_sub(1);
                if tokens.text(end) == "}" {
                    site.close = tokens.span(end);
                }
                site.span = head(&tokens, start, site.span);
            }
            SiteKind::Branch | SiteKind::Return => site.span = head(&tokens, start, site.span),
            SiteKind::Call => {}
        }
        site.statement = statement(&tokens, site.span);
    }
}

fn access_span(access: &Access, span: Span, tokens: &Tokens<'_>) -> Span {
    let start = tokens.at(span.start);
    match (&access.target, access.action) {
        (Target::Texel { .. }, _) | (_, Action::Atomic | Action::AtomicInWorkgroup) => {
            call(tokens, span)
        }
        (_, Action::Read) if tokens.text(start) == "workgroupUniformLoad" => call(tokens, span),
        (_, Action::Read) => span,
        (_, Action::Write) => match tokens.assignment(start) {
            Some(assignment) => tokens.span_of(bare(tokens, start..assignment)),
            None => span,
        },
    }
}

/// Returns the tokens without the parentheses that enclose all of `range`.
fn bare(tokens: &Tokens<'_>, mut range: Range<usize>) -> Range<usize> {
    while range.len() > 2
        && tokens.text(range.start) == "("
        && tokens.partner(range.start) == Some(range.end - 1)
    {
        range = range.start + 1..range.end - 1;
    }
    range
}

/// Returns the span of the call of the function whose name is at `span`.
fn call(tokens: &Tokens<'_>, span: Span) -> Span {
    let name = tokens.at(span.start);
    match tokens.partner(name + 1) {
        Some(close) if tokens.text(name + 1) == "(" => tokens.span_of(name..close + 1),
        _ => span,
    }
}

/// Returns the span from the token `start` to the end of `span`, or to the end of the head if that comes first.
fn head(tokens: &Tokens<'_>, start: usize, span: Span) -> Span {
    let end = tokens.at(span.end);
    let end = (start..end).find(|&i| tokens.text(i) == "{").unwrap_or(end);
    let end = if end > start && tokens.text(end - 1) == ";" { end - 1 } else { end };
    if end > start { tokens.span_of(start..end) } else { span }
}

/// Returns the span of the statement that contains `span`, including its `;`.
fn statement(tokens: &Tokens<'_>, span: Span) -> Span {
    if span.is_empty() {
        return span;
    }
    let mut range = tokens.statement(tokens.at(span.start));
    if tokens.text(range.end) == ";" {
        range.end += 1;
    }
    tokens.span_of(range)
}

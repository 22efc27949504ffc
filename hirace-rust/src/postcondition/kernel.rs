//! Finds the conditions of kernels written in Rust.

use super::{ATTRIBUTE, Condition, parse};
use crate::depth;
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::guard;
use crate::source_map::{LineColumn, SourceMap, Span};
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{ItemFn, Meta};

/// Returns the conditions of the function `name` whose text contains `within`, each with its span.
///
/// # Errors
/// Returns a diagnostic at the condition if one cannot be read.
pub fn kernel_conditions(
    source: &SourceMap,
    name: &str,
    within: Span,
) -> Result<Vec<(Condition, Span)>> {
    if !source.text().contains(ATTRIBUTE) {
        return Ok(Vec::new());
    }
    depth::check(source.text(), source)?;
    // Parsing recurses as deep as the input nests, and syntax trees must stay on the thread that created them. The
    // front end has already reported a text that is not Rust.
    let spans = guard::run(|| {
        let mut found = Find { source, name, within, spans: Vec::new() };
        if let Ok(file) = syn::parse_file(source.text()) {
            found.visit_file(&file);
        }
        found.spans
    });
    let read = |span: Span| {
        let condition = parse(&SourceMap::new(source.name(), source.snippet(span)));
        let moved = |error: Box<Diagnostic>| {
            let label =
                error.labels.first().map_or(Span::new(0, span.end - span.start), |(at, _)| *at);
            let at = Span::new(span.start + label.start, span.start + label.end);
            Box::new(Diagnostic::at(source, at, error.message.clone()))
        };
        Ok((condition.map_err(moved)?, span))
    };
    spans.unwrap_or_default().into_iter().map(read).collect()
}

/// The spans of the conditions of one function.
struct Find<'a> {
    source: &'a SourceMap,
    name: &'a str,
    within: Span,
    spans: Vec<Span>,
}

impl Find<'_> {
    fn offset(&self, at: proc_macro2::LineColumn) -> u32 {
        let at = LineColumn { line: at.line as u32, column: at.column as u32 + 1 };
        self.source.offset(at)
    }
}

impl<'a> Visit<'a> for Find<'_> {
    fn visit_item_fn(&mut self, function: &'a ItemFn) {
        let whole = function.span();
        let whole = self.offset(whole.start())..self.offset(whole.end());
        if function.sig.ident == self.name && whole.contains(&self.within.start) {
            for attribute in &function.attrs {
                let Meta::List(list) = &attribute.meta else { continue };
                if list.path.segments.last().is_some_and(|last| last.ident == ATTRIBUTE) {
                    let around = list.delimiter.span();
                    let [start, end] = [around.open().end(), around.close().start()];
                    self.spans.push(Span::new(self.offset(start), self.offset(end)));
                }
            }
        }
        visit::visit_item_fn(self, function);
    }
}

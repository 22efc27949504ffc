//! Maps spans of the text that naga parsed to the user's text, which does not contain the added declarations.

use super::prelude::DeclaredText;
use crate::diagnostic::Diagnostic;
use crate::ir::access::Action;
use crate::ir::body::Idioms;
use crate::ir::moved::move_spans;
use crate::ir::sites::{SiteKind, Sites};
use crate::ir::walk::{self, FunctionId};
use crate::program::{self, Language, UnmodelledOrdering};
use crate::source_map::{SourceMap, Span};
use naga::{Expression, Handle, Module};

/// The origin of a module that naga built from a GLSL text.
#[derive(Clone, Debug)]
pub struct Origin {
    declared: DeclaredText,
    source: SourceMap,
    /// The memory ordering by atomics and fences that is not modelled.
    pub(super) unfollowed: Option<UnmodelledOrdering>,
}

impl Origin {
    /// Creates the origin of naga's module for `declared`, which is `source` with declarations.
    pub fn new(declared: DeclaredText, source: SourceMap) -> Self {
        Self { declared, source, unfollowed: None }
    }

    /// Maps a span to the user's text.
    pub fn span(&self, span: Span) -> Span {
        let ends = (self.declared.original(span.start), self.declared.original(span.end));
        match ends {
            (Some(start), Some(end)) if !span.is_empty() => Span::new(start, end),
            _ => Span::default(),
        }
    }

    /// Gives loads without a span the span of the first expression that uses them.
    fn find_places(&self, sites: &mut Sites, module: &Module) {
        for id in FunctionId::all(module) {
            let expressions = &id.get(module).expressions;
            for (user, expression) in expressions.iter() {
                let span = Span::from(expressions.get_span(user));
                let mut of_load = |load: Handle<Expression>| {
                    let site = sites.load(id, load).map(|site| site.0 as usize);
                    if let Some(site) = site.and_then(|site| sites.list.get_mut(site))
                        && site.span.is_empty()
                    {
                        site.span = span;
                    }
                };
                of_load(user);
                walk::operands(expression, &mut of_load);
            }
        }
    }

    /// Returns the span of the line on which a span begins.
    fn line(&self, span: Span) -> Span {
        if span.is_empty() {
            return span;
        }
        let line = self.source.line_at(span.start);
        let column = self.source.position(span.start).column as usize - 1;
        let before: usize = line.chars().take(column).map(char::len_utf8).sum();
        let start = span.start as usize - before + (line.len() - line.trim_start().len());
        Span::new(start as u32, (start + line.trim().len()) as u32)
    }
}

impl program::Origin for Origin {
    fn language(&self) -> Language {
        Language::GlslLines
    }

    fn idioms(&self) -> Idioms {
        Idioms::Glsl
    }

    fn unfollowed(&self) -> Option<UnmodelledOrdering> {
        self.unfollowed
    }

    fn diagnostic(&self, mut diagnostic: Box<Diagnostic>) -> Box<Diagnostic> {
        diagnostic.source_map = Some(self.source.clone());
        for (span, _) in &mut diagnostic.labels {
            *span = self.span(*span);
        }
        diagnostic.labels.retain(|(span, _)| !span.is_empty());
        diagnostic
    }

    /// Maps the spans of the sites and of the module to the user's text. Treats loads and stores of atomic types as plain
    /// accesses, because GLSL has no atomic loads and stores.
    fn place(&self, sites: &mut Sites, module: &mut Module) {
        self.find_places(sites, module);
        let loads = sites.loads();
        let stores = sites.stores(module);
        for (index, site) in sites.list.iter_mut().enumerate() {
            if let SiteKind::Access(access) = &mut site.kind {
                if loads.contains(&index) && access.action == Action::Atomic {
                    access.action = Action::Read;
                } else if stores.contains(&index) {
                    access.action = Action::Write;
                }
            }
            site.span = self.span(site.span);
            site.statement = self.line(site.span);
        }
        move_spans(module, &|span| {
            let moved = self.span(Span::from(span));
            match moved.is_empty() {
                true => naga::Span::UNDEFINED,
                false => naga::Span::new(moved.start, moved.end),
            }
        });
    }
}

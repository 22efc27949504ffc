//! What was printed, and how everything that is known of it is moved to where it stands in Rust.

use super::map::Map;
use crate::diagnostic::Diagnostic;
use crate::front::moved::move_spans;
use crate::ir::access::Action;
use crate::ir::sites::{SiteKind, Sites};
use crate::source_map::{SourceMap, Span};
use naga::Module;

/// The WGSL that a Rust source became, and the map between them.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The WGSL text.
    pub wgsl: SourceMap,
    map: Map,
    rust: SourceMap,
}

impl Origin {
    /// `wgsl` was printed for `rust`, as `map` says.
    pub fn new(rust: &SourceMap, wgsl: &str, map: Map) -> Self {
        Self { wgsl: SourceMap::new(rust.name(), wgsl), map, rust: rust.clone() }
    }

    /// The Rust that a stretch of WGSL came from; empty if it came from none.
    fn span(&self, wgsl: Span) -> Span {
        if wgsl.is_empty() {
            return Span::default();
        }
        self.map.find(wgsl).map_or(Span::default(), |entry| {
            Span::new(self.rust.offset(entry.start), self.rust.offset(entry.end))
        })
    }

    /// A diagnostic of the WGSL, as one of the Rust.
    pub fn diagnostic(&self, mut diagnostic: Box<Diagnostic>) -> Box<Diagnostic> {
        diagnostic.source_map = Some(self.rust.clone());
        diagnostic.no_kernel = false;
        for (span, _) in &mut diagnostic.labels {
            *span = self.span(*span);
        }
        diagnostic.labels.dedup();
        diagnostic
    }

    /// Moves sites to Rust, and judges plain what is plain there.
    pub fn move_sites(&self, sites: &mut Sites) {
        for site in &mut sites.list {
            if let SiteKind::Access(access) = &mut site.kind
                && self.map.find(site.span).is_some_and(|entry| entry.plain)
            {
                let stores = self.wgsl.snippet(site.span).starts_with("atomicStore");
                access.action = if stores { Action::Write } else { Action::Read };
            }
            site.span = self.span(site.span);
            site.statement = self.span(site.statement);
            site.close = self.span(site.close);
        }
    }

    /// Moves every span of a module to Rust.
    pub fn move_module(&self, module: &mut Module) {
        move_spans(module, &|span| {
            let moved = self.span(Span::from(span));
            match moved.is_empty() {
                true => naga::Span::UNDEFINED,
                false => naga::Span::new(moved.start, moved.end),
            }
        });
    }
}

//! Source locations of facts.

use crate::ir::sites::{Site, SiteId};
use crate::program::Program;
use crate::source_map::{LineColumn, SourceMap, Span};

/// A location in the source: a span and its start position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The span.
    pub span: Span,
    /// The line and column in its file at which the span starts.
    pub at: LineColumn,
}

impl Place {
    /// Creates the location of `span`, without the trailing white space and semicolon that naga's statement spans may
    /// include.
    #[doc(hidden)]
    pub fn new(source: &SourceMap, span: Span) -> Self {
        let kept = source.snippet(span).trim_end_matches(|c: char| c.is_whitespace() || c == ';');
        let span = Span::new(span.start, span.start + kept.len() as u32);
        Self { span, at: source.position(span.start) }
    }

    /// Returns the location of a site.
    #[doc(hidden)]
    pub fn of(program: &Program, site: SiteId) -> Self {
        Self::new(&program.source, span_of(program.sites.get(site)))
    }
}

/// Returns the span that reports show for `site`: its own span, or the span of its statement if naga built the site
/// from more than one piece of source.
pub fn span_of(site: Option<&Site>) -> Span {
    site.map_or(Span::default(), |site| match site.span.is_empty() {
        true => site.statement,
        false => site.span,
    })
}

/// Returns the line on which `site` starts.
pub fn line_of(program: &Program, site: SiteId) -> u32 {
    program.source.position(span_of(program.sites.get(site)).start).line
}

/// Returns the line on which `span` ends.
pub fn last_line(source: &SourceMap, span: Span) -> u32 {
    source.position(span.end.saturating_sub(1).max(span.start)).line
}

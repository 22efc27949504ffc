//! Places in a source.

use crate::ir::sites::{Site, SiteId};
use crate::program::Program;
use crate::source_map::{LineColumn, SourceMap, Span};

/// A place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// What stands there.
    pub span: Span,
    /// Where that begins, in its file.
    pub at: LineColumn,
}

impl Place {
    /// The place at `span`, without the space and the semicolon that naga's statement spans may end with.
    pub fn new(source: &SourceMap, span: Span) -> Self {
        let kept = source.snippet(span).trim_end_matches(|c: char| c.is_whitespace() || c == ';');
        let span = Span::new(span.start, span.start + kept.len() as u32);
        Self { span, at: source.position(span.start) }
    }

    /// The place of a site.
    pub fn of(program: &Program, site: SiteId) -> Self {
        Self::new(&program.source, span_of(program.sites.get(site)))
    }
}

/// Where reports point for `site`: its span, or the statement's where naga made it from more than
/// one place.
pub fn span_of(site: Option<&Site>) -> Span {
    site.map_or(Span::default(), |site| match site.span.is_empty() {
        true => site.statement,
        false => site.span,
    })
}

/// The line that `site` starts on.
pub fn line_of(program: &Program, site: SiteId) -> u32 {
    program.source.position(span_of(program.sites.get(site)).start).line
}

/// The line that `span` ends on.
pub fn last_line(source: &SourceMap, span: Span) -> u32 {
    source.position(span.end.saturating_sub(1).max(span.start)).line
}

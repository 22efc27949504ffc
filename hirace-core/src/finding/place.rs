//! Places: a span, who was there, and what to say about it.

use super::Place;
use super::who::Grid;
use crate::ir::sites::{Site, SiteId};
use crate::program::Program;
use crate::source_map::{SourceMap, Span};
use crate::vm::run::Invocation;

/// Where reports point for `site`: its span, or the statement's where naga made it from more than
/// one place.
pub(crate) fn span_of(site: Option<&Site>) -> Span {
    site.map_or(Span::default(), |site| match site.span.is_empty() {
        true => site.statement,
        false => site.span,
    })
}

/// The line that `site` starts on.
pub(crate) fn line_of(program: &Program, site: SiteId) -> u32 {
    program.source.position(span_of(program.sites.get(site)).start).line
}

/// The line that `span` ends on.
pub(crate) fn last_line(source: &SourceMap, span: Span) -> u32 {
    source.position(span.end.saturating_sub(1).max(span.start)).line
}

/// `source.rs:14:13`.
pub(crate) fn location(source: &SourceMap, span: Span) -> String {
    let at = source.position(span.start);
    format!("{}:{}:{}", source.name(), at.line, at.column)
}

/// The place at `span`, and who was there, if that is known.
pub(crate) fn place(
    source: &SourceMap,
    span: Span,
    kind: &str,
    label: String,
    who: Option<(&Grid, Invocation)>,
) -> Place {
    let span = trimmed(source, span);
    let (start, end) = (source.position(span.start), source.position(span.end));
    Place {
        kind: kind.to_owned(),
        file: source.name().to_owned(),
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        snippet: source.snippet(span).to_owned(),
        label,
        workgroup: who.map(|(grid, who)| grid.workgroup_id(who.workgroup)),
        invocation: who.map(|(grid, who)| grid.local_id(who.local)),
    }
}

/// Without the space and the semicolon that naga's statement spans may end with.
fn trimmed(source: &SourceMap, span: Span) -> Span {
    let text = source.snippet(span);
    let kept = text.trim_end_matches(|c: char| c.is_whitespace() || c == ';');
    Span::new(span.start, span.start + kept.len() as u32)
}

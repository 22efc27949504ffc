//! The positions at which barriers may be inserted: between statements that access memory.

use hirace_core::edit::place::{Place, Side};
use hirace_core::front::wgsl::tokens::Tokens;
use hirace_core::ir::walk::FunctionId;
use hirace_core::program::Program;
use hirace_core::source_map::Span;
use std::collections::BTreeSet;

/// The insertion points of a program, with their block depth.
#[derive(Debug)]
pub struct InsertionPoints {
    /// The insertion points in the order of the text.
    pub list: Vec<Place>,
    /// The offsets at which a block begins or ends, ascending, each with the number of open blocks after it.
    depths: Vec<(u32, u32)>,
}

impl InsertionPoints {
    /// Collects the insertion points in the given functions of `program`. Positions between statements that access
    /// nothing shared are equivalent, so only the one before the next access is listed.
    pub fn new(program: &Program, functions: &[FunctionId]) -> Self {
        let text = program.source.text();
        let tokens = Tokens::new(text);
        let mut places = BTreeSet::new();
        let sites = program.sites.list.iter().filter(|site| functions.contains(&site.function));
        for site in sites.filter(|site| !site.statement.is_empty()) {
            let statement = whole(text, site.statement);
            let Span { start, end } = statement;
            let is_chained = text[..statement.range(text).start].trim_end().ends_with("else");
            if !is_chained {
                places.insert(Place { at: start, side: Side::Before });
            }
            let is_last = tokens.text(tokens.at(end)) == "}";
            if is_last && program.source.snippet(statement).ends_with(';') {
                places.insert(Place { at: end, side: Side::After });
            }
            if !site.close.is_empty() {
                places.insert(Place { at: site.close.start, side: Side::Last });
            }
        }
        let mut open = 0u32;
        let depths = tokens.all().filter_map(|token| {
            open = match tokens.text(token) {
                "{" => open + 1,
                "}" => open.saturating_sub(1),
                _ => return None,
            };
            Some((tokens.span(token).end, open))
        });
        let depths = depths.collect();
        Self { list: places.into_iter().collect(), depths }
    }

    /// Returns the rank of inserting at `at` a barrier against a finding at `spans`, lowest first: between the spans
    /// before outside of them, then by block depth, then by distance to the last span.
    pub fn rank(&self, at: u32, spans: &[Span]) -> (bool, u32, u32) {
        let first = spans.iter().map(|span| span.start).min().unwrap_or(0);
        let last = spans.iter().map(|span| span.start).max().unwrap_or(0);
        let is_outside = at <= first || at > last;
        (is_outside, self.depth(at), at.abs_diff(last))
    }

    fn depth(&self, at: u32) -> u32 {
        let next = self.depths.partition_point(|(from, _)| *from <= at);
        next.checked_sub(1).map_or(0, |before| self.depths[before].1)
    }
}

/// Returns the span of a statement with its `;`, which is not part of an expression in Rust.
pub fn whole(text: &str, statement: Span) -> Span {
    let range = statement.range(text);
    let after = &text[range.end..];
    let blank = after.len() - after.trim_start().len();
    match !text[range].ends_with(';') && after[blank..].starts_with(';') {
        true => Span::new(statement.start, statement.end + blank as u32 + 1),
        false => statement,
    }
}

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

/// Where the function `name` is named in the text, if it is: after `fn`, and not in a comment.
pub(crate) fn function_name(program: &Program, name: &str) -> Option<Span> {
    let text = program.source.text();
    let ends_a_word = |text: &str| !text.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    text.match_indices(name).find_map(|(start, _)| {
        let before = text[..start].trim_end_matches("r#");
        let line = before.rfind('\n').map_or(0, |newline| newline + 1);
        let keyword = before.trim_end();
        let is_named = keyword.len() < before.len()
            && keyword.strip_suffix("fn").is_some_and(ends_a_word)
            && !before[line..].contains("//");
        let after = text[start + name.len()..].chars().next();
        let is_all_of_it = !after.is_some_and(|c| c.is_alphanumeric() || c == '_');
        (is_named && is_all_of_it).then(|| Span::new(start as u32, (start + name.len()) as u32))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::wgsl;
    use std::collections::BTreeMap;

    #[test]
    fn an_entry_point_is_found_by_its_name() {
        let text = "// fn main() does it\nfn mainly() {}\nfn not_main() {}\n@compute @workgroup_size(1)\nfn  main() { mainly(); }";
        let parsed = wgsl::parse("a.wgsl", text).unwrap();
        let program = Program::new(&parsed, &BTreeMap::new()).unwrap();
        let span = function_name(&program, "main").unwrap();
        assert_eq!(program.source.position(span.start).line, 5);
        assert_eq!(program.source.snippet(span), "main");
        assert_eq!(function_name(&program, "other"), None);
    }
}

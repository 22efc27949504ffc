//! Replacement of parts of a text, with a map of offsets back to the original.

use crate::source_map::Span;

/// The replacement of a span of the original text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The replaced span. An empty span is an insertion.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// A rewritten text.
#[derive(Debug)]
pub struct Rewritten {
    pub text: String,
    pieces: Vec<Piece>,
}

/// A piece of the rewritten text that was copied, or that replaces a span of the original.
#[derive(Debug)]
struct Piece {
    /// The offset of the piece in the rewritten text.
    start: u32,
    original: Span,
    is_copied: bool,
}

impl Rewritten {
    /// Applies edits to a text, in the order of their spans. An edit that overlaps an earlier one is omitted.
    pub fn new(original: &str, mut edits: Vec<Edit>) -> Self {
        edits.sort_by_key(|edit| edit.span);
        let mut rewritten =
            Self { text: String::with_capacity(original.len()), pieces: Vec::new() };
        let mut end = 0;
        for edit in edits.iter().filter(|edit| edit.span.range(original).len() == edit.span.len()) {
            if edit.span.start < end {
                continue;
            }
            rewritten.copy(original, Span::new(end, edit.span.start));
            rewritten.push(&edit.text, edit.span, false);
            end = edit.span.end;
        }
        rewritten.copy(original, Span::new(end, original.len() as u32));
        rewritten
    }

    fn copy(&mut self, original: &str, span: Span) {
        if !span.is_empty() {
            self.push(&original[span.range(original)], span, true);
        }
    }

    fn push(&mut self, text: &str, original: Span, is_copied: bool) {
        self.pieces.push(Piece { start: self.text.len() as u32, original, is_copied });
        self.text.push_str(text);
    }

    /// Returns the span of the original that a span of the rewritten text comes from. A part of a replacement comes from all of
    /// the replaced span.
    pub fn original(&self, span: Span) -> Span {
        if span == Span::default() {
            return span;
        }
        if span.is_empty() {
            // naga points to the end of the text in this way.
            let at = self.piece(span.start).map_or(span.start, |piece| match piece.is_copied {
                true => piece.original.start + (span.start - piece.start),
                false => piece.original.end,
            });
            return Span::new(at, at);
        }
        let (first, last) = (self.piece(span.start), self.piece(span.end - 1));
        let (Some(first), Some(last)) = (first, last) else { return span };
        let start = match first.is_copied {
            true => first.original.start + (span.start - first.start),
            false => first.original.start,
        };
        let end = match last.is_copied {
            true => last.original.start + (span.end - last.start),
            false => last.original.end,
        };
        Span::new(start, end)
    }

    fn piece(&self, offset: u32) -> Option<&Piece> {
        self.pieces[..self.pieces.partition_point(|piece| piece.start <= offset)].last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_lead_back_to_the_original() {
        let original = "enable a; f(elect(), x);";
        let of = |part: &str| {
            let start = original.find(part).unwrap();
            Span::new(start as u32, (start + part.len()) as u32)
        };
        let edit = |part, text: &str| Edit { span: of(part), text: text.to_owned() };
        let edits = vec![edit("elect()", "(count(1u) == 0u)"), edit("enable a;", "")];
        let rewritten = Rewritten::new(original, edits);
        assert_eq!(rewritten.text, " f((count(1u) == 0u), x);");
        let back = |part: &str| {
            let start = rewritten.text.find(part).unwrap();
            let span = Span::new(start as u32, (start + part.len()) as u32);
            &original[rewritten.original(span).range(original)]
        };
        assert_eq!(back("count(1u)"), "elect()");
        assert_eq!(back("f("), "f(");
        assert_eq!(back("x"), "x");
        assert_eq!(back("f((count(1u) == 0u), x)"), "f(elect(), x)");
        assert_eq!(rewritten.original(Span::default()), Span::default());
        let end = rewritten.text.len() as u32;
        let original_end = original.len() as u32;
        assert_eq!(rewritten.original(Span::new(end, end)), Span::new(original_end, original_end));
    }

    #[test]
    fn an_edit_that_overlaps_is_omitted() {
        let edit =
            |start, end, text: &str| Edit { span: Span::new(start, end), text: text.to_owned() };
        let rewritten =
            Rewritten::new("abcdef", vec![edit(1, 3, "X"), edit(2, 4, "Y"), edit(9, 12, "Z")]);
        assert_eq!(rewritten.text, "aXdef");
    }
}

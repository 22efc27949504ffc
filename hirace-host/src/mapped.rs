//! Text of a shader, with the place in the host file that each byte comes from.

use hirace_program::source_map::Span;
use std::ops::Range;

/// A stretch of text with one source in the host file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    /// Where the stretch begins in the text. It ends where the next one begins.
    start: u32,
    /// Its source in the host file.
    host: Span,
    /// Whether the stretch and its source are the same bytes. Otherwise it stands for the source as a whole: it is the character
    /// of an escape, or the value of an expression.
    verbatim: bool,
}

/// Text that was assembled from parts of a host file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MappedText {
    text: String,
    pieces: Vec<Piece>,
}

impl MappedText {
    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Appends text that is at this offset of the host file.
    pub fn push_verbatim(&mut self, text: &str, at: u32) {
        let host = Span::new(at, at.saturating_add(text.len() as u32));
        self.push(text, host, true);
    }

    /// Appends text that stands for a whole span of the host file.
    pub fn push_value(&mut self, text: &str, host: Span) {
        self.push(text, host, false);
    }

    fn push(&mut self, text: &str, host: Span, verbatim: bool) {
        if text.is_empty() {
            return;
        }
        match self.pieces.last_mut() {
            Some(last) if verbatim && last.verbatim && last.host.end == host.start => {
                last.host.end = host.end;
            }
            _ => self.pieces.push(Piece { start: self.text.len() as u32, host, verbatim }),
        }
        self.text.push_str(text);
    }

    /// Appends another text.
    pub fn append(&mut self, other: &Self) {
        self.append_range(other, 0..other.text.len());
    }

    /// Appends a range of another text. The range must begin and end between characters.
    pub fn append_range(&mut self, other: &Self, range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            let index = other.index_at(at);
            let (Some(piece), end) = (other.pieces.get(index), other.end_of(index)) else { return };
            let end = end.min(range.end);
            let Some(text) = other.text.get(at..end).filter(|text| !text.is_empty()) else {
                return;
            };
            match piece.verbatim {
                true => self.push_verbatim(text, piece.host.start + (at as u32 - piece.start)),
                false => self.push_value(text, piece.host),
            }
            at = end;
        }
    }

    /// Returns the index of the piece that contains a byte, or of the last piece.
    fn index_at(&self, at: usize) -> usize {
        self.pieces.partition_point(|piece| piece.start as usize <= at).saturating_sub(1)
    }

    fn end_of(&self, index: usize) -> usize {
        self.pieces.get(index + 1).map_or(self.text.len(), |next| next.start as usize)
    }

    /// Returns the span of the host file that a span of the text comes from. A span over parts from different places of the host
    /// file becomes that of its first parts which follow one another there. Returns an empty span for an empty one.
    pub fn host_span(&self, span: Span) -> Span {
        let range = span.range(&self.text);
        if range.is_empty() {
            return Span::default();
        }
        let first = self.index_at(range.start);
        let Some(piece) = self.pieces.get(first) else { return Span::default() };
        let start = match piece.verbatim {
            true => piece.host.start + (range.start as u32 - piece.start),
            false => piece.host.start,
        };
        let mut end = start;
        for (index, piece) in self.pieces.iter().enumerate().skip(first) {
            let is_apart = piece.host.start < end || piece.host.start > end + MAX_GAP;
            if piece.start as usize >= range.end || index > first && is_apart {
                break;
            }
            let stop = self.end_of(index).min(range.end);
            end = match piece.verbatim {
                true => piece.host.start + (stop as u32 - piece.start),
                false => piece.host.end,
            };
        }
        Span::new(start, end)
    }

    /// Returns the spans of the host file that the text comes from, in the order of the text. The flag says whether the text is
    /// the same as that of the host file.
    pub fn sources(&self) -> impl Iterator<Item = (Span, bool)> {
        self.pieces.iter().map(|piece| (piece.host, piece.verbatim))
    }
}

/// The most bytes of the host file between two parts of a text that follow one another: `" +` and the start of the next line, a
/// line continuation.
const MAX_GAP: u32 = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_keep_their_places() {
        let host = "0123456789abcdef";
        let mut text = MappedText::default();
        text.push_verbatim(&host[2..5], 2);
        text.push_value("64", Span::new(5, 9));
        text.push_verbatim(&host[9..12], 9);
        assert_eq!(text.text(), "234649ab");
        let span = |start, end| text.host_span(Span::new(start, end));
        assert_eq!(span(1, 2), Span::new(3, 4));
        assert_eq!(span(4, 5), Span::new(5, 9));
        assert_eq!(span(2, 7), Span::new(4, 11));
        assert_eq!(span(3, 3), Span::default());
    }

    #[test]
    fn a_span_over_distant_parts_is_that_of_the_first() {
        let mut text = MappedText::default();
        text.push_verbatim("first", 1000);
        text.push_verbatim("second", 10);
        assert_eq!(text.host_span(Span::new(2, 8)), Span::new(1002, 1005));
        assert_eq!(text.host_span(Span::new(5, 8)), Span::new(10, 13));
    }

    #[test]
    fn a_range_of_a_text_keeps_its_places() {
        let mut text = MappedText::default();
        text.push_verbatim("abc", 10);
        text.push_value("XYZ", Span::new(13, 15));
        text.push_verbatim("def", 15);
        let mut part = MappedText::default();
        part.append_range(&text, 1..7);
        assert_eq!(part.text(), "bcXYZd");
        let all: Vec<_> = part.sources().collect();
        let expected =
            [(Span::new(11, 13), true), (Span::new(13, 15), false), (Span::new(15, 16), true)];
        assert_eq!(all, expected);
    }
}

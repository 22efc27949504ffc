//! Source texts, and positions in them.
//!
//! A [`SourceMap`] owns the text and converts byte offsets to lines and columns. Passes and executors refer to sites
//! ([`crate::ir::sites`]), and every site has a [`Span`] in the source map.

use std::sync::Arc;

/// A half-open range of byte offsets into the text of a [`SourceMap`]. Two offsets are all that it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset one past the last byte.
    pub end: u32,
}

impl Span {
    /// Returns the span from `start` to `end`, in bytes.
    pub fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// Returns the byte range, clipped to `text`.
    pub fn range(self, text: &str) -> std::ops::Range<usize> {
        let end = (self.end as usize).min(text.len());
        (self.start as usize).min(end)..end
    }

    /// Returns the number of bytes that the span covers.
    #[doc(hidden)]
    pub fn len(self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }

    /// Returns whether the span covers nothing. naga gives empty spans to items that it generates itself.
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }
}

#[doc(hidden)]
impl From<naga::Span> for Span {
    fn from(span: naga::Span) -> Self {
        span.to_range().map_or(Self::default(), |r| Self::new(r.start as u32, r.end as u32))
    }
}

/// A position as editors count it: line and column from 1, columns in characters. These two numbers are all that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in Unicode scalar values.
    pub column: u32,
}

/// One source text with the name that reports show, or the concatenated texts of several files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceMap {
    name: Arc<str>,
    text: Arc<str>,
    line_starts: Arc<[u32]>,
    /// The files, by the index of their first line.
    files: Arc<[(usize, Arc<str>)]>,
    /// Whether all characters are one byte long. Columns are then byte offsets.
    is_ascii: bool,
}

impl Default for SourceMap {
    fn default() -> Self {
        Self::new("", "")
    }
}

impl SourceMap {
    /// Creates the map of `text`, which reports show as `name` (a path as the user gave it).
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let line_starts =
            std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i as u32 + 1)).collect();
        let (name, is_ascii) = (name.into(), text.is_ascii());
        Self { name: Arc::clone(&name), text, line_starts, files: Arc::new([(0, name)]), is_ascii }
    }

    /// Creates the map of several files, for an input called `name` that consists of them.
    #[doc(hidden)]
    pub fn of_files<'a>(
        name: impl Into<Arc<str>>,
        files: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let (mut text, mut lines, mut starts) = (String::new(), 0, Vec::new());
        for (name, file) in files {
            starts.push((lines, Arc::from(name)));
            let begin = text.len();
            text.push_str(file);
            if !text.ends_with('\n') {
                text.push('\n');
            }
            lines += text[begin..].matches('\n').count();
        }
        match starts.is_empty() {
            true => Self::new(name, ""),
            false => Self { files: starts.into(), ..Self::new(name, text) },
        }
    }

    /// Returns the name that reports show.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the whole text, of all files.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the name of the file that contains a byte offset.
    pub fn file(&self, offset: u32) -> &str {
        &self.file_of(self.index_of_line(offset)).1
    }

    /// Returns the text of the file called `name` and the offset where it begins, or the whole text if there is no such file.
    pub fn file_text(&self, name: &str) -> (&str, u32) {
        let Some(at) = self.files.iter().position(|(_, file)| **file == *name) else {
            return (&self.text, 0);
        };
        let start = |at: usize| Some(*self.line_starts.get(self.files.get(at)?.0)? as usize);
        let (begin, end) = (start(at).unwrap_or(0), start(at + 1).unwrap_or(self.text.len()));
        (&self.text[begin..end], begin as u32)
    }

    /// Returns the index of the line that contains an offset, over all files.
    fn index_of_line(&self, offset: u32) -> usize {
        let offset = (offset as usize).min(self.text.len());
        self.line_starts.partition_point(|&s| s as usize <= offset) - 1
    }

    fn file_of(&self, line: usize) -> &(usize, Arc<str>) {
        let next = self.files.partition_point(|(first, _)| *first <= line);
        &self.files[next.saturating_sub(1)]
    }

    /// Returns the span of the line on which a span begins, without the space around it. An empty span stays as it is.
    #[cfg(feature = "spirv")]
    pub(crate) fn trimmed_line(&self, span: Span) -> Span {
        if span.is_empty() {
            return span;
        }
        let line = self.index_of_line(span.start);
        let start = self.line_starts[line] as usize;
        let end = self.line_starts.get(line + 1).map_or(self.text.len(), |next| *next as usize);
        let text = self.text.get(start..end).unwrap_or_default();
        let start = start + text.len() - text.trim_start().len();
        Span::new(start as u32, (start + text.trim().len()) as u32)
    }

    /// Returns the line and column of a byte offset, relative to its file.
    pub fn position(&self, offset: u32) -> LineColumn {
        let line = self.index_of_line(offset);
        let offset = (offset as usize).min(self.text.len());
        let start = self.line_starts[line] as usize;
        let before = self.text.get(start..offset).filter(|_| !self.is_ascii);
        let column = before.map_or(offset - start, |before| before.chars().count());
        let line = line - self.file_of(line).0;
        LineColumn { line: line as u32 + 1, column: column as u32 + 1 }
    }

    /// Returns the byte offset of a position in the first file. If there is no such position, returns the offset of the end of
    /// the line or of the text.
    pub fn offset(&self, position: LineColumn) -> u32 {
        self.offset_from(0, position)
    }

    /// Returns the byte offset of a position in the file called `file`.
    #[doc(hidden)]
    pub fn offset_in(&self, file: &str, position: LineColumn) -> u32 {
        let of_file = self.files.iter().find(|(_, name)| **name == *file);
        self.offset_from(of_file.map_or(0, |(first, _)| *first), position)
    }

    fn offset_from(&self, first: usize, position: LineColumn) -> u32 {
        let index = first + (position.line as usize).saturating_sub(1);
        let Some(&start) = self.line_starts.get(index) else {
            return self.text.len() as u32;
        };
        let line = self.line(index as u32 + 1);
        let column = (position.column as usize).saturating_sub(1);
        let before = match self.is_ascii {
            true => column.min(line.len()),
            false => line.chars().take(column).map(char::len_utf8).sum(),
        };
        start + before as u32
    }

    /// Returns the text of line `line` (from 1, over all files), without its line terminator.
    pub fn line(&self, line: u32) -> &str {
        let index = (line as usize).checked_sub(1);
        let Some(&start) = index.and_then(|index| self.line_starts.get(index)) else { return "" };
        let end = self.line_starts.get(line as usize).map_or(self.text.len(), |&e| e as usize);
        self.text[start as usize..end].trim_end_matches(['\n', '\r'])
    }

    /// Returns the number of the line that contains a byte offset, from 1, over all files.
    #[doc(hidden)]
    pub fn line_over_all(&self, offset: u32) -> u32 {
        self.index_of_line(offset) as u32 + 1
    }

    /// Returns the text of the line that contains an offset, without its line terminator.
    pub fn line_at(&self, offset: u32) -> &str {
        self.line(self.line_over_all(offset))
    }

    /// Returns the number of lines in the text.
    pub fn lines(&self) -> u32 {
        self.line_starts.len() as u32
    }

    /// Returns the text under `span`.
    pub fn snippet(&self, span: Span) -> &str {
        self.text.get(span.range(&self.text)).unwrap_or("")
    }
}

/// Returns the text that reports show for a path. Control characters and marks that change the direction of text are escaped,
/// so that the name of a file cannot begin a line of its own in a log, or move the cursor of a terminal.
pub fn display_path(path: &std::path::Path) -> String {
    let mut shown = String::new();
    for c in path.to_string_lossy().chars() {
        match c {
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                shown.extend(c.escape_unicode());
            }
            '\u{2028}' | '\u{2029}' => shown.extend(c.escape_unicode()),
            c if c.is_control() => shown.extend(c.escape_default()),
            c => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::display_path;
    use std::path::Path;

    #[test]
    fn names_of_files_stay_on_their_line() {
        let shown = |name: &str| display_path(Path::new(name));
        assert_eq!(shown("shaders/größe 1.wgsl"), "shaders/größe 1.wgsl");
        assert_eq!(shown("a\n::stop-commands::x"), r"a\n::stop-commands::x");
        assert_eq!(shown("\u{1b}[2Ja"), r"\u{1b}[2Ja");
        assert_eq!(shown("a\u{202e}b\u{2028}c"), r"a\u{202e}b\u{2028}c");
    }
}

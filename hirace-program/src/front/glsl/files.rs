//! The files of a shader: the text itself, and the files that it includes.

use super::lines::{JoinedText, lines};
use crate::source_map::{SourceMap, Span};

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The name that reports show.
    pub name: String,
    /// The text.
    pub text: String,
}

/// The files of a shader, the main file first. glslang calls each file by its index.
#[derive(Clone, Debug)]
pub struct Files {
    list: Vec<SourceFile>,
    /// By file: the offset of each line in the source, and of the end.
    lines: Vec<Vec<u32>>,
}

impl Files {
    /// Creates the files of a shader that includes none yet.
    pub fn new(name: &str, text: &str) -> Self {
        let mut files = Self { list: Vec::new(), lines: Vec::new() };
        files.add(SourceFile { name: name.to_owned(), text: text.to_owned() });
        files
    }

    /// Adds a file, and returns its index. A file that is included again keeps its index.
    pub fn add(&mut self, file: SourceFile) -> usize {
        match self.list.iter().position(|known| *known == file) {
            Some(index) => index,
            None => {
                let begin = self.lines.last().and_then(|lines| lines.last()).copied().unwrap_or(0);
                let mut lines = vec![begin];
                for line in file.text.split_inclusive('\n') {
                    // The source ends each file with a new line.
                    let length = line.len() as u32 + u32::from(!line.ends_with('\n'));
                    lines.push(lines.last().map_or(0, |last| last.saturating_add(length)));
                }
                self.lines.push(lines);
                self.list.push(file);
                self.list.len() - 1
            }
        }
    }

    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns the file with this index.
    pub fn get(&self, index: usize) -> Option<&SourceFile> {
        self.list.get(index)
    }

    /// Returns the index of the file that glslang calls by this name.
    pub fn index(&self, name: &str) -> Option<usize> {
        name.parse().ok().filter(|index| *index < self.list.len())
    }

    /// Returns the texts as one source.
    pub fn source(&self) -> SourceMap {
        match self.list.as_slice() {
            [file] => SourceMap::new(&*file.name, &*file.text),
            files => {
                let texts = files.iter().map(|file| (&*file.name, &*file.text));
                SourceMap::of_files(files.first().map_or("", |file| &file.name), texts)
            }
        }
    }

    /// Returns the offset of a file in the source.
    pub fn start(&self, index: usize) -> u32 {
        self.lines.get(index).and_then(|lines| lines.first()).copied().unwrap_or(0)
    }

    /// Returns the span of a line of a file in the source, from line 1, without the space around its text.
    pub fn line(&self, index: usize, line: u32) -> Option<Span> {
        let lines = self.lines.get(index)?;
        let at = (line as usize).checked_sub(1)?;
        let (from, to) = (*lines.get(at)?, *lines.get(at + 1)?);
        let text = &self.get(index)?.text;
        let text = text.get(Span::new(from - lines[0], to - lines[0]).range(text))?;
        let start = from + (text.len() - text.trim_start().len()) as u32;
        Some(Span::new(start, start + text.trim().len() as u32))
    }
}

/// Replaces `#line` directives by spaces: findings are shown where they are in the file that the user gave.
pub fn without_line_directives(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    if text.contains("line") {
        for line in lines(&JoinedText::new(text)) {
            if line.directive() == Some("line") {
                for token in &line.tokens {
                    bytes[token.span.range(text)].fill(b' ');
                }
            }
        }
    }
    // Only whole tokens are replaced.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_directives_become_spaces() {
        let text = "#version 450\n # line 7 \"a\"\nuint line;\n#line 8\\\n 9\n// #line 3\n";
        let expected = "#version 450\n             \nuint line;\n       \\\n  \n// #line 3\n";
        assert_eq!(without_line_directives(text), expected);
        assert_eq!(without_line_directives(text).len(), text.len());
    }

    #[test]
    fn lines_of_all_files_are_spans_of_the_source() {
        let mut files = Files::new("main", "a\n  b");
        let other = SourceFile { name: "other".into(), text: "c\n\td \n".into() };
        assert_eq!((files.add(other.clone()), files.add(other)), (1, 1));
        let source = files.source();
        let shown = |file, line| {
            let span = files.line(file, line)?;
            Some((source.snippet(span).to_owned(), source.file(span.start).to_owned()))
        };
        let of = |text: &str, file: &str| Some((text.to_owned(), file.to_owned()));
        assert_eq!(shown(0, 2), of("b", "main"));
        assert_eq!(shown(1, 1), of("c", "other"));
        assert_eq!(shown(1, 2), of("d", "other"));
        assert_eq!((shown(1, 3), shown(2, 1), shown(0, 0)), (None, None, None));
    }
}

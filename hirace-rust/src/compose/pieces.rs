//! Text pieces of the files that contain a kernel and the items that it uses.

use crate::source_map::SourceMap;

/// A part of a file.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// The name of the file.
    pub file: &'a str,
    /// The line at which it starts, from 1.
    pub line: u32,
    /// Its text, with each character in its original column.
    pub text: &'a str,
}

/// Returns the files of the pieces, without duplicates. The first is the kernel's.
pub fn files<'a>(pieces: &[Piece<'a>]) -> Vec<&'a str> {
    let mut files = Vec::new();
    for piece in pieces {
        if !files.contains(&piece.file) {
            files.push(piece.file);
        }
    }
    files
}

/// Returns a source with each piece at its position in its file. The rest of the file is blank.
pub fn source(pieces: &[Piece<'_>]) -> SourceMap {
    let files = files(pieces);
    let texts: Vec<String> =
        files.iter().map(|file| text(pieces.iter().filter(|piece| piece.file == *file))).collect();
    match (&files[..], &texts[..]) {
        ([file], [text]) => SourceMap::new(*file, text.as_str()),
        _ => SourceMap::of_files(
            files.first().copied().unwrap_or_default(),
            files.iter().copied().zip(texts.iter().map(String::as_str)),
        ),
    }
}

fn text<'a>(pieces: impl Iterator<Item = &'a Piece<'a>>) -> String {
    let mut lines: Vec<String> = Vec::new();
    for piece in pieces {
        let before = (piece.line as usize).saturating_sub(1);
        for (line, text) in (before..).zip(piece.text.split('\n')) {
            if lines.len() <= line {
                lines.resize(line + 1, String::new());
            }
            lines[line] = both(&lines[line], text);
        }
    }
    lines.join("\n")
}

/// Merges two versions of a line: returns the one that is not blank.
fn both(one: &str, other: &str) -> String {
    if one.trim().is_empty() {
        return other.to_owned();
    }
    let (mut rest, mut line) = (other.chars(), String::new());
    for c in one.chars() {
        let beside = rest.next().unwrap_or(' ');
        line.push(if c.is_whitespace() { beside } else { c });
    }
    line.extend(rest);
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_stand_where_they_do_in_their_files() {
        let piece = |file, line, text| Piece { file, line, text };
        let a = [
            piece("a.rs", 3, "fn k() {\n    f();\n}"),
            piece("b.rs", 2, "    fn f() {}"),
            piece("a.rs", 1, "const N: u32 = 1;"),
            piece("b.rs", 2, "                const M: u32 = 2;"),
        ];
        let source = source(&a);
        assert_eq!(files(&a), ["a.rs", "b.rs"]);
        assert_eq!(source.file_text("a.rs").0, "const N: u32 = 1;\n\nfn k() {\n    f();\n}\n");
        assert_eq!(source.file_text("b.rs").0, "\n    fn f() {}   const M: u32 = 2;\n");
        assert_eq!(super::source(&a[..1]).text(), "\n\nfn k() {\n    f();\n}");
    }
}

//! Tokens of GLSL, each with its place in the user's files.
//!
//! glslang knows the line of a token and not its column. Therefore the text that it compiles has one token on each line: a line
//! number is the number of a token. The text is the preprocessed one, whose lines are those of the files; the tokens of a line are
//! found in the file's line by comparing the two. What a macro was expanded to has the span of its call.

use super::files::Files;
use crate::front::lexer::{Piece, scan};
use crate::front::statements::PlacedToken;
use crate::source_map::Span;

/// The maximum number of comparisons for one line.
const COMPARISONS: usize = 1 << 20;
/// The tokens of a file, by line.
struct FileTokens {
    pieces: Vec<Piece>,
}

impl FileTokens {
    fn line(&self, line: u32) -> &[Piece] {
        let from = self.pieces.partition_point(|piece| piece.line < line);
        let to = self.pieces.partition_point(|piece| piece.line <= line);
        &self.pieces[from..to]
    }
}

/// Returns the tokens of a preprocessed text in which `#line` directives name the files by their indices.
pub fn tokens<'a>(preprocessed: &'a str, files: &Files) -> Vec<PlacedToken<'a>> {
    let of_files: Vec<FileTokens> = (0..files.len())
        .map(|index| FileTokens { pieces: scan(files.get(index).map_or("", |file| &file.text)) })
        .collect();
    let mut tokens = Vec::new();
    let (mut file, mut number) = (0, 0);
    for line in preprocessed.lines() {
        number += 1;
        let directive = line.trim();
        if let Some(rest) = directive.strip_prefix('#') {
            let mut words = rest.split_whitespace();
            match words.next() {
                Some("line") => {
                    let next = words.next().and_then(|next| next.parse::<u32>().ok());
                    number = next.map_or(number, |next| next.saturating_sub(1));
                    let name = words.next().map(|name| name.trim_matches('"'));
                    file = name.and_then(|name| files.index(name)).unwrap_or(file);
                }
                // All files are here now.
                Some("extension") if rest.contains("GL_GOOGLE_") => {}
                _ => {
                    let span = files.line(file, number).unwrap_or_default();
                    tokens.push(PlacedToken { text: directive, span });
                }
            }
            continue;
        }
        let pieces: Vec<&str> =
            scan(line).iter().map(|piece| &line[piece.start..piece.end]).collect();
        if pieces.is_empty() {
            continue;
        }
        let text = files.get(file).map_or("", |file| &file.text);
        let own = of_files.get(file).map_or(&[][..], |tokens| tokens.line(number));
        let names: Vec<&str> = own.iter().map(|piece| &text[piece.start..piece.end]).collect();
        let start = files.start(file);
        let span = |from: usize, to: usize| {
            Span::new(start + own[from].start as u32, start + own[to].end as u32)
        };
        let whole = files.line(file, number).unwrap_or_default();
        for (text, place) in pieces.iter().zip(places(&pieces, &names)) {
            let span = match place {
                Place::Exact(at) => span(at, at),
                Place::Within(from, to) => span(from, to),
                Place::Line => whole,
            };
            tokens.push(PlacedToken { text, span });
        }
    }
    tokens
}

/// The place of a token in a line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The token with this index.
    Exact(usize),
    /// The tokens from the first to the second index, which a macro replaced.
    Within(usize, usize),
    /// Somewhere on the line.
    Line,
}

/// Returns the places of the tokens of a preprocessed line in the original line.
fn places(made: &[&str], own: &[&str]) -> Vec<Place> {
    let exact = common(made, own);
    // By token: the next one that was found.
    let mut after = vec![own.len(); made.len()];
    let mut next = own.len();
    for (found, after) in exact.iter().zip(&mut after).rev() {
        next = found.unwrap_or(next);
        *after = next;
    }
    let mut before = 0;
    let place = |(found, after): (&Option<usize>, usize)| match *found {
        Some(found) => {
            before = found + 1;
            Place::Exact(found)
        }
        None if before < after => Place::Within(before, after - 1),
        None => Place::Line,
    };
    exact.iter().zip(after).map(place).collect()
}

/// Returns the longest common subsequence: for each token of `made`, the equal one of `own`.
fn common(made: &[&str], own: &[&str]) -> Vec<Option<usize>> {
    let prefix = made.iter().zip(own).take_while(|(a, b)| a == b).count();
    let (rest_made, rest_own) = (&made[prefix..], &own[prefix..]);
    let suffix =
        rest_made.iter().rev().zip(rest_own.iter().rev()).take_while(|(a, b)| a == b).count();
    let (inner_made, inner_own) =
        (&rest_made[..rest_made.len() - suffix], &rest_own[..rest_own.len() - suffix]);
    let mut found: Vec<Option<usize>> = (0..prefix).map(Some).collect();
    found.extend(longest(inner_made, inner_own).into_iter().map(|at| at.map(|at| at + prefix)));
    found.extend((own.len() - suffix..own.len()).map(Some));
    found
}

fn longest(made: &[&str], own: &[&str]) -> Vec<Option<usize>> {
    let width = own.len() + 1;
    if made.is_empty() || own.is_empty() || made.len().saturating_mul(width) > COMPARISONS {
        return vec![None; made.len()];
    }
    // The length of the longest common subsequence of the rests.
    let mut lengths = vec![0_u32; (made.len() + 1) * width];
    for i in (0..made.len()).rev() {
        for j in (0..own.len()).rev() {
            lengths[i * width + j] = match made[i] == own[j] {
                true => lengths[(i + 1) * width + j + 1] + 1,
                false => lengths[(i + 1) * width + j].max(lengths[i * width + j + 1]),
            };
        }
    }
    let (mut found, mut j) = (Vec::with_capacity(made.len()), 0);
    for i in 0..made.len() {
        while j < own.len()
            && made[i] != own[j]
            && lengths[i * width + j + 1] > lengths[(i + 1) * width + j]
        {
            j += 1;
        }
        let same = j < own.len() && made[i] == own[j];
        found.push(same.then_some(j));
        j += usize::from(same);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::files::SourceFile;
    use super::*;

    /// Returns the texts of the tokens, and the snippets that they are shown as.
    fn snippets(preprocessed: &str, files: &Files) -> Vec<(String, String)> {
        let source = files.source();
        let shown = |token: &PlacedToken<'_>| {
            (token.text.to_owned(), source.snippet(token.span).to_owned())
        };
        tokens(preprocessed, files).iter().map(shown).collect()
    }

    #[test]
    fn tokens_are_found_in_their_lines() {
        let files = Files::new("a", "#version 450 // v\nuint  x = F(y, 2u) + z;\n");
        let preprocessed = "#version 450\nuint x = y * y + 2u + z ;\n";
        let found = snippets(preprocessed, &files);
        let shown = |index: usize| (&*found[index].0, &*found[index].1);
        assert_eq!(shown(0), ("#version 450", "#version 450 // v"));
        assert_eq!(shown(1), ("uint", "uint"));
        // What only the macro has is shown as the part of its call that is not found elsewhere.
        assert_eq!(shown(4), ("y", "F("));
        assert_eq!(shown(6), ("y", "y"));
        assert_eq!(shown(8), ("2u", "2u"));
        assert_eq!(shown(9), ("+", "+"));
        assert_eq!(shown(10), ("z", "z"));
        assert_eq!(snippets("\nuint q ;\n", &files)[1].1, "x = F(y, 2u) + z");
        // A line with more tokens than the file has there.
        assert_eq!(snippets("\n\nuint q ;\n", &files)[0].1, "");
    }

    #[test]
    fn line_directives_name_the_files() {
        let mut files = Files::new("a", "#include \"b\"\nf ( ) ;\n");
        files.add(SourceFile { name: "b".into(), text: "\n\ng;".into() });
        let preprocessed = "#extension GL_GOOGLE_include_directive : enable\n#line 1 \"1\"\n\n\ng;\n#line 2 \"0\"\nf();\n";
        let found: Vec<String> =
            snippets(preprocessed, &files).into_iter().map(|of| of.1).collect();
        assert_eq!(found, ["g", ";", "f", "(", ")", ";"]);
        let source = files.source();
        let of_file = |token: &PlacedToken<'_>| source.file(token.span.start).to_owned();
        let all = tokens(preprocessed, &files);
        assert_eq!((of_file(&all[0]), of_file(&all[2])), ("b".to_owned(), "a".to_owned()));
    }
}

//! The text that is shown for an instruction: its source line if that is known, otherwise the disassembled instruction.

use super::declarations::SpirvDeclarations;
use super::lines::{Line, Lines, TEXTS};
use super::listing::listing;
use super::marks;
use super::switch_lines;
use super::words::Words;
use crate::program::Language;
use crate::source_map::{SourceMap, Span};
use rustc_hash::FxHashMap;

/// The numbers of the source languages GLSL ES and GLSL.
const GLSL: [u32; 2] = [1, 2];
/// The numbers of the source languages HLSL and Slang.
const HLSL: [u32; 2] = [5, 11];
/// The maximum number of files of a module in which the expressions of accesses are searched.
const MARKED: usize = 64;
/// The number of header lines in the output of `spirv-dis`.
const HEADER: usize = 5;
/// The maximum line number of a file, and the maximum total number of lines that are generated for files whose text is not
/// available. Greater numbers in a module are ignored.
const LINES: u32 = 1 << 20;
/// The maximum length of a line in which columns are shown.
const LENGTH: usize = 10_000;

/// The lines of a module.
#[derive(Clone, Debug)]
pub struct Text {
    source: SourceMap,
    /// By instruction: the span to point at, and that of the whole line.
    spans: Vec<(Span, Span)>,
    /// By instruction: its text, and the index of its first word.
    listing: Vec<(String, usize)>,
    has_source: bool,
}

/// A source file.
struct File {
    name: String,
    lines: Vec<String>,
    /// The offset of each line in the whole text.
    starts: Vec<usize>,
    /// Whether the text is the user's. Otherwise it contains instructions on the lines that are known.
    is_source: bool,
}

impl Text {
    /// Creates the lines of the module called `name`. `lookup` returns the text of a file that the module refers to but does not
    /// contain.
    pub fn new(
        name: &str,
        words: &Words,
        declared: &SpirvDeclarations,
        lines: &Lines,
        lookup: &dyn Fn(&str) -> Option<String>,
    ) -> Self {
        let listing = listing(words, declared);
        let mut files: Vec<File> = Vec::new();
        let mut numbers: FxHashMap<u32, usize> = FxHashMap::default();
        let (mut left, mut bytes) = (LINES as usize, TEXTS);
        for (line, shown) in lines.of.iter().zip(&listing) {
            let Some(line) = line.filter(|line| line.line <= LINES) else { continue };
            let number = *numbers.entry(line.file).or_insert_with(|| {
                files.push(File::of(line.file, declared, lines, lookup, &mut bytes));
                files.len() - 1
            });
            files[number].ensure_line(line, shown, &mut left);
        }
        let first_line = format!("; {name}\n");
        let header = first_line + &";\n".repeat(HEADER - 1);
        let begin = files.iter_mut().fold(0, |begin, file| file.begin_at(begin));
        let mut spans = Vec::with_capacity(listing.len());
        let (mut own, mut at) = (header, begin as u32);
        at += own.len() as u32;
        for (line, shown) in lines.of.iter().zip(&listing) {
            let file = line.and_then(|line| Some((line, &files[*numbers.get(&line.file)?])));
            let found = file.and_then(|(line, file)| file.span(line));
            let end = at + shown.len() as u32;
            spans.push(found.unwrap_or((Span::new(at, end), Span::new(at, end))));
            own.push_str(shown);
            own.push('\n');
            at = end + 1;
        }
        let texts: Vec<String> = files.iter().map(File::text).collect();
        let is_known = GLSL.contains(&lines.language) || HLSL.contains(&lines.language);
        if is_known && files.len() <= MARKED {
            for (id, number) in &numbers {
                let (file, text) = (&files[*number], &texts[*number]);
                let start = file.starts.first().copied().unwrap_or(0) as u32;
                if file.is_source {
                    marks::of_lines(words, declared, lines, *id, text, start, &mut spans);
                    for (instruction, line) in switch_lines::find(words, lines, *id, text) {
                        let place = file.span(Line { file: *id, line, column: 0, end: 0 });
                        if let (Some(place), Some(span)) = (place, spans.get_mut(instruction)) {
                            *span = place;
                        }
                    }
                }
            }
        }
        let texts = files.iter().zip(&texts).map(|(file, text)| (&*file.name, &**text));
        let source = SourceMap::of_files(name, texts.chain([(name, &*own)]));
        let words = words.instructions().map(|instruction| instruction.word);
        let listing = listing.into_iter().zip(words).collect();
        Self { source, spans, listing, has_source: files.iter().any(|file| file.is_source) }
    }

    /// Creates the text of a module that was compiled from `source`, with the spans of each instruction.
    pub fn compiled(source: SourceMap, spans: Vec<(Span, Span)>) -> Self {
        Self { source, spans, listing: Vec::new(), has_source: true }
    }

    /// Returns the whole text.
    pub fn source(&self) -> &SourceMap {
        &self.source
    }

    /// Returns the span to point at for an instruction.
    pub fn span(&self, instruction: usize) -> Span {
        self.spans.get(instruction).map_or(Span::default(), |(span, _)| *span)
    }

    /// Returns the span of the line of an instruction.
    pub fn statement(&self, instruction: usize) -> Span {
        self.spans.get(instruction).map_or(Span::default(), |(_, line)| *line)
    }

    /// Returns the disassembled instruction with its position in the module, if the user gave the module.
    pub fn in_words(&self, instruction: usize) -> Option<String> {
        let (text, word) = self.listing.get(instruction)?;
        Some(format!("the instruction is `{text}`, at word {word} of the module"))
    }

    /// Returns the language of the lines.
    pub fn language(&self, lines: &Lines) -> Language {
        match lines.language {
            language if self.has_source && GLSL.contains(&language) => Language::GlslLines,
            language if self.has_source && HLSL.contains(&language) => Language::HlslLines,
            _ => Language::Spirv,
        }
    }
}

impl File {
    /// Returns the file with this name. Texts that the module does not contain may have at most `left` bytes in total.
    fn of(
        id: u32,
        declared: &SpirvDeclarations,
        lines: &Lines,
        lookup: &dyn Fn(&str) -> Option<String>,
        left: &mut usize,
    ) -> Self {
        let name = declared.strings.get(&id).filter(|name| !name.is_empty());
        let name = name.map_or("(a file without a name)", String::as_str);
        let held = lines.texts.get(&id).filter(|text| !text.is_empty()).cloned();
        let text = held.or_else(|| {
            let text = lookup(name)?;
            *left = left.checked_sub(text.len())?;
            Some(text)
        });
        let is_source = text.is_some();
        let lines = text.unwrap_or_default().lines().map(str::to_owned).collect();
        Self { name: name.to_owned(), lines, starts: Vec::new(), is_source }
    }

    /// Ensures that the line exists, if at most `left` lines have to be added. If the text is not known, the line contains the
    /// instruction.
    fn ensure_line(&mut self, line: Line, instruction: &str, left: &mut usize) {
        if self.is_source {
            return;
        }
        let index = line.line as usize - 1;
        let length = self.lines.len().max(index + 1);
        let Some(rest) = left.checked_sub(length - self.lines.len()) else { return };
        *left = rest;
        self.lines.resize(length, String::new());
        if self.lines[index].is_empty() {
            self.lines[index].push_str(instruction);
        }
    }

    /// Sets the offsets of the lines, and returns the offset of the end.
    fn begin_at(&mut self, mut begin: usize) -> usize {
        for line in &self.lines {
            self.starts.push(begin);
            begin += line.len() + 1;
        }
        begin
    }

    fn text(&self) -> String {
        self.lines.iter().flat_map(|line| [line, "\n"]).collect()
    }

    /// Returns the span to point at for a line and column, and the span of the whole line.
    fn span(&self, line: Line) -> Option<(Span, Span)> {
        let index = line.line as usize - 1;
        let (text, start) = (self.lines.get(index)?, *self.starts.get(index)?);
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return None;
        }
        let from = text.len() - text.trim_start().len();
        let all = (from, from + trimmed.len());
        let offset = |column: u32| {
            let before = text.chars().take((column as usize).saturating_sub(1));
            before.map(char::len_utf8).sum::<usize>()
        };
        let part = match (line.column, line.end) {
            (0, _) => all,
            _ if text.len() > LENGTH => all,
            (first, 0) => (offset(first), offset(first) + reach(&text[offset(first)..])),
            (first, end) => (offset(first), offset(end)),
        };
        let part = (part.0, part.1.min(all.1));
        let part = if self.is_source && all.0 <= part.0 && part.0 < part.1 { part } else { all };
        let span = |(from, to)| Span::new((start + from) as u32, (start + to) as u32);
        Some((span(part), span(all)))
    }
}

/// Returns the length of the expression at the start of a text: a name with its calls and indices.
fn reach(text: &str) -> usize {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut depth = 0_u32;
    let mut end = 0;
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' if depth > 0 => depth -= 1,
            _ if depth > 0 || word(c) || c == '.' => {}
            _ => break,
        }
        end = at + c.len_utf8();
    }
    text[..end].trim_end().len()
}

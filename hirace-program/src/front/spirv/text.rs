//! What is shown for an instruction: its line of the source where that is known, else the instruction.

use super::declared::Declared;
use super::lines::{Line, Lines, TEXTS};
use super::listing::listing;
use super::words::Words;
use crate::program::Language;
use crate::source_map::{SourceMap, Span};
use rustc_hash::FxHashMap;

/// The numbers of GLSL ES and GLSL among the languages that a module may come from.
const GLSL: [u32; 2] = [1, 2];
/// The numbers of HLSL and Slang.
const HLSL: [u32; 2] = [5, 11];
/// Lines before the first instruction in what `spirv-dis` writes.
const HEADER: usize = 5;
/// A line that a module names and that is further down is not believed, nor one for which the files that it does not
/// hold would get more lines than this.
const LINES: u32 = 1 << 20;
/// In a longer line nobody looks for a column.
const LENGTH: usize = 10_000;

/// The lines of a module.
#[derive(Clone, Debug)]
pub struct Text {
    source: SourceMap,
    /// By instruction: what to point at, and the whole line.
    spans: Vec<(Span, Span)>,
    /// By instruction: how it is written, and its word.
    listing: Vec<(String, usize)>,
    has_source: bool,
}

/// A file that lines are of.
struct File {
    name: String,
    lines: Vec<String>,
    /// Where each line begins in all of the text.
    starts: Vec<usize>,
    /// Whether the text is the user's; else it holds instructions where lines are known.
    is_source: bool,
}

impl Text {
    /// The lines of the module called `name`. Where a module names a file and does not hold it, `beside`
    /// is asked for its text.
    pub fn new(
        name: &str,
        words: &Words,
        declared: &Declared,
        lines: &Lines,
        beside: &dyn Fn(&str) -> Option<String>,
    ) -> Self {
        let listing = listing(words, declared);
        let mut files: Vec<File> = Vec::new();
        let mut numbers: FxHashMap<u32, usize> = FxHashMap::default();
        let (mut left, mut bytes) = (LINES as usize, TEXTS);
        for (line, shown) in lines.of.iter().zip(&listing) {
            let Some(line) = line.filter(|line| line.line <= LINES) else { continue };
            let number = *numbers.entry(line.file).or_insert_with(|| {
                files.push(File::of(line.file, declared, lines, beside, &mut bytes));
                files.len() - 1
            });
            files[number].reaches(line, shown, &mut left);
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
        let texts = files.iter().zip(&texts).map(|(file, text)| (&*file.name, &**text));
        let source = SourceMap::of_files(name, texts.chain([(name, &*own)]));
        let words = words.instructions().map(|instruction| instruction.word);
        let listing = listing.into_iter().zip(words).collect();
        Self { source, spans, listing, has_source: files.iter().any(|file| file.is_source) }
    }

    /// All of it.
    pub fn source(&self) -> &SourceMap {
        &self.source
    }

    /// What to point at for an instruction.
    pub fn span(&self, instruction: usize) -> Span {
        self.spans.get(instruction).map_or(Span::default(), |(span, _)| *span)
    }

    /// The line that an instruction is on.
    pub fn statement(&self, instruction: usize) -> Span {
        self.spans.get(instruction).map_or(Span::default(), |(_, line)| *line)
    }

    /// The instruction itself, and where it is in the module.
    pub fn in_words(&self, instruction: usize) -> String {
        match self.listing.get(instruction) {
            Some((text, word)) => {
                format!("the instruction is `{text}`, at word {word} of the module")
            }
            None => String::new(),
        }
    }

    /// What the lines are written in.
    pub fn language(&self, lines: &Lines) -> Language {
        match lines.language {
            language if self.has_source && GLSL.contains(&language) => Language::GlslLines,
            language if self.has_source && HLSL.contains(&language) => Language::HlslLines,
            _ => Language::Spirv,
        }
    }
}

impl File {
    /// The file with this name: of texts that the module does not hold, as many bytes as are `left`.
    fn of(
        id: u32,
        declared: &Declared,
        lines: &Lines,
        beside: &dyn Fn(&str) -> Option<String>,
        left: &mut usize,
    ) -> Self {
        let name = declared.strings.get(&id).filter(|name| !name.is_empty());
        let name = name.map_or("(a file without a name)", String::as_str);
        let held = lines.texts.get(&id).filter(|text| !text.is_empty()).cloned();
        let text = held.or_else(|| {
            let text = beside(name)?;
            *left = left.checked_sub(text.len())?;
            Some(text)
        });
        let is_source = text.is_some();
        let lines = text.unwrap_or_default().lines().map(str::to_owned).collect();
        Self { name: name.to_owned(), lines, starts: Vec::new(), is_source }
    }

    /// Makes sure that the line is there, if so many are `left`: with the instruction on it, where the text is not
    /// known.
    fn reaches(&mut self, line: Line, instruction: &str, left: &mut usize) {
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

    /// Notes where its lines begin, and says where it ends.
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

    /// What to point at for a line and column, and the whole line.
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

/// How far what begins a text reaches: a name and what is called or indexed of it.
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

//! Unique names for the declarations of modules.
//!
//! naga_oil writes `fooX_naga_oil_mod_X…X` for `foo` of a module. This module replaces that by `foo`, unless another file uses
//! the word too, so that reports show the names in the source. If the path was longer than the name, spaces precede the name to
//! preserve columns.
//! that, and columns are those of the file.

use super::File;
use crate::diagnostic::{Diagnostic, Result};
use crate::front::wgsl::tokens::{TokenKind, Tokens};
use crate::source_map::{LineColumn, SourceMap, Span};
use naga_oil::compose::tokenizer::{Token, Tokenizer};
use naga_oil::compose::{Composer, WgslDirectives};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// An import of a piece: an import path, or the name of an included file after [`PART`], and its offset.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub what: String,
    pub at: usize,
}

/// A file, and its preprocessed text.
#[derive(Debug)]
pub(super) struct Piece {
    pub file: File,
    /// Its import path, if it was imported by one.
    pub module: Option<String>,
    /// Its text before preprocessing, without WGSL directives.
    pub cleaned: String,
    /// Its text after preprocessing.
    pub text: String,
    pub directives: WgslDirectives,
    pub uses: Vec<Use>,
    pub wanted: Vec<Wanted>,
}

impl Piece {
    /// Creates an error at the line of the original text that corresponds to an offset in the preprocessed text.
    pub fn error(&self, at: usize, message: String) -> Diagnostic {
        let line = self.text[..at.min(self.text.len())].matches('\n').count();
        let before: usize = self.cleaned.split_inclusive('\n').take(line).map(str::len).sum();
        let source = SourceMap::new(self.file.name.as_str(), self.cleaned.as_str());
        Diagnostic::at(&source, line_span(&source, before), message)
    }
}

/// A use of a module's item.
#[derive(Clone, Debug)]
pub(super) struct Use {
    pub module: String,
    pub item: String,
    /// The offset in the preprocessed text.
    pub at: usize,
}

/// Returns the uses of module items in `text`, in naga_oil's form: the name, a marker, the module in base 32, and an end marker.
pub(super) fn uses(text: &str) -> Vec<Use> {
    let tokens = Tokens::new(text);
    let uses = words(&tokens).filter_map(|index| {
        let (item, module) = tokens.text(index).split_once("X_naga_oil_mod_X")?;
        let module = base_32(module.strip_suffix('X')?)?;
        Some(Use { module, item: item.to_owned(), at: tokens.span(index).start as usize })
    });
    uses.collect()
}

/// Decodes base 32: five bits per character, without padding.
fn base_32(encoded: &str) -> Option<String> {
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for c in encoded.bytes() {
        let value = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".iter().position(|of| *of == c)?;
        bits = bits << 5 | value as u32;
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    String::from_utf8(bytes).ok()
}

/// Returns the texts of all pieces, with the final names of all declarations.
pub(super) fn resolved(pieces: &[Piece]) -> Result<Vec<String>> {
    let tokens: Vec<Tokens<'_>> = pieces.iter().map(|piece| Tokens::new(&piece.text)).collect();
    let mut owners: FxHashMap<&str, FxHashSet<usize>> = FxHashMap::default();
    for (index, tokens) in tokens.iter().enumerate() {
        for word in words(tokens) {
            owners.entry(tokens.text(word)).or_default().insert(index);
        }
    }
    let declared: Vec<FxHashSet<&str>> = tokens.iter().map(declarations).collect();
    let mut taken: FxHashSet<String> = owners.keys().map(|word| (*word).to_owned()).collect();
    let mut renamed: Vec<FxHashMap<&str, String>> = vec![FxHashMap::default(); pieces.len()];
    let mut of_modules: FxHashMap<String, String> = FxHashMap::default();
    for (index, piece) in pieces.iter().enumerate() {
        let Some(module) = &piece.module else { continue };
        let mut names: Vec<&str> = declared[index].iter().copied().collect();
        names.sort_unstable();
        for name in names {
            let is_alone = owners.get(name).is_none_or(|owners| owners.len() == 1);
            // The main file keeps its names.
            let own = match is_alone || index == 0 {
                true => name.to_owned(),
                false => fresh(name, module, &mut taken),
            };
            of_modules.insert(Composer::decorated_name(Some(module), name), own.clone());
            if own != name {
                renamed[index].insert(name, own);
            }
        }
    }
    let mut texts = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        are_declared(piece, &of_modules)?;
        refuse_overrides(piece, &tokens[index])?;
        let own = replaced(&piece.text, &tokens[index], &renamed[index]);
        let lines = piece.cleaned.lines().map(Some).chain(std::iter::repeat(None));
        let lines = own.lines().zip(lines);
        let lines = lines.map(|(line, before)| aligned(line, before.unwrap_or(""), &of_modules));
        texts.push(lines.map(|line| line + "\n").collect());
    }
    Ok(texts)
}

/// Iterates over the tokens that are words.
fn words<'a>(tokens: &'a Tokens<'_>) -> impl Iterator<Item = usize> + 'a {
    tokens.all().filter(|&index| tokens.kind(index) == TokenKind::Word)
}

/// Returns the names that a text declares at module scope.
fn declarations<'a>(tokens: &Tokens<'a>) -> FxHashSet<&'a str> {
    let mut declared = FxHashSet::default();
    let mut depth = 0_usize;
    for index in tokens.all() {
        match tokens.text(index) {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            "fn" | "struct" | "alias" | "const" | "override" | "let" if depth == 0 => {
                declared.insert(tokens.text(index + 1));
            }
            "var" if depth == 0 => {
                let name = match tokens.text(index + 1) {
                    "<" => {
                        (index + 2..index + 8).find(|&at| tokens.text(at) == ">").map(|at| at + 1)
                    }
                    _ => Some(index + 1),
                };
                declared.extend(name.map(|at| tokens.text(at)));
            }
            _ => {}
        }
    }
    declared.retain(|name| !name.is_empty() && *name != "fn");
    declared
}

/// Returns an unused name for `name` of `module`.
fn fresh(name: &str, module: &str, taken: &mut FxHashSet<String>) -> String {
    let last = module.trim_matches('"').rsplit(['/', ':', '\\']).next().unwrap_or_default();
    let last = last.split('.').next().unwrap_or_default();
    let last: String = last.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let mut fresh = format!("{name}_{last}");
    let mut number = 1;
    while !taken.insert(fresh.clone()) {
        number += 1;
        fresh = format!("{name}_{last}{number}");
    }
    fresh
}

/// Returns `text` with the declared names replaced, except for members, which follow a dot or are declared in a struct.
fn replaced(text: &str, tokens: &Tokens<'_>, names: &FxHashMap<&str, String>) -> String {
    if names.is_empty() {
        return text.to_owned();
    }
    let structs: Vec<Range<usize>> = tokens
        .all()
        .filter(|&index| tokens.text(index) == "struct")
        .filter_map(|index| Some(index + 2..tokens.partner(index + 2)?))
        .collect();
    let is_member = |index: usize| {
        let declares =
            tokens.text(index + 1) == ":" && structs.iter().any(|of| of.contains(&index));
        let before = index.checked_sub(1).map_or("", |before| tokens.text(before));
        declares || before == "." || before == "@"
    };
    let mut made = String::with_capacity(text.len());
    let mut from = 0;
    for index in words(tokens) {
        let Some(name) = names.get(tokens.text(index)) else { continue };
        if is_member(index) {
            continue;
        }
        let range = tokens.span(index).range(text);
        made.push_str(&text[from..range.start]);
        made.push_str(name);
        from = range.end;
    }
    made.push_str(&text[from..]);
    made
}

/// Returns `line` with the names of items of other modules substituted; `before` is the original line.
fn aligned(line: &str, before: &str, of_modules: &FxHashMap<String, String>) -> String {
    let made: Vec<Token<'_>> = Tokenizer::new(line, true).collect();
    let written: Vec<Token<'_>> = Tokenizer::new(before, true).collect();
    // If a value was substituted, the two lines have different tokens. Spaces at the end are ignored.
    let same = made.len() >= written.len();
    let mut text = String::with_capacity(line.len());
    for (index, token) in made.iter().enumerate() {
        match token {
            Token::Other(other, _) => text.push(*other),
            Token::Whitespace(space, _) => text.push_str(space),
            Token::Identifier(word, _) => {
                let Some(name) = of_modules.get(*word) else {
                    text.push_str(word);
                    continue;
                };
                let path = written.get(index).filter(|_| same).and_then(Token::identifier);
                let path = path.map_or(0, |path| path.chars().count());
                let spaces = path.saturating_sub(name.chars().count());
                text.extend(std::iter::repeat_n(' ', spaces));
                text.push_str(name);
            }
        }
    }
    text
}

/// Returns an error if a piece uses an item that a module does not have.
fn are_declared(piece: &Piece, of_modules: &FxHashMap<String, String>) -> Result<()> {
    let has = |used: &&Use| {
        of_modules.contains_key(&Composer::decorated_name(Some(&used.module), &used.item))
    };
    match piece.uses.iter().find(|used| !has(used)) {
        None => Ok(()),
        Some(Use { module, item, at }) => {
            Err(Box::new(piece.error(*at, format!("module `{module}` has no `{item}`"))))
        }
    }
}

/// Returns an error if a piece changes functions of other modules.
fn refuse_overrides(piece: &Piece, tokens: &Tokens<'_>) -> Result<()> {
    let is_one = |&index: &usize| {
        let follows = tokens.text(index + 1) == "fn";
        follows && matches!(tokens.text(index), "override" | "virtual")
    };
    let Some(index) = words(tokens).find(is_one) else { return Ok(()) };
    let at = tokens.span(index).start as usize;
    let error = piece.error(at, "hirace does not support virtual functions".to_owned());
    Err(Box::new(error.help("check the output of naga_oil's composer")))
}

/// Returns the span of the line that contains an offset, without surrounding white space.
pub(super) fn line_span(source: &SourceMap, at: usize) -> Span {
    let at = u32::try_from(at.min(source.text().len())).unwrap_or(u32::MAX);
    let text = source.line_at(at);
    let start = source.offset(LineColumn { column: 1, ..source.position(at) });
    let indent = (text.len() - text.trim_start().len()) as u32;
    Span::new(start + indent, start + indent + text.trim().len() as u32)
}

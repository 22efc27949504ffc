//! Runs glslang within limits.

use super::files::{Files, SourceFile, without_line_directives};
use super::macros::{ExceededLimit, Macros};
use super::{FindFile, errors};
use crate::diagnostic::{Diagnostic, Result};
use crate::front::nesting::{self, Part, Reader};
use crate::front::statements::PlacedToken;
use crate::ir::guard;
use crate::source_map::{SourceMap, Span};
use hirace_glslang::{IncludeRequest, IncludedFile, Options, TargetEnvironment};
use rustc_hash::FxHashMap;

/// The maximum number of members of a structure, including those of nested structures. glslang visits each of them.
const MEMBERS: u64 = 100_000;
/// The maximum total length of the files of a shader, which a source limits too.
const BYTES: usize = 16 << 20;
/// The maximum number of files that include one another.
const DEPTH: usize = 100;
/// The maximum number of `#include` directives that are followed.
const INCLUDES: usize = 1_000;
/// The maximum length of arrays in a shader with constants that are initialized without listing their elements.
const ELEMENTS: u64 = 1 << 22;
/// The maximum number of tokens of a shader.
const TOKENS: usize = 1_000_000;

/// What a shader is compiled with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The target environment.
    pub target: TargetEnvironment,
    /// Definitions of macros: names and replacements.
    pub defines: Vec<(String, String)>,
}

/// A preprocessed text and its files.
pub struct Preprocessed {
    pub text: String,
    pub files: Files,
}

/// The files of a shader while it is preprocessed.
struct Reading {
    files: Files,
    macros: Macros,
    includes: usize,
    /// The total length of the included texts.
    bytes: usize,
    limit: Option<ExceededLimit>,
}

impl Reading {
    /// Reads a file that the shader includes. An error is the reason why it is not read.
    fn include(
        &mut self,
        request: IncludeRequest<'_>,
        find: &FindFile<'_>,
    ) -> std::result::Result<IncludedFile, String> {
        if self.limit.is_some() {
            return Err(String::new());
        }
        if request.depth > DEPTH {
            return Err(format!("files may include one another at most {DEPTH} levels deep"));
        }
        self.includes += 1;
        if self.includes > INCLUDES {
            return Err(format!("a shader may have at most {INCLUDES} includes"));
        }
        let includer = self.files.index(request.includer).unwrap_or(0);
        let includer = self.files.get(includer).map_or("", |file| &*file.name);
        let found = find(IncludeRequest { includer, ..request });
        let Some(SourceFile { name, text }) = found else {
            return Err(format!("there is no file `{}` in the folders of includes", request.name));
        };
        self.bytes = self.bytes.saturating_add(text.len());
        if self.bytes > BYTES {
            return Err("the files of a shader may have at most 16 MiB".to_owned());
        }
        if text.contains('\0') {
            return Err(format!("`{name}` contains a zero byte"));
        }
        let index = self.files.add(SourceFile { name, text });
        let text =
            self.files.get(index).map_or(String::new(), |file| without_line_directives(&file.text));
        if let Err(limit) = self.macros.add_file(index, &text) {
            self.limit = Some(limit);
            return Err(String::new());
        }
        Ok(IncludedFile { name: index.to_string(), text })
    }
}

/// Preprocesses a text.
pub fn preprocess(
    name: &str,
    text: &str,
    settings: &Settings,
    find: &FindFile<'_>,
) -> Result<Preprocessed> {
    let mut macros = Macros::default();
    for (name, value) in &settings.defines {
        macros.define(name, value);
    }
    let mut reading = Reading {
        files: Files::new(name, text),
        macros,
        includes: 0,
        bytes: text.len(),
        limit: None,
    };
    if text.len() > BYTES {
        return Err(Box::new(Diagnostic::new(format!("`{name}` is larger than 16 MiB"))));
    }
    let text = without_line_directives(text);
    let mut reason = String::new();
    let result = match reading.macros.add_file(0, &text) {
        Err(limit) => {
            reading.limit = Some(limit);
            Ok(Ok(String::new()))
        }
        Ok(()) => {
            let options = Options { target: settings.target, defines: settings.defines.clone() };
            let mut include = |request: IncludeRequest<'_>| {
                let file = reading.include(request, find);
                if let Err(why) = &file {
                    reason.clone_from(why);
                }
                file
            };
            guard::run(|| hirace_glslang::preprocess(&text, &options, &mut include))
        }
    };
    let source = reading.files.source();
    if let Some(ExceededLimit { message, file, span }) = reading.limit {
        let start = reading.files.start(file);
        let span = Span::new(span.start + start, span.end + start);
        return Err(Box::new(errors::beyond(&source, span, &message)));
    }
    match result {
        Ok(Ok(text)) => Ok(Preprocessed { text, files: reading.files }),
        Ok(Err(messages)) => {
            let error = errors::of_lines(&messages, &reading.files, &source);
            Err(Box::new(if reason.is_empty() { error } else { error.note(reason) }))
        }
        Err(panic) => Err(Box::new(errors::failed(&source, &panic))),
    }
}

/// Returns an error for tokens that would need too deep a stack or too much time.
pub fn check(tokens: &[PlacedToken<'_>], source: &SourceMap) -> Result<()> {
    if let Some(token) = tokens.get(TOKENS) {
        let limit = "a shader may have at most 1,000,000 tokens";
        return Err(Box::new(errors::beyond(source, token.span, limit)));
    }
    let mut brackets = Brackets::default();
    let parts = tokens.iter().map(|token| (brackets.part(token.text), token.span));
    nesting::check(Reader::Naga, parts, |span| span, source)?;
    if let Some(token) = long_constant(tokens) {
        let limit = "a shader with `= {}` may have arrays of at most 4,194,304 elements";
        return Err(Box::new(errors::beyond(source, token.span, limit)));
    }
    let mut structures = Structures::default();
    match tokens.iter().find(|token| structures.add(token.text)) {
        Some(token) => {
            let limit = "a structure may have at most 100,000 members, including those of nested structures";
            Err(Box::new(errors::beyond(source, token.span, limit)))
        }
        None => Ok(()),
    }
}

/// Compiles tokens, each on its own line.
pub fn compile(
    tokens: &[PlacedToken<'_>],
    source: &SourceMap,
    settings: &Settings,
) -> Result<Vec<u32>> {
    let text: String = tokens.iter().flat_map(|token| [token.text, "\n"]).collect();
    hirace_glslang::compile(source.name(), &text, settings.target)
        .map_err(|messages| Box::new(errors::of_tokens(&messages, tokens, source)))
}

/// Returns the length of an array that may be too long for a constant, if the text has an initializer without elements. glslang
/// stores each element of a constant, and only such an initializer makes many of them from a short text.
fn long_constant<'a, 'b>(tokens: &'b [PlacedToken<'a>]) -> Option<&'b PlacedToken<'a>> {
    let is_empty = |three: &[PlacedToken<'_>]| {
        [three[0].text, three[1].text, three[2].text] == ["=", "{", "}"]
    };
    if !tokens.windows(3).any(is_empty) {
        return None;
    }
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    let (mut length, mut depth, mut is_constant) = (1_u64, 0_usize, false);
    tokens.iter().enumerate().find_map(|(at, token)| {
        match token.text {
            "[" => {
                if at.checked_sub(1).is_none_or(|before| text(before) != "]") {
                    length = 1;
                }
                depth += 1;
            }
            "]" => depth = depth.saturating_sub(1),
            "const" => is_constant = true,
            ";" => is_constant = false,
            // The lengths may be constants that have a name.
            "<<" if depth > 0 || (is_constant && text(at.saturating_sub(2)) == "=") => {
                return Some(token);
            }
            number => {
                let is_value = is_constant && text(at.saturating_sub(1)) == "=";
                if depth > 0 || is_value {
                    let value = integer(number).unwrap_or(1);
                    length = if is_value { value } else { length.saturating_mul(value) };
                }
            }
        }
        (length > ELEMENTS).then_some(token)
    })
}

/// Returns the value of an integer literal.
fn integer(token: &str) -> Option<u64> {
    let digits = token.trim_end_matches(['u', 'U', 'l', 'L', 's', 'S']);
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None if digits.starts_with(|c: char| c.is_ascii_digit()) => {
            Some(digits.parse().unwrap_or(u64::MAX))
        }
        None => None,
    }
}

/// The open brackets: of each, whether it encloses a list. In other brackets, a comma is an operator.
#[derive(Default)]
struct Brackets<'a> {
    are_lists: Vec<bool>,
    before: &'a str,
}

impl<'a> Brackets<'a> {
    /// Returns the role of the next token.
    fn part(&mut self, token: &'a str) -> Part {
        let ends_word = |text: &str| text.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let part = match token {
            "," if self.are_lists.last() == Some(&false) => Part::Operator,
            token => part(token),
        };
        match part {
            // Arguments follow a name or a type.
            Part::Open => self.are_lists.push(ends_word(self.before) || self.before == "]"),
            Part::Begin => self.are_lists.push(true),
            Part::Close | Part::End => {
                self.are_lists.pop();
            }
            _ => {}
        }
        self.before = token;
        part
    }
}

fn part(token: &str) -> Part {
    match token {
        "if" | "for" | "while" | "do" | "switch" | "?" => Part::Condition,
        "else" => Part::Else,
        "(" | "[" => Part::Open,
        ")" | "]" => Part::Close,
        "{" => Part::Begin,
        "}" => Part::End,
        ";" => Part::Semicolon,
        "," => Part::Comma,
        ":" => Part::Other,
        "." => Part::Operator,
        _ if token
            .starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '#' | '"')) =>
        {
            Part::Other
        }
        _ => Part::Operator,
    }
}

/// Estimates the numbers of members of structures from their tokens.
#[derive(Default)]
struct Structures<'a> {
    /// Number of members, by the name of the structure.
    known: FxHashMap<&'a str, u64>,
    /// The last word.
    word: &'a str,
    /// Whether the word before it was `struct`.
    of_struct: bool,
    /// The structure that is open: its name, the number of open braces, and its members so far.
    open: Option<(&'a str, usize, u64)>,
    /// The members of the type of the declaration, which each of its names has.
    declared: u64,
}

impl<'a> Structures<'a> {
    /// Processes the next token. Returns whether it ends a structure with too many members.
    fn add(&mut self, token: &'a str) -> bool {
        match token {
            "{" => match &mut self.open {
                Some((_, braces, _)) => *braces += 1,
                None if self.of_struct => self.open = Some((self.word, 1, 0)),
                None => {}
            },
            ";" | "," => {
                if token == ";" {
                    self.declared = 0;
                }
                if let Some((.., sum)) = &mut self.open {
                    *sum = sum.saturating_add(1 + self.declared);
                }
            }
            "}" => {
                if let Some((name, braces, members)) = self.open.take() {
                    if braces > 1 {
                        self.open = Some((name, braces - 1, members));
                    } else {
                        self.known.insert(name, members);
                        return members > MEMBERS;
                    }
                }
            }
            _ if token.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                self.of_struct = self.word == "struct";
                self.word = token;
                let members = self.known.get(token).copied();
                if let (Some((.., sum)), Some(members)) = (&mut self.open, members) {
                    *sum = sum.saturating_add(members);
                    self.declared = members;
                }
            }
            _ => {}
        }
        false
    }
}

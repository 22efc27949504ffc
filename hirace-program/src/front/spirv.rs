//! SPIR-V: naga's front end, and the recovery of information that naga loses.
//!
//! naga ignores lines, treats loads of memory that is also accessed atomically as atomics, and treats all barriers as workgroup
//! barriers. Its spans identify the words that each part of its module came from. Therefore a module is read (`words`) and
//! prepared (`prepare`) for naga. The resulting module gets its sizes (`scalar_layout`), its arrays of resources (`elements`), its
//! names (`names`), its loops and barriers (`control`) and its built-in values (`inputs`) back. Accesses and barriers get their
//! properties from the original instructions (`origin`) and their memory semantics (`orders`), and are shown on their source lines
//! (`text`).

mod barriers;
mod control;
mod declarations;
mod divisors;
mod elements;
mod evaluate;
mod features;
mod host;
mod lines;
mod listing;
mod loop_exits;
mod marks;
mod names;
mod orders;
pub mod origin;
mod prepare;
mod scalar_layout;
mod sizes;
mod specialized;
mod switch_lines;
mod switches;
mod text;
mod types;
mod unsupported;
mod words;

use super::statements::Statements;
use super::{ParsedModule, inputs, limits};
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::{guard, validate};
use crate::pass::specialize::specialize_spirv;
use crate::program::{Language, Origin as _};
use crate::source_map::SourceMap;
use barriers::Barriers;
use declarations::SpirvDeclarations;
use host::Host;
use lines::Lines;
use naga::Module;
use naga::front::spv::{Error, Frontend, Options};
use orders::Orders;
use origin::Origin;
use prepare::{PreparedModule, prepare, restore_texels};
use specialized::GivenValues;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use text::Text;
use words::Words;

/// Parses a SPIR-V module, which reports call `name`. `lookup` returns the texts of files that the module refers to but does not
/// contain.
pub fn parse_bytes(
    name: &str,
    bytes: &[u8],
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<ParsedModule> {
    let words =
        Words::read(bytes).map_err(|broken| unsupported::invalid_module_error(name, broken))?;
    let declared = SpirvDeclarations::read(&words);
    unsupported::module(name, &words, &declared)?;
    let lines = Lines::read(&words, &declared);
    let text = Text::new(name, &words, &declared, &lines, lookup);
    let language = text.language(&lines);
    specialized(Read { words: Arc::new(words), text, language }, &GivenValues::new())
}

/// Parses a module that was compiled from GLSL in `source`, in which the number of a line is that of a token in `statements`.
pub fn parse_compiled(
    source: SourceMap,
    statements: &Statements<'_>,
    words: &[u32],
) -> Result<ParsedModule> {
    let name = source.name().to_owned();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let words =
        Words::read(&bytes).map_err(|broken| unsupported::invalid_module_error(&name, broken))?;
    let declared = SpirvDeclarations::read(&words);
    unsupported::module(&name, &words, &declared)?;
    let lines = Lines::read(&words, &declared);
    let spans = marks::of_tokens(&words, &declared, &lines, statements, &source);
    let text = Text::compiled(source, spans);
    let read = Read { words: Arc::new(words), text, language: Language::GlslLines };
    specialized(read, &GivenValues::new())
}

/// A module as read, independent of the values of its specialization constants.
#[derive(Clone, Debug)]
pub struct Read {
    words: Arc<Words>,
    text: Text,
    language: Language,
}

/// Builds the module that was `read`, with these values of its specialization constants.
fn specialized(read: Read, values: &GivenValues) -> Result<ParsedModule> {
    let Read { words, text, .. } = &read;
    let mut declared = SpirvDeclarations::read(words);
    let mut given = specialized::given(text.source().name(), words, &declared, values)?;
    let host = Host::read(words, &declared);
    let mut guessed = host.assume_values(&declared, &mut given);
    let (specialized, divisors) =
        divisors::specialize(words, &mut declared, &mut given).map_err(|at| {
            let message = "unsupported operation on specialization constants";
            Box::new(self::at(text, at, message))
        })?;
    if !divisors.is_empty() {
        let assumed = guessed.get_or_insert_default();
        assumed.values.extend(divisors);
        assumed.affects_findings = true;
    }
    features::check(words, &declared, text)?;
    unsupported::instructions(words, &declared, text)?;
    sizes::check(words, &declared, text)?;
    let orders = Orders::read(words, &declared);
    let barriers = Barriers::read(words, &declared, &orders);
    let prepared = prepare(words, &declared, &specialized);
    if let Some(instruction) = prepared.too_large {
        return Err(too_large(text, instruction));
    }
    let mut module = module(&prepared, text)?;
    scalar_layout::restore(&mut module);
    specialize_spirv(&mut module, text.source())
        .map_err(|error| placed(*error, &prepared, text))?;
    if let Some(instruction) = elements::restore(&mut module, &prepared) {
        return Err(too_large(text, instruction));
    }
    if let Some(instruction) = restore_texels(&mut module, words, &prepared) {
        let message = "hirace does not support this atomic on a texture";
        return Err(Box::new(at(text, instruction, message)));
    }
    names::assign(&mut module, words, &declared, &prepared, &host);
    control::restore(&mut module, words, &prepared, &barriers);
    inputs::restore(&mut module);
    let warnings = unsupported::warnings(words, &orders, &barriers, text).into_iter().collect();
    let mut origin = Origin::new(prepared, &barriers, orders, read);
    origin.guessed = guessed;
    origin.passed = host.passed;
    let source = origin.source().clone();
    let info = valid(&module, &source).map_err(|error| origin.diagnostic(error))?;
    Ok(ParsedModule { module, info, source, origin: Arc::new(origin), warnings })
}

fn too_large(text: &Text, instruction: usize) -> Box<Diagnostic> {
    let message =
        "the module is too large after arrays of resources and subgroup operations are replaced";
    let error = at(text, instruction, message);
    Box::new(
        error.help("use constant indices into arrays of buffers and textures, or shorter arrays"),
    )
}

/// Parses the prepared words with naga.
fn module(prepared: &PreparedModule, text: &Text) -> Result<Module> {
    let read = Arc::new(AtomicUsize::new(0));
    let words =
        CountingWords { words: prepared.words.clone().into_iter(), read: Arc::clone(&read) };
    let parsed = guard::run(|| {
        let module = Frontend::new(words, &Options::default()).parse()?;
        // Everything that processes the module after this point recurses.
        let checked = limits::check(&module, text.source());
        Ok((module, checked.map_err(|beyond| placed(*beyond, prepared, text))))
    });
    let reason = match parsed {
        Ok(Ok((module, checked))) => return checked.map(|()| module),
        Ok(Err(error)) => reason(&error),
        Err(panic) => format!("naga failed: {panic}"),
    };
    let read = read.load(Ordering::Relaxed);
    // An error after all words were read is about the module as a whole.
    let at = if read < prepared.words.len() {
        prepared.instruction_at(read.saturating_sub(1))
    } else {
        None
    };
    Err(Box::new(unsupported::by_naga(text, at, &reason)))
}

/// Maps a diagnostic whose labels are naga's spans to the instruction of the first label.
fn placed(diagnostic: Diagnostic, prepared: &PreparedModule, text: &Text) -> Box<Diagnostic> {
    let span = diagnostic.labels.first().map(|(span, _)| span.start as usize);
    Box::new(match span.and_then(|byte| prepared.instruction(byte)) {
        Some(instruction) => at(text, instruction, diagnostic.message),
        None => diagnostic,
    })
}

/// Returns naga's error message without the names of its internal states.
fn reason(error: &Error) -> String {
    match error {
        Error::UnsupportedInstruction(..) => {
            "naga does not support this instruction here".to_owned()
        }
        Error::UnsupportedExtInst(number) => {
            format!("naga does not support function {number} of the instruction set")
        }
        Error::InvalidAccess(..) => "naga does not support a dynamic index into this".to_owned(),
        other => other.to_string(),
    }
}

fn valid(module: &Module, source: &SourceMap) -> Result<naga::valid::ModuleInfo> {
    validate::validate(module, source, validate::Layouts::Scalar)
}

/// An iterator that counts the words it returns. The position where parsing stops is that of the error.
struct CountingWords {
    words: std::vec::IntoIter<u32>,
    read: Arc<AtomicUsize>,
}

impl Iterator for CountingWords {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.read.fetch_add(1, Ordering::Relaxed);
        self.words.next()
    }
}

/// Creates a diagnostic about one instruction.
fn at(text: &Text, instruction: usize, message: impl Into<String>) -> Diagnostic {
    let span = text.span(instruction);
    let mut diagnostic = match span.is_empty() {
        true => Diagnostic { source_map: Some(text.source().clone()), ..Diagnostic::new(message) },
        false => Diagnostic::at(text.source(), span, message),
    };
    diagnostic.notes.extend(text.in_words(instruction));
    diagnostic
}

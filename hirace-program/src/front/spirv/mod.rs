//! SPIR-V: naga's front end, and what it loses read again from the words.
//!
//! naga takes lines for nothing, loads of what is also used atomically for atomics, and all barriers for
//! barriers of workgroups. Its spans say which words each part of its module came from. So a module is
//! read (`words`) and made ready (`prepare`) for naga; what comes of that gets its names (`names`), its
//! loops and barriers (`control`) and its built-in values (`inputs`) back; and accesses and barriers are
//! judged by the instructions that they came from (`origin`), by what these order (`orders`), and shown on their lines (`text`).

mod barriers;
mod control;
mod declared;
mod evaluate;
mod host;
mod lines;
mod listing;
mod names;
mod orders;
pub mod origin;
mod prepare;
mod refused;
mod sizes;
mod specialized;
mod text;
mod types;
mod words;

use super::{Parsed, inputs, limits};
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::{guard, validate};
use crate::pass::specialise::specialise;
use crate::program::{Language, Origin as _};
use crate::source_map::SourceMap;
use barriers::Barriers;
use declared::Declared;
use host::Host;
use lines::Lines;
use naga::Module;
use naga::front::spv::{Error, Frontend, Options};
use orders::Orders;
use origin::Origin;
use prepare::{Prepared, prepare};
use specialized::{Given, Specialized};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use text::Text;
use words::Words;

/// Parses a SPIR-V module. `name` is what reports call it; `beside` gives the texts of files that the
/// module names and does not hold.
pub fn parse_bytes(
    name: &str,
    bytes: &[u8],
    beside: &dyn Fn(&str) -> Option<String>,
) -> Result<Parsed> {
    let words = Words::read(bytes).map_err(|broken| refused::broken(name, broken))?;
    let declared = Declared::read(&words);
    refused::module(name, &words, &declared)?;
    let lines = Lines::read(&words, &declared);
    let text = Text::new(name, &words, &declared, &lines, beside);
    let language = text.language(&lines);
    specialised(Read { words: Arc::new(words), text, language }, &Given::new())
}

/// What was read of a module, whatever its specialization constants are.
#[derive(Clone, Debug)]
pub struct Read {
    words: Arc<Words>,
    text: Text,
    language: Language,
}

/// The module that was `read` with these values of its specialization constants.
fn specialised(read: Read, values: &Given) -> Result<Parsed> {
    let Read { words, text, .. } = &read;
    let mut declared = Declared::read(words);
    let mut given = specialized::given(text.source().name(), words, &declared, values)?;
    let host = Host::read(words, &declared);
    let guessed = host.guess(&declared, &mut given);
    let specialized = Specialized::read(words, &mut declared, &given).map_err(|at| {
        Box::new(self::at(text, at, "hirace does not compute this of specialization constants"))
    })?;
    refused::instructions(words, &declared, text)?;
    sizes::check(words, &declared, text)?;
    let orders = Orders::read(words, &declared);
    let barriers = Barriers::read(words, &declared, &orders);
    let prepared = prepare(words, &declared, &specialized);
    let mut module = module(&prepared, text)?;
    names::assign(&mut module, words, &declared, &prepared, &host);
    control::restore(&mut module, words, &prepared, &barriers);
    inputs::restore(&mut module);
    let warnings = refused::warnings(words, &orders, &barriers, text).into_iter().collect();
    let mut origin = Origin::new(prepared, &barriers, orders, read);
    origin.guessed = guessed;
    origin.passed = host.passed;
    let source = origin.source().clone();
    let info = valid(&mut module, &source).map_err(|error| origin.diagnostic(error))?;
    Ok(Parsed { module, info, source, origin: Arc::new(origin), warnings })
}

/// naga's module of the words that were made ready for it.
fn module(prepared: &Prepared, text: &Text) -> Result<Module> {
    let read = Arc::new(AtomicUsize::new(0));
    let words = Counted { words: prepared.words.clone().into_iter(), read: Arc::clone(&read) };
    let parsed = guard::run(|| {
        let module = Frontend::new(words, &Options::default()).parse()?;
        // What goes through the module from here on recurses.
        let checked = limits::check(&module, text.source());
        Ok((module, checked.map_err(|beyond| placed(*beyond, prepared, text))))
    });
    let reason = match parsed {
        Ok(Ok((module, checked))) => return checked.map(|()| module),
        Ok(Err(error)) => reason(&error),
        Err(panic) => format!("it fails on it: {panic}"),
    };
    let read = read.load(Ordering::Relaxed);
    // What it says when it has read all is about the module.
    let at = if read < prepared.words.len() {
        prepared.instruction_at(read.saturating_sub(1))
    } else {
        None
    };
    Err(Box::new(refused::by_naga(text, at, &reason)))
}

/// A diagnostic whose labels are naga's spans, as one about the instruction of the first.
fn placed(diagnostic: Diagnostic, prepared: &Prepared, text: &Text) -> Box<Diagnostic> {
    let span = diagnostic.labels.first().map(|(span, _)| span.start as usize);
    Box::new(match span.and_then(|byte| prepared.instruction(byte)) {
        Some(instruction) => at(text, instruction, diagnostic.message),
        None => diagnostic,
    })
}

/// What naga says, without its own names for where it says it.
fn reason(error: &Error) -> String {
    match error {
        Error::UnsupportedInstruction(..) => "it does not know this instruction there".to_owned(),
        Error::UnsupportedExtInst(number) => {
            format!("it does not know function {number} of the set")
        }
        Error::InvalidAccess(..) => {
            "it cannot take a part that is not a constant of this".to_owned()
        }
        other => other.to_string(),
    }
}

fn valid(module: &mut Module, source: &SourceMap) -> Result<naga::valid::ModuleInfo> {
    specialise(module, source)?;
    validate::validate(module, source)
}

/// Words that are counted as they are read: where reading stops is what is at fault.
struct Counted {
    words: std::vec::IntoIter<u32>,
    read: Arc<AtomicUsize>,
}

impl Iterator for Counted {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.read.fetch_add(1, Ordering::Relaxed);
        self.words.next()
    }
}

/// A diagnostic about one instruction.
fn at(text: &Text, instruction: usize, message: impl Into<String>) -> Diagnostic {
    Diagnostic::at(text.source(), text.span(instruction), message).note(text.in_words(instruction))
}

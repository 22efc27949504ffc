//! A source, and all of its mutants that compile.

use super::operators::{CLASSES, Mutation};
use super::results::{Mutant, Status};
use super::syntax::{self, Language, Parts, SyntaxOccurrence};
use hirace_core::cover::hash;
use hirace_core::diagnostic::{Cause, Diagnostic, Result};
use hirace_core::edit::{Edit, apply_edits};
use hirace_core::front::{self, Kind, ParsedModule, rust};
use hirace_core::pass::mutants::equivalence::{Equivalence, equivalence};
use hirace_core::preprocessing::Preprocessing;
use hirace_core::source_map::{SourceMap, Span};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A source text of kernels.
#[derive(Clone, Debug)]
pub struct Source {
    /// The name of the file in this run.
    pub file: String,
    /// The text, without a byte order mark.
    pub text: String,
    /// The hash of the text, by which tests identify it.
    pub hash: String,
    /// The language of the kernels; in Rust files, of the monitored items. Shaders in strings are in WGSL.
    pub language: Language,
    /// The values of names that shaders in strings depend on, if these shaders are part of the source. Tests of a Rust crate run
    /// only its monitored items.
    strings: Option<Vec<(String, String)>>,
    /// Identifies everything that a custom reader's result depends on in addition to the text, such as included files.
    pub dependencies: String,
    /// A custom reader of the text, if there is one.
    reader: Option<Reader>,
}

/// Parses the text of a shader.
#[derive(Clone)]
struct Reader(Arc<ReadFn>);

type ReadFn = dyn Fn(&str) -> Result<ParsedModule> + Send + Sync;

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reader")
    }
}

/// A mutant with its edits.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The mutant as reported.
    pub mutant: Mutant,
    /// The span of the mutant in the source.
    pub at: Span,
    /// The edits of the source.
    pub edits: Vec<Edit>,
    /// Alternative edits; the first that compiles is used.
    ways: Vec<Vec<Edit>>,
}

/// A compiled program of a source.
#[derive(Debug)]
struct Compiled {
    /// The code as text without names and spans; `None` if it cannot be written.
    text: Option<String>,
    /// The module; `None` for the text of a template.
    parsed: Option<ParsedModule>,
}

/// The reason that reports give for a mutant with the same code.
const SAME_CODE: &str = "the compiled code is the same as without it";

impl Compiled {
    fn of(parsed: ParsedModule) -> Self {
        Self { text: parsed.written().ok(), parsed: Some(parsed) }
    }

    /// Returns why a mutant of this program behaves as it does, if that is known.
    fn equivalence(&self, mutant: &Self) -> Option<&'static str> {
        if self.text.is_some() && self.text == mutant.text {
            return Some(SAME_CODE);
        }
        Some(match equivalence(self.parsed.as_ref()?, mutant.parsed.as_ref()?)? {
            Equivalence::SameNormalForm => "the simplified code is the same as without it",
            Equivalence::BarriersOrderNothing => {
                "no two invocations access the same memory where the barrier orders them"
            }
        })
    }
}

/// Returns why a mutant of these programs behaves as they do, if that is known.
fn equivalence_of_all(original: &[Compiled], mutant: &[Compiled]) -> Option<&'static str> {
    if original.len() != mutant.len() {
        return None;
    }
    let mut why = SAME_CODE;
    for (original, mutant) in original.iter().zip(mutant) {
        match original.equivalence(mutant)? {
            SAME_CODE => {}
            other => why = other,
        }
    }
    Some(why)
}

impl Source {
    /// Creates a source, or returns `None` if the language has no text to mutate.
    pub fn new(file: &str, text: &str) -> Option<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let language = match Kind::of(file, text.as_bytes()) {
            Kind::Wgsl | Kind::Host => Language::Wgsl,
            Kind::Glsl => Language::Glsl,
            Kind::Rust => Language::Rust,
            Kind::Spirv => return None,
        };
        let (file, hash, text) = (file.to_owned(), hash(text), text.to_owned());
        let dependencies = String::new();
        Some(Self { file, text, hash, language, strings: None, dependencies, reader: None })
    }

    /// Returns the source with a custom reader, such as a preprocessor that produces WGSL. `dependencies` identifies everything that
    /// its result depends on in addition to the text.
    #[must_use]
    pub fn read_by(
        self,
        dependencies: String,
        reader: impl Fn(&str) -> Result<ParsedModule> + Send + Sync + 'static,
    ) -> Self {
        Self { dependencies, reader: Some(Reader(Arc::new(reader))), ..self }
    }

    /// Returns the source of a file, which is preprocessed with these settings.
    #[must_use]
    pub fn preprocessed(self, settings: Preprocessing) -> Self {
        let name = self.file.clone();
        let key = settings.key(Path::new(&name), &name, self.text.as_bytes());
        self.read_by(key, move |text| {
            settings.parse(Path::new(&name), &name, text.as_bytes(), &|_, _| {})
        })
    }

    /// Returns the source with its shaders in strings, and values of names that these depend on.
    #[must_use]
    pub fn with_strings(self, defines: &[(String, String)]) -> Self {
        Self { strings: Some(defines.to_vec()), ..self }
    }

    /// Returns whether the source is a program, in Rust or another language, which may contain several kernels.
    pub fn is_host(&self) -> bool {
        Kind::of(&self.file, b"").is_host()
    }

    /// Parses a text of this source as a program that contains kernels.
    ///
    /// # Errors
    /// The text is invalid, or has no kernels.
    pub fn parse_file(&self, text: &str) -> Result<rust::File> {
        match &self.strings {
            Some(defines) => front::parse_file(&self.file, text.as_bytes(), defines),
            None => rust::parse_file(&self.file, text),
        }
    }

    /// Parses a text of this source as a shader.
    ///
    /// # Errors
    /// The text is invalid.
    pub fn parse(&self, text: &str) -> Result<ParsedModule> {
        match &self.reader {
            Some(Reader(read)) => read(text),
            None => front::parse_bytes(&self.file, text.as_bytes(), &|_| None),
        }
    }

    /// Returns why the source has no kernel of its own, or `None` if it has one: it is a part of other sources, or of
    /// another kind.
    pub fn no_kernel(&self) -> Option<Box<Diagnostic>> {
        let error = match self.is_host() {
            true => self.parse_file(&self.text).err(),
            false => self.parse(&self.text).err(),
        };
        error.filter(|error| error.cause == Cause::NoKernel)
    }

    /// Returns the text with this mutant.
    pub fn with(&self, candidate: &Candidate) -> String {
        apply_edits(&self.text, &candidate.edits)
    }

    /// Returns all mutants that compile, in source order. Those that provably behave as the source does have status
    /// equivalent.
    ///
    /// # Errors
    /// The source itself does not compile.
    pub fn mutants(&self) -> Result<Vec<Candidate>> {
        self.selected_mutants(|_| true)
    }

    /// Returns the mutants that compile, of the possible ones that `keeps` selects and may change. All verbs get their mutants
    /// here, so they count the same ones.
    ///
    /// # Errors
    /// The source itself does not compile.
    pub fn selected_mutants(
        &self,
        mut keeps: impl FnMut(&mut Mutant) -> bool,
    ) -> Result<Vec<Candidate>> {
        let mut candidates = self.possible_mutants()?;
        candidates.retain_mut(|candidate| keeps(&mut candidate.mutant));
        self.compiling(candidates)
    }

    /// Returns all possible mutants in source order, whether they compile or not.
    ///
    /// # Errors
    /// The syntax of the source is invalid.
    pub(super) fn possible_mutants(&self) -> Result<Vec<Candidate>> {
        let map = SourceMap::new(&*self.file, &*self.text);
        let items = self.parts()?.items;
        let mut candidates = Vec::new();
        for (SyntaxOccurrence { syntax, function }, language) in self.find_syntax()? {
            for (class, operators) in CLASSES {
                for mistake in operators(&syntax, language) {
                    let id = self.id(&items, &mistake);
                    let edits = mistake.ways.first().map_or(&[][..], Vec::as_slice);
                    let (at, replacement) = self.change(edits, mistake.at);
                    let (start, end) = (map.position(at.start), map.position(at.end));
                    let mutant = Mutant {
                        id,
                        operator: mistake.operator,
                        file: self.file.clone(),
                        line: start.line,
                        column: start.column,
                        end_line: end.line,
                        end_column: end.column,
                        original: self.text[at.range(&self.text)].to_owned(),
                        replacement,
                        function: function.clone(),
                        ..Mutant::with_class(class)
                    };
                    candidates.push(Candidate {
                        mutant,
                        at,
                        edits: Vec::new(),
                        ways: mistake.ways,
                    });
                }
            }
        }
        candidates.sort_by_key(|candidate| (candidate.at.start, candidate.at.end));
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for candidate in &mut candidates {
            let count = seen.entry(candidate.mutant.id.clone()).or_default();
            *count += 1;
            if *count > 1 {
                candidate.mutant.id = format!("{}-{count}", candidate.mutant.id);
            }
        }
        Ok(candidates)
    }

    /// Returns the mutable syntax, each piece with its language.
    fn find_syntax(&self) -> Result<Vec<(SyntaxOccurrence, Language)>> {
        if !self.is_host() {
            let found = syntax::find_syntax(&self.text, self.language)?.into_iter();
            return Ok(found.map(|found| (found, self.language)).collect());
        }
        let mut all = Vec::new();
        if self.language == Language::Rust && rust::find::may_have_items(&self.text) {
            let found = syntax::find_syntax(&self.text, Language::Rust)?.into_iter();
            all.extend(found.map(|found| (found, Language::Rust)));
        }
        if let Some(shaders) = self.shader_text() {
            let found = syntax::find_syntax(&shaders, Language::Wgsl)?.into_iter();
            all.extend(found.map(|found| (found, Language::Wgsl)));
        }
        Ok(all)
    }

    /// Returns the text with everything blanked that is not text of shaders in strings, if there are any.
    fn shader_text(&self) -> Option<String> {
        front::shader_text(&self.file, &self.text, self.strings.as_ref()?)
    }

    /// Returns the partition of the source for compilation.
    fn parts(&self) -> Result<Parts> {
        let is_whole = self.is_host() && self.shader_text().is_some();
        syntax::parts(&self.text, if is_whole { Language::Wgsl } else { self.language })
    }

    /// Returns the candidates that compile.
    ///
    /// # Errors
    /// The source itself does not compile.
    fn compiling(&self, candidates: Vec<Candidate>) -> Result<Vec<Candidate>> {
        let map = SourceMap::new(&*self.file, &*self.text);
        // Each item is compiled alone if possible, so that a mutant recompiles only its own item.
        let Parts { items, imports } = self.parts()?;
        let alone: Vec<String> = items.iter().map(|item| self.alone(*item, &imports)).collect();
        let whole = self.compiled(&self.text)?;
        let whole = Arc::new(whole);
        let (mut texts, mut originals) = (Vec::new(), Vec::new());
        for text in alone {
            match self.compiled(&text) {
                Ok(compiled) if !compiled.is_empty() => {
                    texts.push(text);
                    originals.push(Arc::new(compiled));
                }
                // The item needs the rest of the file.
                _ => {
                    texts.push(self.text.clone());
                    originals.push(Arc::clone(&whole));
                }
            }
        }
        let compiled = candidates.into_par_iter().map(|candidate| {
            let holds =
                |item: &Span| item.start <= candidate.at.start && candidate.at.end <= item.end;
            let own = items.iter().position(holds)?;
            let (edits, compiled) = candidate.ways.iter().find_map(|edits| {
                let compiled = self.compiled(&apply_edits(&texts[own], edits)).ok()?;
                Some((edits.clone(), compiled))
            })?;
            let mut mutant = candidate.mutant;
            let (at, replacement) = self.change(&edits, candidate.at);
            if at != candidate.at || replacement != mutant.replacement {
                let (start, end) = (map.position(at.start), map.position(at.end));
                (mutant.line, mutant.column) = (start.line, start.column);
                (mutant.end_line, mutant.end_column) = (end.line, end.column);
                mutant.original = self.text[at.range(&self.text)].to_owned();
                mutant.replacement = replacement;
            }
            if mutant.status.is_none()
                && let Some(why) = equivalence_of_all(&originals[own], &compiled)
            {
                mutant.status = Some(Status::Equivalent);
                mutant.reason = Some(why.to_owned());
            }
            Some(Candidate { mutant, at, edits, ..candidate })
        });
        let compiled: Vec<Option<Candidate>> = compiled.collect();
        Ok(compiled.into_iter().flatten().collect())
    }

    /// Returns the text with everything blanked except one Rust item and the imports, at their original offsets.
    fn alone(&self, item: Span, imports: &[Span]) -> String {
        let mut kept: Vec<u8> =
            self.text.bytes().map(|b| if b == b'\n' { b } else { b' ' }).collect();
        for span in imports.iter().chain([&item]) {
            let range = span.range(&self.text);
            kept[range.clone()].copy_from_slice(&self.text.as_bytes()[range]);
        }
        String::from_utf8(kept).unwrap_or_else(|_| self.text.clone())
    }

    /// Returns what these edits replace as a whole, and the text in its place. `at` is what the mutation is about.
    fn change(&self, edits: &[Edit], at: Span) -> (Span, String) {
        let start = edits.iter().map(|edit| edit.at.start).fold(at.start, u32::min);
        let end = edits.iter().map(|edit| edit.at.end).fold(at.end, u32::max);
        let text = apply_edits(&self.text, edits);
        let after = self.text.len() - end as usize;
        let replaced = text.get(start as usize..text.len() - after).unwrap_or_default();
        (Span::new(start, end), replaced.to_owned())
    }

    /// Returns the id of a mutant. It stays the same while the text of the kernel does; the rest of a Rust file does
    /// not matter.
    fn id(&self, items: &[Span], mistake: &Mutation) -> String {
        let whole = Span::new(0, self.text.len() as u32);
        let holds = |item: &&Span| item.start <= mistake.at.start && mistake.at.end <= item.end;
        let item = items.iter().find(holds).unwrap_or(&whole);
        let text = hash(&self.text[item.range(&self.text)]);
        let (start, end) = (mistake.at.start - item.start, mistake.at.end - item.start);
        hash(&format!("{text} {start} {end} {} {}", mistake.operator, mistake.replacement))
    }

    /// Compiles a text.
    fn compiled(&self, text: &str) -> Result<Vec<Compiled>> {
        if !self.is_host() {
            return Ok(vec![Compiled::of(self.parse(text)?)]);
        }
        let file = self.parse_file(text)?;
        let mut compiled = Vec::new();
        for item in file.items {
            compiled.push(Compiled::of(item?));
        }
        for template in &file.generic {
            let (_, parsed) = template.sample(&file.source, &[])?;
            compiled.push(Compiled::of(parsed));
            // The template must be the same: other instances could differ where this one does not.
            compiled.push(Compiled { text: Some(template.wgsl.clone()), parsed: None });
        }
        Ok(compiled)
    }
}

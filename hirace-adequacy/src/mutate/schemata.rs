//! Schemata: device programs that hold many mutants, so that they are compiled together.
//!
//! A schema is built when the first of its mutants is launched, and holds the mutants that follow in the source. A
//! mutant that cannot be part of a schema (because it does not fit, or changes a size or an override) runs as its own
//! text.

use super::campaign::Subject;
use super::launch_test::LaunchTest;
use super::schema::Schema;
use super::source::Source;
use hirace_core::check::Options;
use hirace_core::check::file::single_program;
use hirace_core::check::source::given_program;
use hirace_core::cover::hash;
use hirace_core::launch::spec::{Binding, LaunchSpec};
use hirace_core::program::Program;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum number of mutants of a schema. Each access of each mutant is monitored, so compiling a larger schema
/// takes longer than it saves.
const MAX_MUTANTS: usize = 64;

/// The minimum number of mutants that makes a schema worthwhile.
const MIN_MUTANTS: usize = 4;

/// The number of schemata kept in memory: those of the tests of one chunk of mutants.
const HELD: usize = 16;

/// See the [module](self).
#[derive(Debug, Default)]
pub struct Schemata {
    /// Chunks of mutants: the source, and the texts of the mutants.
    chunks: Vec<(usize, Vec<String>)>,
    /// The chunk and the index in it, by source and hash of a text.
    places: HashMap<(usize, String), (usize, usize)>,
    held: Mutex<Vec<(String, Option<Arc<Schema>>)>>,
}

/// A mutant in a schema.
#[derive(Clone, Debug)]
pub struct EnabledMutant {
    /// The program.
    pub program: Arc<Program>,
    /// Options of launches with this mutant enabled.
    pub options: Options,
}

impl Schemata {
    /// Creates the schemata for the mutants to be judged that a test reaches.
    pub fn of(sources: &[Source], subjects: &[Subject]) -> Self {
        let mut all = Self::default();
        for (number, source) in sources.iter().enumerate() {
            let open = subjects.iter().filter(|subject| {
                let is_open = subject.candidate.mutant.status.is_none();
                subject.source == number && is_open && !subject.reached.is_empty()
            });
            let texts: Vec<String> = open.map(|subject| source.with(&subject.candidate)).collect();
            for stretch in texts.chunks(MAX_MUTANTS).filter(|stretch| stretch.len() >= MIN_MUTANTS)
            {
                for (place, text) in stretch.iter().enumerate() {
                    all.places.insert((number, hash(text)), (all.chunks.len(), place));
                }
                all.chunks.push((number, stretch.to_vec()));
            }
        }
        all
    }

    /// Returns the program and options with `text` enabled, a mutant of the source of `test`, or `None` if no schema
    /// holds it. `made` is called for each program that is built.
    pub fn choose(
        &self,
        sources: &[Source],
        test: &LaunchTest,
        text: &str,
        options: &Options,
        made: impl FnOnce(&Arc<Program>),
    ) -> Option<EnabledMutant> {
        let [spec] = &options.launches[..] else { return None };
        let (stretch, place) = *self.places.get(&(test.source, hash(text)))?;
        let schema = self.schema(&sources[test.source], stretch, spec, options, made)?;
        let number = schema.numbers.get(place).copied().flatten()?;
        let mut spec = LaunchSpec { overrides: Vec::new(), ..spec.clone() };
        spec.bindings.push(Binding::new(&schema.variable, &number.to_string()).ok()?);
        let options = Options { launches: vec![spec], ..options.clone() };
        Some(EnabledMutant { program: Arc::clone(&schema.program), options })
    }

    /// Returns the schema of a chunk for the overrides and const parameters of a launch.
    fn schema(
        &self,
        source: &Source,
        stretch: usize,
        spec: &LaunchSpec,
        options: &Options,
        made: impl FnOnce(&Arc<Program>),
    ) -> Option<Arc<Schema>> {
        let kernels = kernels(spec, options);
        let key = format!("{stretch} {kernels:?} {:?}", spec.overrides);
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = held.iter().find(|(known, _)| *known == key) {
            return known.clone();
        }
        let new = build_schema(source, &self.chunks.get(stretch)?.1, spec, &kernels).map(Arc::new);
        if let Some(new) = &new {
            made(&new.program);
        }
        if held.len() >= HELD {
            held.remove(0);
        }
        held.push((key, new.clone()));
        new
    }
}

/// Returns the kernels that a launch names.
fn kernels<'a>(spec: &'a LaunchSpec, options: &'a Options) -> Vec<&'a str> {
    match spec.dispatches.is_empty() {
        true => options.kernels.iter().map(String::as_str).collect(),
        false => spec.dispatches.iter().map(|dispatch| dispatch.entry.as_str()).collect(),
    }
}

/// Builds the schema of these texts of a source. Returns `None` if too few of them fit.
fn build_schema(
    source: &Source,
    texts: &[String],
    spec: &LaunchSpec,
    kernels: &[&str],
) -> Option<Schema> {
    let program = program(source, &source.text, spec, kernels)?;
    let others: Vec<Option<Program>> =
        texts.par_iter().map(|text| self::program(source, text, spec, kernels)).collect();
    let schema = Schema::of(&program, &others).ok()?;
    (schema.numbers.iter().flatten().count() >= MIN_MUTANTS).then_some(schema)
}

/// Returns the program of a text that a launch runs, or `None` if it runs several or guesses are needed.
fn program(source: &Source, text: &str, spec: &LaunchSpec, kernels: &[&str]) -> Option<Program> {
    if !source.is_host() {
        return given_program(&source.parse(text).ok()?, &spec.overrides)?.ok();
    }
    let file = source.parse_file(text).ok()?;
    let (parsed, left) = single_program(&file, kernels, &spec.overrides).ok()?;
    given_program(&parsed, &left)?.ok()
}

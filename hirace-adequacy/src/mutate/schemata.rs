//! The programs in which mutants of launches run on a device: many mutants in one, so that it is compiled once for all of
//! them.
//!
//! A program is made when the first of its mutants is launched, and holds those that come next to it in the source. What is
//! not in one (what does not fit, what has a size or an override of its own) has none, and runs by its own text.

use super::campaign::Subject;
use super::launches::LaunchTest;
use super::schema::Schema;
use super::source::Source;
use hirace_core::check::Options;
use hirace_core::check::file::only;
use hirace_core::check::source::program_of;
use hirace_core::cover::hash;
use hirace_core::front::rust;
use hirace_core::launch::spec::{Binding, LaunchSpec};
use hirace_core::program::Program;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How many mutants one program has at most. Each access of each of them is watched, so that what is made of more takes
/// longer to compile than it saves.
const MOST: usize = 64;

/// And how many at least for it to be worth its while.
const LEAST: usize = 4;

/// How many programs are held: of the tests of one stretch of mutants.
const HELD: usize = 16;

/// See the [module](self).
#[derive(Debug, Default)]
pub struct Schemata {
    /// Stretches of mutants: of which source, and their texts.
    stretches: Vec<(usize, Vec<String>)>,
    /// By source and hash of a text: its stretch and its place in that.
    places: HashMap<(usize, String), (usize, usize)>,
    held: Mutex<Vec<(String, Option<Arc<Schema>>)>>,
}

/// A mutant in a program of many.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The program.
    pub program: Arc<Program>,
    /// The launches that have this mutant on.
    pub options: Options,
}

impl Schemata {
    /// Of the mutants that are to be judged and that a test reaches.
    pub fn of(sources: &[Source], subjects: &[Subject]) -> Self {
        let mut all = Self::default();
        for (number, source) in sources.iter().enumerate() {
            let open = subjects.iter().filter(|subject| {
                let is_open = subject.candidate.mutant.status.is_none();
                subject.source == number && is_open && !subject.reached.is_empty()
            });
            let texts: Vec<String> = open.map(|subject| source.with(&subject.candidate)).collect();
            for stretch in texts.chunks(MOST).filter(|stretch| stretch.len() >= LEAST) {
                for (place, text) in stretch.iter().enumerate() {
                    all.places.insert((number, hash(text)), (all.stretches.len(), place));
                }
                all.stretches.push((number, stretch.to_vec()));
            }
        }
        all
    }

    /// The program and the launch in which `text`, a mutant of the source of `test`, is on; nothing, if there is none.
    /// `made` hears of each program that is made.
    pub fn choose(
        &self,
        sources: &[Source],
        test: &LaunchTest,
        text: &str,
        options: &Options,
        made: impl FnOnce(&Arc<Program>),
    ) -> Option<Chosen> {
        let [spec] = &options.launches[..] else { return None };
        let (stretch, place) = *self.places.get(&(test.source, hash(text)))?;
        let schema = self.schema(&sources[test.source], stretch, spec, options, made)?;
        let number = schema.numbers.get(place).copied().flatten()?;
        let mut spec = LaunchSpec { overrides: Vec::new(), ..spec.clone() };
        spec.bindings.push(Binding::new(&schema.variable, &number.to_string()).ok()?);
        let options = Options { launches: vec![spec], ..options.clone() };
        Some(Chosen { program: Arc::clone(&schema.program), options })
    }

    /// The schema of a stretch under what a launch gives overrides and const parameters.
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
        let new = joined(source, &self.stretches.get(stretch)?.1, spec, &kernels).map(Arc::new);
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

/// The kernels that a launch names.
fn kernels<'a>(spec: &'a LaunchSpec, options: &'a Options) -> Vec<&'a str> {
    match spec.dispatches.is_empty() {
        true => options.kernels.iter().map(String::as_str).collect(),
        false => spec.dispatches.iter().map(|dispatch| dispatch.entry.as_str()).collect(),
    }
}

/// The schema of these texts of a source; nothing, if too few of them are in it.
fn joined(
    source: &Source,
    texts: &[String],
    spec: &LaunchSpec,
    kernels: &[&str],
) -> Option<Schema> {
    let program = program(source, &source.text, spec, kernels)?;
    let others: Vec<Option<Program>> =
        texts.par_iter().map(|text| self::program(source, text, spec, kernels)).collect();
    let schema = Schema::of(&program, &others).ok()?;
    (schema.numbers.iter().flatten().count() >= LEAST).then_some(schema)
}

/// The program of a text that a launch runs; nothing, if it runs several or a part of it had to be guessed.
fn program(source: &Source, text: &str, spec: &LaunchSpec, kernels: &[&str]) -> Option<Program> {
    if !source.is_rust() {
        return program_of(&source.parse(text).ok()?, &spec.overrides)?.ok();
    }
    let file = rust::parse_file(&source.file, text).ok()?;
    let (parsed, left) = only(&file, kernels, &spec.overrides).ok()?;
    program_of(&parsed, &left)?.ok()
}

//! All mutants of a program in one module, and which of them are in it.

use super::source::{Candidate, Source};
use hirace_core::diagnostic::Result;
use hirace_core::front::{Parsed, rust};
use hirace_core::pass::mutants::mutants;
use hirace_core::program::Program;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many mutants one module has at most, so that none is too large to compile.
pub const MOST: usize = 256;

/// A program that does what any of several mutants does.
#[derive(Clone, Debug)]
pub struct Schema {
    /// The program. The last variable of its module says which mutant is on.
    pub program: Arc<Program>,
    /// What that variable is called.
    pub variable: String,
    /// Of each mutant, its number; nothing, if it is not in.
    pub numbers: Vec<Option<u32>>,
}

impl Schema {
    /// The schema of these mutants of a program. A mutant that is no program is not in.
    ///
    /// # Errors
    /// There is none.
    pub fn of(program: &Program, others: &[Option<Program>]) -> Result<Self> {
        let given: Vec<&Program> = others.iter().flatten().collect();
        let entries: Vec<usize> = (0..program.module.entry_points.len()).collect();
        let made = mutants(program, &given, &entries)?;
        let mut fits = (1..).zip(made.fits);
        let numbers = others.iter().map(|other| {
            let (number, fits) = other.as_ref().and_then(|_| fits.next())?;
            fits.then_some(number)
        });
        let numbers = numbers.collect();
        let program = Arc::new(made.derived.program(&BTreeMap::new())?);
        Ok(Self { program, variable: made.name, numbers })
    }
}

impl Source {
    /// What is in a text of it: the program of a shader, or those of the items of Rust that are no templates.
    ///
    /// # Errors
    /// There is none.
    pub fn programs(&self, text: &str) -> Result<Vec<Parsed>> {
        match self.is_rust() {
            false => Ok(vec![self.parse(text)?]),
            true => rust::parse_file(&self.file, text)?.items.into_iter().collect(),
        }
    }

    /// What `make` makes of the program with each of these mutants; nothing, where it has not as many programs as before.
    pub fn mutated<T: Send>(
        &self,
        candidates: &[Candidate],
        count: usize,
        make: impl Fn(Vec<Parsed>) -> T + Sync,
    ) -> Vec<Option<T>> {
        let made = candidates.par_iter().map(|candidate| {
            let programs = self.programs(&self.with(candidate)).ok()?;
            (programs.len() == count).then(|| make(programs))
        });
        made.collect()
    }
}

#[cfg(test)]
mod tests;

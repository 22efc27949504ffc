//! Mutant schemata: one module that holds many mutants of a program.

use super::source::{Candidate, Source};
use hirace_core::diagnostic::Result;
use hirace_core::front::ParsedModule;
use hirace_core::pass::mutants::mutants;
use hirace_core::program::Program;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The maximum number of mutants in a module, so that it is not too large to compile.
pub const MAX_MUTANTS: usize = 256;

/// A program that can behave like any of several mutants.
#[derive(Clone, Debug)]
pub struct Schema {
    /// The program. The last variable of its module selects the enabled mutant.
    pub program: Arc<Program>,
    /// The name of that variable.
    pub variable: String,
    /// The number of each mutant, or `None` if the module does not hold it.
    pub numbers: Vec<Option<u32>>,
}

impl Schema {
    /// Builds the schema of these mutants of a program. A mutant without a program is not included.
    ///
    /// # Errors
    /// No schema can be built.
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
    /// Parses the programs of a text of this source: that of a shader, or those of a program that are not templates.
    ///
    /// # Errors
    /// The text is invalid.
    pub fn programs(&self, text: &str) -> Result<Vec<ParsedModule>> {
        match self.is_host() {
            false => Ok(vec![self.parse(text)?]),
            true => self.parse_file(text)?.items.into_iter().collect(),
        }
    }

    /// Applies `make` to the program of each mutant and returns the results; `None` for a mutant with another number of
    /// programs.
    pub fn map_mutants<T: Send>(
        &self,
        candidates: &[Candidate],
        count: usize,
        make: impl Fn(Vec<ParsedModule>) -> T + Sync,
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

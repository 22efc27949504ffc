//! Postconditions of a kernel: conditions on its memory when all invocations have ended, over the variables of its
//! module.
//!
//! Variables have the names that reports use. The final value of a location is its last write in coherence order; a
//! condition is evaluated over these values. An element past the end of an array and a quotient by zero have no value.
//! A comparison with such a term does not hold.

mod number;
mod resolve;

#[cfg(test)]
mod tests;

pub use number::Number;

use super::place;
use crate::program::{Location, Value};
use hirace_core::diagnostic::Result;
use hirace_core::ir::memory::MemoryId;
use hirace_core::ir::sites::SiteId;
use hirace_core::ir::walk::FunctionId;
use hirace_core::postcondition::{self, Comparison, Operator};
use hirace_core::program::{Language, Program};
use hirace_core::source_map::{SourceMap, Span};
use hirace_core::vm::memory::Resources;
use naga::Scalar;
use std::cell::RefCell;
use std::ops::Range;

/// A postcondition of a kernel.
#[derive(Clone, Debug)]
pub struct Postcondition {
    /// The condition as written.
    pub text: String,
    /// The span in the kernel's source, if the condition is part of it.
    pub span: Option<Span>,
    condition: Condition,
}

/// A condition over locations.
#[derive(Clone, Debug)]
enum Condition {
    Literal(bool),
    Comparison(Term, Comparison, Term),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Either(Box<Condition>, Box<Condition>),
    Each { of_all: bool, range: Range<i128>, condition: Box<Condition> },
}

/// A number in a condition.
#[derive(Clone, Debug)]
enum Term {
    Constant(Number),
    Bound(usize),
    Memory(Place),
    Negative(Box<Term>),
    Binary(Box<Term>, Operator, Box<Term>),
}

/// A scalar of a variable, with indices that may depend on memory.
#[derive(Clone, Debug)]
struct Place {
    /// The location of the start of the variable.
    base: Location,
    /// The constant part of the offset, in bytes.
    offset: u32,
    /// The indices, each with the number of elements and the stride in bytes.
    indices: Vec<(Term, u32, u32)>,
    scalar: Scalar,
}

impl Postcondition {
    /// Returns the conditions at entry point `entry` of `program` and the `given` ones, resolved over the bound
    /// resources.
    ///
    /// # Errors
    /// Returns an error, with its location, if a condition does not name memory of the program that outlives the
    /// dispatch.
    pub fn of(
        program: &Program,
        entry: usize,
        resources: &Resources,
        given: &[(SourceMap, postcondition::Condition)],
    ) -> Result<Vec<Self>> {
        let mut all = Vec::new();
        for (condition, span) in written(program, entry)? {
            let at = (&program.source, span.start);
            let condition = resolve::resolve((program, resources), at, &condition)?;
            let text = program.source.snippet(span).trim().to_owned();
            all.push(Self { text, span: Some(span), condition });
        }
        for (source, condition) in given {
            let condition = resolve::resolve((program, resources), (source, 0), condition)?;
            all.push(Self { text: source.text().trim().to_owned(), span: None, condition });
        }
        Ok(all)
    }

    /// Returns the memory that the condition reads.
    pub fn memory(&self) -> Vec<MemoryId> {
        let mut found = Vec::new();
        self.condition.memory(&mut found);
        found
    }

    /// Evaluates the condition over memory. If it does not hold, returns the locations that the evaluation read and
    /// their values, each location once, in the order of evaluation.
    pub fn unmet(&self, memory: &dyn Fn(Location) -> Value) -> Option<Vec<(Location, Number)>> {
        let look = Evaluation { memory, seen: RefCell::default() };
        let holds = look.holds(&self.condition, &mut Vec::new());
        (!holds).then(|| look.seen.into_inner())
    }
}

impl Condition {
    /// Adds the memory that the condition reads.
    fn memory(&self, found: &mut Vec<MemoryId>) {
        match self {
            Self::Literal(_) => {}
            Self::Comparison(left, _, right) => {
                left.memory(found);
                right.memory(found);
            }
            Self::Not(condition) | Self::Each { condition, .. } => condition.memory(found),
            Self::And(left, right) | Self::Either(left, right) => {
                left.memory(found);
                right.memory(found);
            }
        }
    }
}

impl Term {
    fn memory(&self, found: &mut Vec<MemoryId>) {
        match self {
            Self::Constant(_) | Self::Bound(_) => {}
            Self::Memory(place) => {
                found.push(place::memory(place.base));
                place.indices.iter().for_each(|(index, ..)| index.memory(found));
            }
            Self::Negative(term) => term.memory(found),
            Self::Binary(left, _, right) => {
                left.memory(found);
                right.memory(found);
            }
        }
    }
}

/// Returns the conditions that are written at an entry point in Rust.
fn written(program: &Program, entry: usize) -> Result<Vec<(postcondition::Condition, Span)>> {
    let Some(of) = program.module.entry_points.get(entry) else { return Ok(Vec::new()) };
    if program.language != Language::Rust {
        return Ok(Vec::new());
    }
    let own = FunctionId::Entry(entry);
    let sites = program.sites.list.iter().enumerate();
    let mut inside = sites.filter(|(_, site)| site.function == own && !site.span.is_empty());
    let inside = inside.next().and_then(|(index, _)| program.sites.get(SiteId(index as u32)));
    let within = inside.map(|site| site.span).or_else(|| program.function_name(&of.name));
    within.map_or(Ok(Vec::new()), |within| {
        postcondition::kernel_conditions(&program.source, &of.name, within)
    })
}

/// An evaluation over memory, which records the locations that it reads.
struct Evaluation<'a> {
    memory: &'a dyn Fn(Location) -> Value,
    seen: RefCell<Vec<(Location, Number)>>,
}

impl Evaluation<'_> {
    fn holds(&self, condition: &Condition, bound: &mut Vec<i128>) -> bool {
        match condition {
            Condition::Literal(holds) => *holds,
            Condition::Comparison(left, comparison, right) => {
                let (left, right) = (self.value(left, bound), self.value(right, bound));
                left.zip(right).is_some_and(|(left, right)| left.is(*comparison, right))
            }
            Condition::Not(condition) => !self.holds(condition, bound),
            Condition::And(left, right) => self.holds(left, bound) && self.holds(right, bound),
            Condition::Either(left, right) => self.holds(left, bound) || self.holds(right, bound),
            Condition::Each { of_all, range, condition } => {
                let mut holds = |number: i128| {
                    bound.push(number);
                    let holds = self.holds(condition, bound);
                    bound.pop();
                    holds
                };
                match of_all {
                    true => range.clone().all(&mut holds),
                    false => range.clone().any(&mut holds),
                }
            }
        }
    }

    fn value(&self, term: &Term, bound: &[i128]) -> Option<Number> {
        match term {
            Term::Constant(number) => Some(*number),
            Term::Bound(index) => bound.get(*index).copied().map(Number::Integer),
            Term::Negative(term) => self.value(term, bound)?.negative(),
            Term::Binary(left, operator, right) => {
                self.value(left, bound)?.with(*operator, self.value(right, bound)?)
            }
            Term::Memory(place) => {
                let mut offset = place.offset;
                for (index, count, stride) in &place.indices {
                    let Number::Integer(index) = self.value(index, bound)? else { return None };
                    let index = u32::try_from(index).ok().filter(|index| index < count)?;
                    offset = offset.checked_add(index.checked_mul(*stride)?)?;
                }
                let location = Location(place.base.0 + u64::from(offset));
                let held = Number::of_bits((self.memory)(location), place.scalar)?;
                let mut seen = self.seen.borrow_mut();
                if !seen.iter().any(|(known, _)| *known == location) {
                    seen.push((location, held));
                }
                Some(held)
            }
        }
    }
}

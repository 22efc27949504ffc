//! Resolution of names in conditions to locations.

use super::{Condition, Number, Place, Term};
use crate::kernel::place::location;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::ir::memory::{MemoryId, Space};
use hirace_core::postcondition::{self, Element, Step};
use hirace_core::program::Program;
use hirace_core::source_map::{SourceMap, Span};
use hirace_core::vm::machine;
use hirace_core::vm::memory::Resources;
use naga::{
    AddressSpace, ArraySize, Expression, GlobalVariable, Handle, Literal, Scalar, Type, TypeInner,
};
use std::cell::Cell;

/// Resolves a condition to the locations of a program's variables. Spans in the condition are relative to the offset in
/// `at`.
pub fn resolve(
    (program, resources): (&Program, &Resources),
    at: (&SourceMap, u32),
    condition: &postcondition::Condition,
) -> Result<Condition> {
    Resolver { program, resources, at, iterations: Cell::new(1) }.condition(condition)
}

/// The maximum number of values of a range; for nested ranges, of the product.
const MAX_VALUES: i128 = 1 << 16;

fn known(number: Option<Number>) -> Option<Term> {
    number.map(Term::Constant)
}

struct Resolver<'a> {
    program: &'a Program,
    resources: &'a Resources,
    at: (&'a SourceMap, u32),
    /// The number of evaluations of the current condition, from the enclosing ranges.
    iterations: Cell<i128>,
}

/// A part of a variable, while a path to a scalar is resolved.
struct Part {
    variable: Handle<GlobalVariable>,
    ty: Handle<Type>,
    /// The scalar, if the part is a component of a vector of type `ty`.
    scalar: Option<Scalar>,
    offset: u32,
    indices: Vec<(Term, u32, u32)>,
}

impl Resolver<'_> {
    fn condition(&self, condition: &postcondition::Condition) -> Result<Condition> {
        let boxed = |condition| self.condition(condition).map(Box::new);
        Ok(match condition {
            postcondition::Condition::Literal(holds) => Condition::Literal(*holds),
            postcondition::Condition::Compare(left, comparison, right) => {
                Condition::Comparison(self.term(left)?, *comparison, self.term(right)?)
            }
            postcondition::Condition::Not(inner) => Condition::Not(boxed(inner)?),
            postcondition::Condition::And(left, right) => {
                Condition::And(boxed(left)?, boxed(right)?)
            }
            postcondition::Condition::Or(left, right) => {
                Condition::Either(boxed(left)?, boxed(right)?)
            }
            postcondition::Condition::Each(each) => {
                let range = self.end(&each.first)?..self.end(&each.end)?;
                let around = self.iterations.get();
                let iterations =
                    range.end.checked_sub(range.start).map(|iterations| iterations.max(1));
                let iterations = iterations.and_then(|iterations| iterations.checked_mul(around));
                let Some(iterations) = iterations.filter(|iterations| *iterations <= MAX_VALUES)
                else {
                    return Err(
                        self.refused(&format!("ranges must have at most {MAX_VALUES} values"))
                    );
                };
                self.iterations.set(iterations);
                let condition = boxed(&each.condition)?;
                self.iterations.set(around);
                Condition::Each { of_all: each.for_all, range, condition }
            }
        })
    }

    /// Returns the bound of a range, which must be known before the kernel runs.
    fn end(&self, number: &postcondition::Number) -> Result<i128> {
        match self.term(number)? {
            Term::Constant(Number::Integer(value)) => Ok(value),
            _ => Err(self.refused(
                "the bounds of a range must be known integers: literals, constants or lengths",
            )),
        }
    }

    fn term(&self, number: &postcondition::Number) -> Result<Term> {
        Ok(match number {
            postcondition::Number::Integer(value) => Term::Constant(Number::Integer(*value)),
            postcondition::Number::Fraction(value) => Term::Constant(Number::Float(*value)),
            postcondition::Number::Bound(index) => Term::Bound(*index),
            postcondition::Number::Negate(inner) => match self.term(inner)? {
                Term::Constant(value) => known(value.negative())
                    .ok_or_else(|| self.refused("this number is out of range"))?,
                inner => Term::Negative(Box::new(inner)),
            },
            postcondition::Number::Binary(left, operator, right) => {
                match (self.term(left)?, self.term(right)?) {
                    (Term::Constant(left), Term::Constant(right)) => {
                        known(left.with(*operator, right)).ok_or_else(|| {
                            self.refused("this has no value: it divides by zero or is out of range")
                        })?
                    }
                    (left, right) => Term::Binary(Box::new(left), *operator, Box::new(right)),
                }
            }
            postcondition::Number::Length(element) => {
                let part = self.part(element)?;
                match self.count(&part) {
                    Some(count) => Term::Constant(Number::Integer(count.into())),
                    None => return Err(self.wrong(element, "this is not an array", None)),
                }
            }
            postcondition::Number::Value(element) => match self.constant(element) {
                Some(value) => Term::Constant(value),
                None => Term::Memory(self.scalar(element)?),
            },
        })
    }

    /// Returns the value of a constant of the module, if the element names one.
    fn constant(&self, element: &Element) -> Option<Number> {
        let module = &self.program.module;
        let mut all = module.constants.iter().map(|(_, constant)| constant);
        let found = all.find(|constant| constant.name.as_deref() == Some(&element.variable))?;
        if !element.path.is_empty() {
            return None;
        }
        Some(match module.global_expressions[found.init] {
            Expression::Literal(Literal::U32(value)) => Number::Integer(value.into()),
            Expression::Literal(Literal::I32(value)) => Number::Integer(value.into()),
            Expression::Literal(Literal::F32(value)) => Number::Float(value.into()),
            _ => return None,
        })
    }

    fn scalar(&self, element: &Element) -> Result<Place> {
        let part = self.part(element)?;
        let scalar = part.scalar.or(match self.program.module.types[part.ty].inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => Some(scalar),
            _ => None,
        });
        let Some(scalar) = scalar else {
            let help = "select an element, a member or a component";
            return Err(self.wrong(element, "this is not a number", Some(help)));
        };
        if scalar.width != 4 {
            let message = format!(
                "numbers of {} bits are not supported in conditions",
                8 * u32::from(scalar.width)
            );
            return Err(self.wrong(element, &message, None));
        }
        let memory = MemoryId(part.variable.index() as u32);
        let place = machine::Place { memory, space: Space::Storage, workgroup: 0 };
        let base = location(place, machine::Piece { offset: 0, bytes: 4 });
        Ok(Place { base, offset: part.offset, indices: part.indices, scalar })
    }

    fn part(&self, element: &Element) -> Result<Part> {
        let module = &self.program.module;
        let mut all = module.global_variables.iter();
        let found = all.find(|(_, variable)| variable.name.as_deref() == Some(&element.variable));
        let Some((variable, global)) = found else {
            let bound = module.global_variables.iter().filter(|(_, other)| other.binding.is_some());
            let names: Vec<&str> = bound.filter_map(|(_, other)| other.name.as_deref()).collect();
            let name = &element.variable;
            let help = match names.iter().find(|of| self.has_member(of, name)) {
                // In GLSL, members of a block without an instance name are accessed by their names alone.
                Some(block) => format!("refer to it as `{block}.{name}`"),
                None => format!("the variables are `{}`", names.join("`, `")),
            };
            let message = format!("unknown variable `{name}`");
            return Err(self.wrong(element, &message, (!names.is_empty()).then_some(&help)));
        };
        let is_left = matches!(global.space, AddressSpace::Storage { .. } | AddressSpace::Uniform);
        if !is_left {
            let message = format!("`{}` does not exist after the dispatch", element.variable);
            return Err(self.wrong(
                element,
                &message,
                Some("use a buffer, which keeps its contents"),
            ));
        }
        if self.resources.buffer(MemoryId(variable.index() as u32)).is_none() {
            let message = format!("the kernel does not use `{}`", element.variable);
            return Err(self.wrong(element, &message, None));
        }
        let (offset, indices) = (0, Vec::new());
        let mut part = Part { variable, ty: global.ty, scalar: None, offset, indices };
        self.unwrap(&mut part);
        for step in &element.path {
            self.step(&mut part, step, element)?;
            self.unwrap(&mut part);
        }
        Ok(part)
    }

    /// Returns whether `variable` is a struct with a member `member`.
    fn has_member(&self, variable: &str, member: &str) -> bool {
        let module = &self.program.module;
        let mut all = module.global_variables.iter().map(|(_, other)| other);
        let found = all.find(|other| other.name.as_deref() == Some(variable));
        found.is_some_and(|global| match &module.types[global.ty].inner {
            TypeInner::Struct { members, .. } => {
                members.iter().any(|own| own.name.as_deref() == Some(member))
            }
            _ => false,
        })
    }

    /// Enters the wrapper that compilers put around a variable: a struct with one member that has no name.
    fn unwrap(&self, part: &mut Part) {
        if let TypeInner::Struct { members, .. } = &self.program.module.types[part.ty].inner
            && let [member] = members.as_slice()
            && member.name.is_none()
        {
            part.ty = member.ty;
            part.offset += member.offset;
        }
    }

    /// Returns the number of elements of an array.
    fn count(&self, part: &Part) -> Option<u32> {
        match self.program.module.types[part.ty].inner {
            TypeInner::Array { size: ArraySize::Constant(count), .. } => Some(count.get()),
            TypeInner::Array { size: ArraySize::Dynamic, stride, .. } => {
                let buffer = self.resources.buffer(MemoryId(part.variable.index() as u32))?;
                let bytes = (4 * buffer.words().len() as u32).saturating_sub(part.offset);
                Some(bytes / stride.max(1))
            }
            _ => None,
        }
    }

    fn step(&self, part: &mut Part, step: &Step, element: &Element) -> Result<()> {
        let inner = &self.program.module.types[part.ty].inner;
        let (ty, scalar) = match (inner, step) {
            _ if part.scalar.is_some() => {
                return Err(self.wrong(element, "a number has no elements or members", None));
            }
            (TypeInner::Array { base, stride, .. }, Step::Index(index)) => {
                let index = self.term(index)?;
                let count = self.count(part).unwrap_or(0);
                if let Term::Constant(Number::Integer(at)) = index
                    && !(0..i128::from(count)).contains(&at)
                {
                    let message =
                        format!("index {at} is out of bounds: there are {count} elements");
                    return Err(self.wrong(element, &message, None));
                }
                part.indices.push((index, count, *stride));
                (*base, None)
            }
            (TypeInner::Vector { size, scalar }, Step::Index(index)) => {
                let index = self.term(index)?;
                part.indices.push((index, *size as u32, scalar.width.into()));
                (part.ty, Some(*scalar))
            }
            (TypeInner::Vector { size, scalar }, Step::Member(name)) => {
                let component = ["x", "y", "z", "w"].iter().position(|known| known == name);
                let Some(component) = component.filter(|at| *at < *size as usize) else {
                    return Err(self.wrong(
                        element,
                        &format!("there is no component `{name}`"),
                        None,
                    ));
                };
                part.offset += component as u32 * u32::from(scalar.width);
                (part.ty, Some(*scalar))
            }
            (TypeInner::Struct { members, .. }, Step::Member(name)) => {
                let unnamed = |at: usize| format!("member{at}");
                let is_it = |(at, member): &(usize, &naga::StructMember)| match &member.name {
                    Some(own) => own == name,
                    None => unnamed(*at) == *name,
                };
                let Some((_, member)) = members.iter().enumerate().find(is_it) else {
                    return Err(self.wrong(element, &format!("there is no member `{name}`"), None));
                };
                part.offset += member.offset;
                (member.ty, None)
            }
            (_, Step::Index(_)) => {
                return Err(self.wrong(element, "this type has no elements", None));
            }
            (_, Step::Member(name)) => {
                return Err(self.wrong(element, &format!("there is no member `{name}`"), None));
            }
        };
        (part.ty, part.scalar) = (ty, scalar);
        Ok(())
    }

    /// Returns an error about the whole condition.
    fn refused(&self, message: &str) -> Box<Diagnostic> {
        let (source, offset) = self.at;
        let end = if offset == 0 { source.text().len() as u32 } else { offset };
        Box::new(Diagnostic::at(source, Span::new(offset, end), message))
    }

    fn wrong(&self, element: &Element, message: &str, help: Option<&str>) -> Box<Diagnostic> {
        let (source, offset) = self.at;
        let span = Span::new(offset + element.span.start, offset + element.span.end);
        let wrong = Diagnostic::at(source, span, message);
        Box::new(match help {
            Some(help) => wrong.help(help),
            None => wrong,
        })
    }
}

//! Constraints on types that are not known yet. They are stored while a function is lowered, and re-checked after each
//! statement.

use super::super::builtins::{Class, Parameter};
use super::super::tree::{Binary, Place, Unary};
use super::body::Body;
use super::infer::Ty;
use super::operators::{Outcome, Shape};

/// A constraint on types.
#[derive(Clone, Debug)]
pub enum Obligation {
    /// `left operator right` has type `result`.
    Operator { operator: Binary, left: Ty, right: Ty, result: Ty, place: Place },
    /// A prefix operator is applicable to this type.
    Prefix { operator: Unary, ty: Ty, place: Place },
    /// `part` is the type of a function's parameter or result, with `t` for its `T`.
    Part { parameter: Parameter, t: Ty, part: Ty, place: Place },
    /// The type variable of a function is in its class.
    Class { name: &'static str, class: Class, ty: Ty, place: Place },
    /// `from as to` is allowed.
    Cast { from: Ty, to: Ty, place: Place },
    /// `bitcast::<to>(from)` is allowed.
    Bits { from: Ty, to: Ty, place: Place },
}

impl Body<'_, '_> {
    /// Adds a constraint. It is checked now, or as soon as the types are known.
    pub fn add_obligation(&mut self, obligation: Obligation) {
        if !self.check_obligation(&obligation, false) {
            self.obligations.push(obligation);
        }
    }

    /// Re-checks the pending constraints until no more of them can be decided.
    pub fn resolve_obligations(&mut self) {
        loop {
            let waiting = std::mem::take(&mut self.obligations);
            let before = waiting.len();
            for obligation in waiting {
                self.add_obligation(obligation);
            }
            if self.obligations.len() == before {
                return;
            }
        }
    }

    /// Decides all pending constraints at the end of a function.
    pub fn finish_obligations(&mut self) {
        self.resolve_obligations();
        self.types.fall_back();
        self.resolve_obligations();
        while !self.obligations.is_empty() {
            let first = self.obligations.remove(0);
            self.check_obligation(&first, true);
            self.resolve_obligations();
        }
        self.types.fall_back();
    }

    /// Returns whether an obligation is finished: it holds, or an error was reported.
    fn check_obligation(&mut self, obligation: &Obligation, last: bool) -> bool {
        match obligation {
            Obligation::Operator { operator, left, right, result, place } => {
                match self.operate(*operator, left, right, last) {
                    Outcome::Waits => false,
                    Outcome::Holds(ty) if self.types.unify(result, &ty) => true,
                    Outcome::Holds(ty) => {
                        let (wanted, found) = (self.describe(result), self.describe(&ty));
                        let hint = self.conversion(result, &ty);
                        self.report(*place, format!("expected `{wanted}`, found `{found}`{hint}"));
                        true
                    }
                    Outcome::Fails => {
                        let message = self.no_operator(*operator, left, right);
                        self.report(*place, message);
                        self.types.unify(result, &Ty::Error);
                        true
                    }
                }
            }
            Obligation::Prefix { operator, ty, place } => match (operator, self.shape(ty)) {
                (_, Shape::Error) => true,
                (_, Shape::Unknown) => last,
                (_, Shape::Integer) => {
                    // `-x` on a type that turns out to be unsigned is checked later.
                    *operator == Unary::Not
                }
                (_, Shape::Float) if *operator == Unary::Negate => true,
                (Unary::Negate, Shape::Of(scalar, _))
                    if scalar.is_float() || scalar.is_signed() =>
                {
                    true
                }
                (Unary::Negate, Shape::Matrix(..)) => true,
                (Unary::Not | Unary::Complement, Shape::Of(scalar, _)) if !scalar.is_float() => {
                    true
                }
                (operator, _) => {
                    let named = self.describe(ty);
                    let message = match operator {
                        Unary::Negate if matches!(self.shape(ty), Shape::Of(scalar, _) if scalar.is_integer()) =>
                        {
                            format!(
                                "`{named}` has no negative values: convert it first, `-(… as i32)`"
                            )
                        }
                        Unary::Negate => {
                            format!("cannot apply `-` to `{named}`: use a signed number")
                        }
                        _ => format!("cannot apply `!` to `{named}`: use a `bool` or an integer"),
                    };
                    self.report(*place, message);
                    true
                }
            },
            Obligation::Part { parameter, t, part, place } => match self.part_of(*parameter, t) {
                Some(ty) => {
                    self.agree(*parameter, part, &ty, *place);
                    true
                }
                None => last,
            },
            Obligation::Class { name, class, ty, place } => {
                self.check_class(name, *class, ty, *place, last)
            }
            Obligation::Cast { from, to, place } => self.check_cast(from, to, *place, last),
            Obligation::Bits { from, to, place } => self.check_bits(from, to, *place, last),
        }
    }

    fn agree(&mut self, parameter: Parameter, given: &Ty, ty: &Ty, place: Place) {
        let fits = match parameter {
            // A single scalar for all components is accepted too.
            Parameter::Each(scalar) if self.shape(given).is_scalar() => {
                self.types.unify(given, &scalar.into())
            }
            _ => self.types.unify(given, ty),
        };
        if !fits {
            let (wanted, found) = (self.describe(ty), self.describe(given));
            let hint = self.conversion(ty, given);
            self.report(place, format!("expected `{wanted}`, found `{found}`{hint}"));
        }
    }

    /// Returns the type of a function's parameter or result for a given `T`, or `None` if too little is known about
    /// `T`.
    pub fn part_of(&mut self, parameter: Parameter, t: &Ty) -> Option<Ty> {
        if let Some(ty) = parameter.of(None) {
            return Some(ty.into());
        }
        match (self.shape(t), parameter) {
            (Shape::Error, _) => Some(Ty::Error),
            (_, Parameter::T | Parameter::AtomicPlace | Parameter::Place) => Some(t.clone()),
            // A literal is known to be a scalar.
            (Shape::Integer | Shape::Float, Parameter::Element | Parameter::Held) => {
                Some(t.clone())
            }
            (Shape::Float, Parameter::Like(scalar))
            | (Shape::Integer | Shape::Float, Parameter::Each(scalar)) => Some(scalar.into()),
            _ => {
                let known = self.types.known(t)?;
                Some(parameter.of(Some(&known)).map_or(Ty::Error, Ty::from))
            }
        }
    }
}

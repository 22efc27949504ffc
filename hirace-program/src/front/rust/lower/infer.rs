//! Types while they are inferred, and their unification.

use super::super::tree::{ConstId, Count, Scalar, Type, Which};
use super::closures::ClosureId;

/// A type that may not be known yet.
#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    /// To be found out.
    Infer(Variable),
    /// Of what has an error of its own: agrees with everything.
    Error,
    /// Of what does not come back: agrees with everything.
    Never,
    /// A place lent to a function: whether it may be written, and what it holds.
    Reference(bool, Box<Ty>),
    /// A length that is known when compiled, as if it were a type: the second part of an array's.
    Length(Count),
    /// `[T; N]`: the type of its elements, and its length.
    Array(Box<Ty>, Box<Ty>),
    /// `[T]`.
    Slice(Box<Ty>),
    /// `(T, U)`.
    Tuple(Vec<Ty>),
    /// One of several variants, with what stands for the type's parameters.
    Enum(Which, Vec<Ty>),
    /// That of a closure: each has its own. It is called, and never kept.
    Closure(ClosureId),
    /// Any other; never one made of others.
    Plain(Type),
}

/// A type to be found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable(usize);

/// What a variable may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableKind {
    /// Anything.
    Any,
    /// That of a literal without point: `i32` if nothing says otherwise.
    Integer,
    /// That of `.len()`: `usize` or `u32`, and `usize` if nothing says otherwise.
    Length,
    /// That of a literal with a point: `f32`.
    Float,
}

impl VariableKind {
    /// Whether it may become a type that is known.
    pub fn may_become(self, ty: &Ty) -> bool {
        match (self, ty) {
            (Self::Any, _) => true,
            (Self::Integer, Ty::Plain(Type::Scalar(scalar))) => scalar.is_integer(),
            (Self::Length, Ty::Plain(Type::Scalar(Scalar::U32 | Scalar::Usize))) => true,
            (Self::Float, Ty::Plain(Type::Scalar(Scalar::F32))) => true,
            _ => false,
        }
    }
}

impl From<&Type> for Ty {
    fn from(ty: &Type) -> Self {
        match ty {
            Type::Array(element, count) => Ty::array(Ty::from(&**element), count.clone()),
            Type::Slice(element) => Ty::Slice(Box::new(Ty::from(&**element))),
            Type::Tuple(parts) => Ty::Tuple(parts.iter().map(Ty::from).collect()),
            Type::Enum(which, parts) => Ty::Enum(*which, parts.iter().map(Ty::from).collect()),
            other => Ty::Plain(other.clone()),
        }
    }
}

impl From<Type> for Ty {
    fn from(ty: Type) -> Self {
        Ty::from(&ty)
    }
}

impl From<Scalar> for Ty {
    fn from(scalar: Scalar) -> Self {
        Ty::Plain(Type::Scalar(scalar))
    }
}

impl Ty {
    pub const UNIT: Ty = Ty::Plain(Type::Unit);
    pub const BOOL: Ty = Ty::Plain(Type::Scalar(Scalar::Bool));
    pub const U32: Ty = Ty::Plain(Type::Scalar(Scalar::U32));
    pub const USIZE: Ty = Ty::Plain(Type::Scalar(Scalar::Usize));

    /// `[element; count]`.
    pub fn array(element: Ty, count: Count) -> Ty {
        Ty::Array(Box::new(element), Box::new(Ty::Length(count)))
    }

    /// The type with these lengths in place of const parameters.
    pub fn with(&self, lengths: &[(ConstId, Ty)]) -> Ty {
        let inner = |ty: &Ty| Box::new(ty.with(lengths));
        match self {
            Ty::Length(Count::Const(id)) => {
                let given = lengths.iter().find(|(of, _)| of == id);
                given.map_or_else(|| self.clone(), |(_, length)| length.clone())
            }
            Ty::Reference(mutable, to) => Ty::Reference(*mutable, inner(to)),
            Ty::Array(element, length) => Ty::Array(inner(element), inner(length)),
            Ty::Slice(element) => Ty::Slice(inner(element)),
            Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(|part| part.with(lengths)).collect()),
            Ty::Enum(which, parts) => {
                Ty::Enum(*which, parts.iter().map(|part| part.with(lengths)).collect())
            }
            other => other.clone(),
        }
    }

    /// What a reference refers to; any other type itself.
    pub fn referent(&self) -> &Ty {
        match self {
            Ty::Reference(_, to) => to.referent(),
            other => other,
        }
    }
}

/// What is known of the variables of one function.
#[derive(Default)]
pub struct Inference {
    variables: Vec<Result<Ty, VariableKind>>,
}

impl Inference {
    pub fn fresh(&mut self, kind: VariableKind) -> Ty {
        self.variables.push(Err(kind));
        Ty::Infer(Variable(self.variables.len() - 1))
    }

    /// What a variable may become that is not known yet; `None` for every other type.
    pub fn open(&self, ty: &Ty) -> Option<VariableKind> {
        match self.shallow(ty) {
            Ty::Infer(Variable(index)) => self.variables[index].as_ref().err().copied(),
            _ => None,
        }
    }

    /// The type with its outermost variable replaced.
    pub fn shallow(&self, ty: &Ty) -> Ty {
        let mut ty = ty;
        while let Ty::Infer(Variable(index)) = ty {
            match &self.variables[*index] {
                Ok(known) => ty = known,
                Err(_) => break,
            }
        }
        ty.clone()
    }

    /// The type with all its variables replaced, as far as they are known.
    pub fn deep(&self, ty: &Ty) -> Ty {
        match self.shallow(ty) {
            Ty::Reference(mutable, to) => Ty::Reference(mutable, Box::new(self.deep(&to))),
            Ty::Array(element, length) => {
                Ty::Array(Box::new(self.deep(&element)), Box::new(self.deep(&length)))
            }
            Ty::Slice(element) => Ty::Slice(Box::new(self.deep(&element))),
            Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(|part| self.deep(part)).collect()),
            Ty::Enum(which, parts) => {
                Ty::Enum(which, parts.iter().map(|part| self.deep(part)).collect())
            }
            other => other,
        }
    }

    /// The type in the tree, without references; `None` if a part is not known, or wrong.
    pub fn known(&self, ty: &Ty) -> Option<Type> {
        Some(match self.shallow(ty) {
            Ty::Infer(_) | Ty::Error | Ty::Closure(_) => return None,
            Ty::Never => Type::Unit,
            Ty::Length(_) => Type::Scalar(Scalar::Usize),
            Ty::Reference(_, to) => self.known(&to)?,
            Ty::Array(element, length) => match self.shallow(&length) {
                Ty::Length(count) => Type::Array(Box::new(self.known(&element)?), count),
                _ => return None,
            },
            Ty::Slice(element) => Type::Slice(Box::new(self.known(&element)?)),
            Ty::Tuple(parts) => {
                Type::Tuple(parts.iter().map(|part| self.known(part)).collect::<Option<_>>()?)
            }
            Ty::Enum(which, parts) => {
                let parts = parts.iter().map(|part| self.known(part)).collect::<Option<_>>()?;
                Type::Enum(which, parts)
            }
            Ty::Plain(ty) => ty,
        })
    }

    /// Makes two types one. `false` if they cannot be; then some of their parts may have been made one.
    pub fn unify(&mut self, left: &Ty, right: &Ty) -> bool {
        let (left, right) = (self.shallow(left), self.shallow(right));
        match (&left, &right) {
            (Ty::Infer(a), Ty::Infer(b)) if a == b => true,
            // What comes of an error is no error of its own.
            (Ty::Infer(a), Ty::Error) | (Ty::Error, Ty::Infer(a)) => self.bind(*a, Ty::Error),
            (Ty::Error | Ty::Never, _) | (_, Ty::Error | Ty::Never) => true,
            (Ty::Infer(a), Ty::Infer(b)) => match (self.kind(*a), self.kind(*b)) {
                (VariableKind::Any, _) => self.bind(*a, right),
                (_, VariableKind::Any) => self.bind(*b, left),
                (VariableKind::Integer, VariableKind::Length) => self.bind(*a, right),
                (VariableKind::Length, VariableKind::Integer) => self.bind(*b, left),
                (kind, other) => kind == other && self.bind(*a, right),
            },
            (Ty::Infer(variable), known) | (known, Ty::Infer(variable)) => {
                self.may_become(*variable, known) && self.bind(*variable, known.clone())
            }
            (Ty::Reference(m, a), Ty::Reference(n, b)) => m == n && self.unify(a, b),
            (Ty::Array(a, m), Ty::Array(b, n)) => self.unify(m, n) && self.unify(a, b),
            (Ty::Slice(a), Ty::Slice(b)) => self.unify(a, b),
            (Ty::Enum(a, some), Ty::Enum(b, other)) => {
                a == b && some.iter().zip(other).all(|(a, b)| self.unify(a, b))
            }
            (Ty::Tuple(a), Ty::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.unify(a, b))
            }
            (left, right) => left == right,
        }
    }

    /// Gives every number that nothing says more of rustc's type for such literals.
    pub fn fall_back(&mut self) {
        for variable in &mut self.variables {
            match variable {
                Err(VariableKind::Integer) => *variable = Ok(Scalar::I32.into()),
                Err(VariableKind::Length) => *variable = Ok(Ty::USIZE),
                Err(VariableKind::Float) => *variable = Ok(Scalar::F32.into()),
                _ => {}
            }
        }
    }

    fn kind(&self, Variable(index): Variable) -> VariableKind {
        self.variables[index].as_ref().err().copied().unwrap_or(VariableKind::Any)
    }

    fn may_become(&self, variable: Variable, ty: &Ty) -> bool {
        self.kind(variable).may_become(ty) && !self.occurs(variable, ty)
    }

    fn occurs(&self, variable: Variable, ty: &Ty) -> bool {
        match self.shallow(ty) {
            Ty::Infer(other) => other == variable,
            Ty::Reference(_, to) => self.occurs(variable, &to),
            Ty::Array(element, _) | Ty::Slice(element) => self.occurs(variable, &element),
            Ty::Tuple(parts) | Ty::Enum(_, parts) => {
                parts.iter().any(|part| self.occurs(variable, part))
            }
            _ => false,
        }
    }

    fn bind(&mut self, Variable(index): Variable, ty: Ty) -> bool {
        self.variables[index] = Ok(ty);
        true
    }
}

//! Type inference by unification.

use super::super::tree::{ConstId, Count, EnumKind, Scalar, Type};
use super::closures::ClosureId;

/// A type that may not be known yet.
#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    /// An inference variable.
    Infer(Variable),
    /// The type of an expression with an error. It is compatible with every type.
    Error,
    /// The type of an expression that diverges. It is compatible with every type.
    Never,
    /// A reference to a place: whether it is mutable, and the type of the place.
    Reference(bool, Box<Ty>),
    /// A compile-time length, treated as a type. It is the second part of an array's type.
    Length(Count),
    /// `[T; N]`: the element type and the length.
    Array(Box<Ty>, Box<Ty>),
    /// `[T]`.
    Slice(Box<Ty>),
    /// `(T, U)`.
    Tuple(Vec<Ty>),
    /// An enum with the arguments for its type parameters.
    Enum(EnumKind, Vec<Ty>),
    /// The type of a closure; each closure has its own. A closure can only be called, not stored.
    Closure(ClosureId),
    /// Any other type, which has no type arguments.
    Plain(Type),
}

/// An inference variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable(usize);

/// The types that a variable may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableKind {
    /// Anything.
    Any,
    /// The type of an integer literal; the default is `i32`.
    Integer,
    /// The type of `.len()`: `usize` or `u32`; the default is `usize`.
    Length,
    /// The type of a float literal: `f32`.
    Float,
}

impl VariableKind {
    /// Returns whether the variable may become a known type.
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

    /// Creates the type `[element; count]`.
    pub fn array(element: Ty, count: Count) -> Ty {
        Ty::Array(Box::new(element), Box::new(Ty::Length(count)))
    }

    /// Returns the type with these lengths substituted for const parameters.
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

    /// Returns the type that a reference refers to; any other type is returned unchanged.
    pub fn referent(&self) -> &Ty {
        match self {
            Ty::Reference(_, to) => to.referent(),
            other => other,
        }
    }
}

/// The inference variables of one function.
#[derive(Default)]
pub struct Inference {
    variables: Vec<Result<Ty, VariableKind>>,
}

impl Inference {
    pub fn fresh(&mut self, kind: VariableKind) -> Ty {
        self.variables.push(Err(kind));
        Ty::Infer(Variable(self.variables.len() - 1))
    }

    /// Returns what a variable may become if it is not known yet, or `None` for any other type.
    pub fn open(&self, ty: &Ty) -> Option<VariableKind> {
        match self.shallow(ty) {
            Ty::Infer(Variable(index)) => self.variables[index].as_ref().err().copied(),
            _ => None,
        }
    }

    /// Returns the type with its outermost variable resolved.
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

    /// Returns the type with all its variables resolved as far as they are known.
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

    /// Returns the type for the tree, without references, or `None` if a part is unknown or an error.
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

    /// Unifies two types. Returns `false` if this is not possible; some of their parts may have been unified then.
    pub fn unify(&mut self, left: &Ty, right: &Ty) -> bool {
        let (left, right) = (self.shallow(left), self.shallow(right));
        match (&left, &right) {
            (Ty::Infer(a), Ty::Infer(b)) if a == b => true,
            // A consequence of an error is not reported as another error.
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

    /// Gives every unresolved number variable the type that rustc falls back to.
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

//! Parameter and result types of the built-in functions.

use crate::types::{Count, Scalar, Type};
use Scalar::{Bool, F32, I32, U32};

/// The set of types that a type variable ranges over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// No type variable.
    None,
    /// `f32` and its vectors.
    Float,
    /// Vectors of `f32`.
    FloatVector,
    /// `f32`, `i32`, `u32` and their vectors.
    Numeric,
    /// `f32`, `i32` and their vectors.
    Signed,
    /// `i32`, `u32` and their vectors.
    Integer,
    /// `bool` and its vectors.
    Bool,
    /// Vectors of numbers.
    NumericVector,
    /// Any scalar or vector.
    Value,
    /// Types with one of these numbers of components (1 for a scalar) and one of these scalars.
    Only(&'static [u8], &'static [Scalar]),
    /// `i32` or `u32`: the contents of atomics.
    Atomic,
    /// Square matrices.
    Matrix,
    /// Matrices of these sizes, as columns and rows.
    Matrices(&'static [(u8, u8)]),
    /// Any type that can be in memory.
    Any,
}

/// The type of a parameter or of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// `T`.
    T,
    /// The scalar type of `T`.
    Element,
    /// `T` with this scalar type.
    Like(Scalar),
    /// `T` with this scalar type, or one such scalar for all components.
    Each(Scalar),
    /// A scalar.
    Scalar(Scalar),
    /// An index: `u32` or `i32`.
    Index,
    /// A scalar that must be a constant.
    Constant(Scalar),
    /// A vector.
    Vector(u8, Scalar),
    /// A vector of this many scalars of `T`.
    Elements(u8),
    /// An array of this many scalars of `T`.
    Array(u8),
    /// A matrix with this many columns and rows.
    Matrix(u8, u8),
    /// A column of the matrix `T`.
    Column,
    /// A row of the matrix `T`.
    Row,
    /// The transposed type of the matrix `T`.
    Transposed,
    /// Several values as a tuple.
    Tuple(&'static [Parameter]),
    /// `()`.
    Unit,
    /// A place with an `Atomic<T>`, or a plain `T` that is used atomically (a reference in Rust).
    AtomicPlace,
    /// A place with a `T` (a reference in Rust).
    Place,
    /// The value in a place with a `T`: `T` itself, or the content of the atomic `T`.
    Held,
    /// A place with any array or slice (a reference in Rust).
    ArrayPlace,
    /// The result of a compare-exchange of `T`.
    Exchange,
    /// A parameter of a texture function; its type is given by [`texture`](super::texture).
    Texture,
}

const SHAPES: &[u8] = &[1, 2, 3, 4];
const VECTORS: &[u8] = &[2, 3, 4];
const SQUARE: &[(u8, u8)] = &[(2, 2), (3, 3), (4, 4)];

impl Class {
    /// Returns the numbers of components and the scalars of its types. Both are empty for classes without scalars and
    /// vectors.
    fn shapes(self) -> (&'static [u8], &'static [Scalar]) {
        match self {
            Self::Float => (SHAPES, &[F32]),
            Self::FloatVector => (VECTORS, &[F32]),
            Self::Numeric => (SHAPES, &[F32, I32, U32]),
            Self::Signed => (SHAPES, &[F32, I32]),
            Self::Integer => (SHAPES, &[I32, U32]),
            Self::Bool => (SHAPES, &[Bool]),
            Self::NumericVector => (VECTORS, &[F32, I32, U32]),
            Self::Value | Self::Any => (SHAPES, &[F32, I32, U32, Bool]),
            Self::Only(components, scalars) => (components, scalars),
            Self::Atomic => (&[1], &[I32, U32]),
            Self::None | Self::Matrix | Self::Matrices(_) => (&[], &[]),
        }
    }

    /// Returns the columns and rows of its matrices.
    fn matrices(self) -> &'static [(u8, u8)] {
        match self {
            Self::Matrix => SQUARE,
            Self::Matrices(shapes) => shapes,
            _ => &[],
        }
    }

    /// Returns whether the type variable can be this type.
    pub fn admits(self, ty: &Type) -> bool {
        match ty {
            Type::Tuple(_) | Type::Exchange(_) | Type::Texture(_) | Type::Sampler { .. } => false,
            Type::Unit => false,
            _ if self == Self::Any => true,
            Type::Scalar(scalar) => self.has(1, *scalar),
            Type::Vector(components, scalar) => self.has(*components, *scalar),
            Type::Matrix { columns, rows } => self.matrices().contains(&(*columns, *rows)),
            _ => false,
        }
    }

    fn has(self, components: u8, scalar: Scalar) -> bool {
        let (shapes, scalars) = self.shapes();
        // `usize` has the functions of `u32`, but cannot be in memory that the host accesses.
        let is_size = matches!(scalar, Scalar::Usize | Scalar::Isize);
        let computed = if is_size && self != Self::Atomic { scalar.wgsl_scalar() } else { scalar };
        shapes.contains(&components) && scalars.contains(&computed)
    }

    /// Returns the scalars of its types, `f32` first.
    pub fn scalars(self) -> &'static [Scalar] {
        self.shapes().1
    }

    /// Returns the types that the type variable can be, except arrays, structs and atomics.
    pub fn types(self) -> Vec<Type> {
        let (shapes, scalars) = self.shapes();
        let values = scalars
            .iter()
            .flat_map(|&scalar| shapes.iter().map(move |&components| shaped(components, scalar)));
        let matrices = self.matrices().iter();
        let matrices = matrices.map(|&(columns, rows)| Type::Matrix { columns, rows });
        values.chain(matrices).collect()
    }
}

/// Returns a vector type, or a scalar type for one component.
pub(super) fn shaped(components: u8, scalar: Scalar) -> Type {
    match components {
        1 => Type::Scalar(scalar),
        _ => Type::Vector(components, scalar),
    }
}

impl Parameter {
    /// Returns the type for a given `T`. Returns `None` for places of arrays, for textures, and if it depends on a `T`
    /// that is not given. [`Each`](Self::Each) gives the type with all components, [`Index`](Self::Index) gives `u32`.
    pub fn of(self, variable: Option<&Type>) -> Option<Type> {
        let (components, element) = match variable {
            Some(Type::Scalar(scalar)) => (1, Some(*scalar)),
            Some(Type::Vector(components, scalar)) => (*components, Some(*scalar)),
            Some(Type::Matrix { .. }) => (0, Some(F32)),
            _ => (0, None),
        };
        // The signed counterpart of `usize` is `isize`.
        let like = |scalar: Scalar| {
            let scalar = match element {
                Some(element)
                    if (element.is_local() || element.is_wide()) && scalar.is_integer() =>
                {
                    element.with_sign(scalar.is_signed())
                }
                _ => scalar,
            };
            (components > 0).then(|| shaped(components, scalar))
        };
        match self {
            Self::T | Self::Place => variable.cloned(),
            Self::Held => match variable {
                Some(Type::Atomic(scalar)) => Some(Type::Scalar(*scalar)),
                other => other.cloned(),
            },
            Self::Element => element.map(Type::Scalar),
            Self::Like(scalar) | Self::Each(scalar) => like(scalar),
            Self::Scalar(scalar) | Self::Constant(scalar) => Some(Type::Scalar(scalar)),
            Self::Vector(components, scalar) => Some(Type::Vector(components, scalar)),
            Self::Elements(components) => element.map(|element| shaped(components, element)),
            Self::Array(length) => element.map(|element| {
                Type::Array(Box::new(Type::Scalar(element)), Count::Literal(length.into()))
            }),
            Self::Matrix(columns, rows) => Some(Type::Matrix { columns, rows }),
            Self::Column => match variable {
                Some(Type::Matrix { rows, .. }) => Some(Type::Vector(*rows, F32)),
                _ => None,
            },
            Self::Row => match variable {
                Some(Type::Matrix { columns, .. }) => Some(Type::Vector(*columns, F32)),
                _ => None,
            },
            Self::Transposed => match variable {
                Some(&Type::Matrix { columns, rows }) => {
                    Some(Type::Matrix { columns: rows, rows: columns })
                }
                _ => None,
            },
            Self::Tuple(parts) => {
                let parts: Option<Vec<Type>> = parts.iter().map(|part| part.of(variable)).collect();
                parts.map(Type::Tuple)
            }
            Self::Unit => Some(Type::Unit),
            Self::AtomicPlace => element.map(Type::Atomic),
            Self::Exchange => element.map(Type::Exchange),
            Self::Index => Some(Type::Scalar(U32)),
            Self::ArrayPlace | Self::Texture => None,
        }
    }
}

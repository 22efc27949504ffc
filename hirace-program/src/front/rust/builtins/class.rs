//! What types the functions take and give.

use super::super::tree::{Count, Scalar, Type};
use Scalar::{Bool, F32, I32, U32};

/// What types a type variable stands for.
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
    /// Of so many components, scalars having 1, of these scalars.
    Only(&'static [u8], &'static [Scalar]),
    /// `i32` or `u32`: what atomics hold.
    Atomic,
    /// Square matrices.
    Matrix,
    /// Matrices of so many columns and rows.
    Matrices(&'static [(u8, u8)]),
    /// Anything that can be in memory.
    Any,
}

/// The type of a parameter or of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// `T`.
    T,
    /// The scalar that `T` is made of.
    Element,
    /// `T` with another scalar.
    Like(Scalar),
    /// `T` with another scalar, or one such scalar for all components.
    Each(Scalar),
    /// A scalar.
    Scalar(Scalar),
    /// An index: `u32` or `i32`.
    Index,
    /// A scalar that is known while compiling.
    Constant(Scalar),
    /// A vector.
    Vector(u8, Scalar),
    /// A vector of so many of the scalar that `T` is made of.
    Elements(u8),
    /// An array of so many of the scalar that `T` is made of.
    Array(u8),
    /// A matrix of so many columns and rows.
    Matrix(u8, u8),
    /// A column of the matrix `T`.
    Column,
    /// A row of the matrix `T`.
    Row,
    /// The matrix `T` with rows for columns.
    Transposed,
    /// Several values, as a tuple.
    Tuple(&'static [Parameter]),
    /// `()`.
    Unit,
    /// A place that holds an `Atomic<T>`, or a plain `T` used atomically (a reference in Rust).
    AtomicPlace,
    /// A place that holds a `T` (a reference in Rust).
    Place,
    /// What reading a place that holds a `T` gives: `T`, or what the atomic `T` holds.
    Held,
    /// A place that holds an array or slice of anything (a reference in Rust).
    ArrayPlace,
    /// What a compare-exchange of `T` gives.
    Exchange,
    /// For functions of textures: as [`texture`](super::texture) says.
    Texture,
}

const SHAPES: &[u8] = &[1, 2, 3, 4];
const VECTORS: &[u8] = &[2, 3, 4];
const SQUARE: &[(u8, u8)] = &[(2, 2), (3, 3), (4, 4)];

impl Class {
    /// Numbers of components and scalars; none for what is no scalar or vector.
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

    /// Columns and rows of its matrices.
    fn matrices(self) -> &'static [(u8, u8)] {
        match self {
            Self::Matrix => SQUARE,
            Self::Matrices(shapes) => shapes,
            _ => &[],
        }
    }

    /// Whether the type variable may stand for this type.
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
        // `usize` is computed with as a `u32` is, but never stands for one in memory that a host sees.
        let is_size = matches!(scalar, Scalar::Usize | Scalar::Isize);
        let computed = if is_size && self != Self::Atomic { scalar.stored() } else { scalar };
        shapes.contains(&components) && scalars.contains(&computed)
    }

    /// The scalars that its types are made of, `f32` first.
    pub fn scalars(self) -> &'static [Scalar] {
        self.shapes().1
    }

    /// The types that the type variable may stand for: all of them, but for arrays, structs and atomics.
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

/// A vector, or a scalar if it has one component.
fn shaped(components: u8, scalar: Scalar) -> Type {
    match components {
        1 => Type::Scalar(scalar),
        _ => Type::Vector(components, scalar),
    }
}

impl Parameter {
    /// The type, with this type for `T`; `None` for the places of arrays, for textures, and if it hangs on a
    /// `T` that is not given. [`Each`](Self::Each) gives the type with all components, [`Index`](Self::Index)
    /// `u32`.
    pub fn of(self, variable: Option<&Type>) -> Option<Type> {
        let (components, element) = match variable {
            Some(Type::Scalar(scalar)) => (1, Some(*scalar)),
            Some(Type::Vector(components, scalar)) => (*components, Some(*scalar)),
            Some(Type::Matrix { .. }) => (0, Some(F32)),
            _ => (0, None),
        };
        // Of `usize`, the signed integers are `isize`.
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

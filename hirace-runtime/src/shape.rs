//! What a Rust type is made of, in WGSL's terms.

use std::fmt;

/// A scalar type that Rust and WGSL share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `f32`.
    F32,
    /// `i32`.
    I32,
    /// `u32`.
    U32,
    /// `i64`.
    I64,
    /// `u64`.
    U64,
}

impl Scalar {
    /// How many words of 32 bits it has.
    pub const fn words(self) -> u32 {
        match self {
            Self::F32 | Self::I32 | Self::U32 => 1,
            Self::I64 | Self::U64 => 2,
        }
    }

    /// A value of this type, of these bits, as it is written in a list of them; `None` for what is no number.
    pub fn show(self, bits: u64) -> Option<String> {
        match self {
            Self::F32 => {
                let x = f32::from_bits(bits as u32);
                x.is_finite().then(|| x.to_string())
            }
            Self::I32 => Some((bits as i32).to_string()),
            Self::U32 => Some((bits as u32).to_string()),
            Self::I64 => Some((bits as i64).to_string()),
            Self::U64 => Some(bits.to_string()),
        }
    }

    /// As WGSL names it, or naga where WGSL has no such type.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I64 => "i64",
            Self::U64 => "u64",
        }
    }
}

/// What a Rust type is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A scalar.
    Scalar(Scalar),
    /// A vector of so many scalars.
    Vector(Scalar, u32),
    /// A matrix of so many columns, each a vector of so many scalars.
    Matrix(Scalar, u32, u32),
    /// So many of a shape: an array. `None`: as many as there are, in a slice or `Vec`.
    Array(Box<Shape>, Option<u32>),
    /// One after another: a struct or a tuple.
    Struct(Vec<Shape>),
    /// A member of a struct with an alignment or a size of its own, as `@align` and `@size` of WGSL give.
    Placed {
        /// What it is.
        shape: Box<Shape>,
        /// Its alignment, if that was given.
        align: Option<u32>,
        /// Its size, if that was given.
        size: Option<u32>,
    },
}

impl Shape {
    /// `count` of `element`.
    pub fn array(element: Self, count: Option<u32>) -> Self {
        Self::Array(Box::new(element), count)
    }

    /// How many words of 32 bits its scalars have; `None`: that depends on the value.
    pub fn words(&self) -> Option<u64> {
        let of = |scalar: &Scalar| u64::from(scalar.words());
        match self {
            Self::Scalar(scalar) => Some(of(scalar)),
            Self::Vector(scalar, count) => Some(of(scalar) * u64::from(*count)),
            Self::Matrix(scalar, columns, rows) => {
                of(scalar).checked_mul(u64::from(*columns) * u64::from(*rows))
            }
            Self::Array(element, count) => element.words()?.checked_mul(u64::from((*count)?)),
            Self::Struct(members) => members.iter().map(Self::words).sum(),
            Self::Placed { shape, .. } => shape.words(),
        }
    }

    /// Its scalar type, if it has but one.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Self::Scalar(scalar) | Self::Vector(scalar, _) | Self::Matrix(scalar, ..) => {
                Some(*scalar)
            }
            Self::Array(element, _) => element.scalar(),
            Self::Struct(members) => {
                let mut all = members.iter().map(Self::scalar);
                let first = all.next()??;
                all.all(|scalar| scalar == Some(first)).then_some(first)
            }
            Self::Placed { shape, .. } => shape.scalar(),
        }
    }

    /// The same of scalars, arrays and structs alone: where they lie is then for others to say.
    pub fn unplaced(&self) -> Self {
        match self {
            Self::Scalar(_) => self.clone(),
            Self::Vector(scalar, count) => Self::array(Self::Scalar(*scalar), Some(*count)),
            Self::Matrix(scalar, columns, rows) => {
                Self::array(Self::Vector(*scalar, *rows).unplaced(), Some(*columns))
            }
            Self::Array(element, count) => Self::array(element.unplaced(), *count),
            Self::Struct(members) => Self::Struct(members.iter().map(Self::unplaced).collect()),
            Self::Placed { shape, .. } => shape.unplaced(),
        }
    }
}

/// The shape in WGSL's words.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(scalar) => f.write_str(scalar.name()),
            Self::Vector(scalar, n) => write!(f, "vec{n}<{}>", Self::Scalar(*scalar)),
            Self::Matrix(scalar, columns, rows) => {
                write!(f, "mat{columns}x{rows}<{}>", Self::Scalar(*scalar))
            }
            Self::Array(element, count) => match (element.as_ref(), count) {
                (Self::Scalar(_), Some(n @ 2..=4)) => write!(f, "vec{n}<{element}>"),
                (_, Some(n)) => write!(f, "array<{element}, {n}>"),
                (_, None) => write!(f, "array<{element}>"),
            },
            Self::Struct(members) => {
                f.write_str("{ ")?;
                for (index, member) in members.iter().enumerate() {
                    write!(f, "{}{member}", if index == 0 { "" } else { ", " })?;
                }
                f.write_str(" }")
            }
            Self::Placed { shape, .. } => shape.fmt(f),
        }
    }
}

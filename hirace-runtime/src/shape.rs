//! The structure of Rust types in terms of WGSL.

use std::fmt;

/// A scalar type that Rust and WGSL share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
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
    /// `f16`.
    F16,
}

impl Scalar {
    /// Returns the size in bytes, which is also the size in memory.
    pub const fn bytes(self) -> u32 {
        match self {
            Self::F16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::I64 | Self::U64 => 8,
        }
    }

    /// Formats the value of this type with these bits; `None` for infinities and NaN.
    pub fn show(self, bits: u64) -> Option<String> {
        match self {
            Self::F32 => shown(f32::from_bits(bits as u32)),
            Self::F16 => shown(half(bits as u16)),
            Self::I32 => Some((bits as i32).to_string()),
            Self::U32 => Some((bits as u32).to_string()),
            Self::I64 => Some((bits as i64).to_string()),
            Self::U64 => Some(bits.to_string()),
        }
    }

    /// Returns the name in WGSL, or in naga for types that WGSL does not have.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::F16 => "f16",
        }
    }
}

fn shown(x: f32) -> Option<String> {
    x.is_finite().then(|| x.to_string())
}

/// Converts the bits of an IEEE 754 `f16`: 10 bits of fraction, 5 bits of exponent, and the sign.
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    let size = match (exponent, fraction) {
        (0, _) => fraction * 2f32.powi(-24),
        (31, 0.0) => f32::INFINITY,
        (31, _) => f32::NAN,
        _ => (1024.0 + fraction) * 2f32.powi(exponent - 25),
    };
    if bits >> 15 == 0 { size } else { -size }
}

/// The structure of a Rust type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Shape {
    /// A scalar.
    Scalar(Scalar),
    /// A vector of this number of scalars.
    Vector(Scalar, u32),
    /// A matrix of this number of columns, each a vector of this number of scalars.
    Matrix(Scalar, u32, u32),
    /// An array of this number of elements; `None` for a slice or `Vec`, whose length depends on the value.
    Array(Box<Shape>, Option<u32>),
    /// A struct or a tuple of these members.
    Struct(Vec<Shape>),
    /// A member of a struct with an alignment or a size of its own, as `@align` and `@size` of WGSL give.
    Placed {
        /// The shape of the member.
        shape: Box<Shape>,
        /// The alignment in bytes, if one was given.
        align: Option<u32>,
        /// The size in bytes, if one was given.
        size: Option<u32>,
    },
}

impl Shape {
    /// Creates an array of `count` elements.
    pub fn array(element: Self, count: Option<u32>) -> Self {
        Self::Array(Box::new(element), count)
    }

    /// Returns the total size of the scalars in bytes, without padding; `None` if it depends on the value. A buffer
    /// holds more, depending on the layout. The size is in bytes because scalars have different sizes.
    pub fn packed(&self) -> Option<u64> {
        let of = |scalar: &Scalar| u64::from(scalar.bytes());
        match self {
            Self::Scalar(scalar) => Some(of(scalar)),
            Self::Vector(scalar, count) => Some(of(scalar) * u64::from(*count)),
            Self::Matrix(scalar, columns, rows) => {
                of(scalar).checked_mul(u64::from(*columns) * u64::from(*rows))
            }
            Self::Array(element, count) => element.packed()?.checked_mul(u64::from((*count)?)),
            Self::Struct(members) => members.iter().map(Self::packed).sum(),
            Self::Placed { shape, .. } => shape.packed(),
        }
    }

    /// Returns the scalar type, if all scalars have the same one.
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

    /// Returns the shape without vectors, matrices, alignments and sizes: only scalars, arrays and structs.
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

/// Formats the shape as a WGSL type.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_they_are() {
        let half = |bits| Scalar::F16.show(bits);
        assert_eq!(half(0x3800).as_deref(), Some("0.5"));
        assert_eq!(half(0xfbff).as_deref(), Some("-65504"));
        assert_eq!(half(0x0001).as_deref(), Some("0.000000059604645"));
        assert_eq!(half(0x0400).as_deref(), Some("0.000061035156"));
        assert_eq!((half(0x7c00), half(0x7e00)), (None, None));
        assert_eq!(Scalar::I64.show(u64::MAX).as_deref(), Some("-1"));
    }
}

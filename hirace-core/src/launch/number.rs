//! Numbers: how they are written, and how they are stored in memory.

pub use crate::facts::Number;
use crate::ir::scalars::ScalarSlot;
use half::f16;
use naga::{Scalar, ScalarKind};
use std::cmp::Ordering;

#[doc(hidden)]
impl Number {
    /// Parses `12`, `-3`, `0xff`, `2.5` or `1e-3`, with or without WGSL's suffixes `u`, `i`, `f`, `h`.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return None;
        }
        let sign = if negative { -1 } else { 1 };
        if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            let hex = hex.strip_suffix(['u', 'i']).unwrap_or(hex);
            return u64::from_str_radix(hex, 16).ok().map(|n| Self::Int(sign * i128::from(n)));
        }
        let plain = digits.strip_suffix(['u', 'i', 'f', 'h']).unwrap_or(digits);
        if let Ok(n) = plain.parse::<u64>() {
            return Some(Self::Int(sign * i128::from(n)));
        }
        plain.parse::<f64>().ok().map(|n| Self::Float(n * sign as f64))
    }

    /// Returns the nearest f64.
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Int(n) => n as f64,
            Self::Float(x) => x,
        }
    }

    /// Returns the little-endian bytes of this number as a `scalar`, if the number is exactly representable. Floats are rounded
    /// to the nearest; they become infinite only if the number is infinite.
    pub fn encode(self, scalar: Scalar) -> Option<Encoded> {
        let int = match self {
            Self::Int(n) => Some(n),
            Self::Float(x) if x.fract() == 0.0 && x.abs() < 1e30 => Some(x as i128),
            Self::Float(_) => None,
        };
        let finite = |rounded: bool| (rounded || !self.to_f64().is_finite()).then_some(());
        Some(match (scalar.kind, scalar.width) {
            (ScalarKind::Uint, 2) => Encoded::new(&u16::try_from(int?).ok()?.to_le_bytes()),
            (ScalarKind::Uint, 4) => Encoded::new(&u32::try_from(int?).ok()?.to_le_bytes()),
            (ScalarKind::Uint, 8) => Encoded::new(&u64::try_from(int?).ok()?.to_le_bytes()),
            (ScalarKind::Sint, 2) => Encoded::new(&i16::try_from(int?).ok()?.to_le_bytes()),
            (ScalarKind::Sint, 4) => Encoded::new(&i32::try_from(int?).ok()?.to_le_bytes()),
            (ScalarKind::Sint, 8) => Encoded::new(&i64::try_from(int?).ok()?.to_le_bytes()),
            (ScalarKind::Float, 2) => {
                let x = f16::from_f64(self.to_f64());
                finite(x.is_finite())?;
                Encoded::new(&x.to_le_bytes())
            }
            (ScalarKind::Float, 4) => {
                let x = self.to_f64() as f32;
                finite(x.is_finite())?;
                Encoded::new(&x.to_le_bytes())
            }
            (ScalarKind::Float, 8) => Encoded::new(&self.to_f64().to_le_bytes()),
            _ => return None,
        })
    }

    /// Decodes a number from its little-endian bytes as a `scalar`.
    pub fn decode(bytes: &[u8], scalar: Scalar) -> Option<Self> {
        Some(match (scalar.kind, scalar.width) {
            (ScalarKind::Uint, 2) => Self::Int(u16::from_le_bytes(bytes.try_into().ok()?).into()),
            (ScalarKind::Uint, 4) => Self::Int(u32::from_le_bytes(bytes.try_into().ok()?).into()),
            (ScalarKind::Uint, 8) => Self::Int(u64::from_le_bytes(bytes.try_into().ok()?).into()),
            (ScalarKind::Sint, 2) => Self::Int(i16::from_le_bytes(bytes.try_into().ok()?).into()),
            (ScalarKind::Sint, 4) => Self::Int(i32::from_le_bytes(bytes.try_into().ok()?).into()),
            (ScalarKind::Sint, 8) => Self::Int(i64::from_le_bytes(bytes.try_into().ok()?).into()),
            (ScalarKind::Float, 2) => {
                Self::Float(f16::from_le_bytes(bytes.try_into().ok()?).into())
            }
            (ScalarKind::Float, 4) => {
                Self::Float(f32::from_le_bytes(bytes.try_into().ok()?).into())
            }
            (ScalarKind::Float, 8) => Self::Float(f64::from_le_bytes(bytes.try_into().ok()?)),
            _ => return None,
        })
    }

    /// Reads the number in a slot of a buffer with these bytes.
    pub fn read(slot: ScalarSlot, bytes: &[u8]) -> Option<Self> {
        let start = slot.offset as usize;
        Self::decode(bytes.get(start..start + usize::from(slot.scalar.width))?, slot.scalar)
    }

    /// Returns whether the number is equal to `expected`. Floats may differ by `tolerance`, or by `tolerance` times the magnitude
    /// of `expected` if that is more than 1. NaN is equal to NaN.
    pub fn is_close(self, expected: Self, tolerance: f64) -> bool {
        match (self, expected) {
            (Self::Float(is), Self::Float(expected)) => {
                let bound = tolerance * expected.abs().max(1.0);
                let are_none = is.is_nan() && expected.is_nan();
                is == expected || (is - expected).abs() <= bound || are_none
            }
            _ => self == expected,
        }
    }

    /// Returns the ordering of two numbers of one type. Floats have a total order, including NaN.
    pub fn in_order(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Int(one), Self::Int(other)) => one.cmp(&other),
            (one, other) => one.to_f64().total_cmp(&other.to_f64()),
        }
    }

    /// Returns whether encoding as a `scalar` loses nothing.
    pub fn fits_exactly(self, scalar: Scalar) -> bool {
        let rounded = match (scalar.kind, scalar.width) {
            (ScalarKind::Float, 2) => f16::from_f64(self.to_f64()).to_f64(),
            (ScalarKind::Float, 4) => f64::from(self.to_f64() as f32),
            (ScalarKind::Float, _) => self.to_f64(),
            _ => return self.encode(scalar).is_some(),
        };
        match self {
            Self::Int(n) => rounded.is_finite() && rounded as i128 == n,
            Self::Float(x) => rounded == x || x.is_nan(),
        }
    }
}

/// The bytes of a scalar, at most 8.
#[derive(Clone, Copy, Debug)]
pub struct Encoded {
    bytes: [u8; 8],
    length: usize,
}

impl Encoded {
    fn new<const N: usize>(scalar: &[u8; N]) -> Self {
        let mut bytes = [0; 8];
        bytes[..N].copy_from_slice(scalar);
        Self { bytes, length: N }
    }
}

impl std::ops::Deref for Encoded {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Returns the WGSL name of a scalar type.
pub fn scalar_name(scalar: Scalar) -> String {
    let kind = match scalar.kind {
        ScalarKind::Sint | ScalarKind::AbstractInt => "i",
        ScalarKind::Uint => "u",
        ScalarKind::Float | ScalarKind::AbstractFloat => "f",
        ScalarKind::Bool => return "bool".to_owned(),
    };
    format!("{kind}{}", u32::from(scalar.width) * 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_all_their_forms() {
        assert_eq!(Number::parse("12"), Some(Number::Int(12)));
        assert_eq!(Number::parse("12u"), Some(Number::Int(12)));
        assert_eq!(Number::parse("-0x10"), Some(Number::Int(-16)));
        assert_eq!(Number::parse("1e3"), Some(Number::Float(1000.0)));
        assert_eq!(Number::parse("-.5f"), Some(Number::Float(-0.5)));
        for wrong in ["", "-", "nan", "inf", "0x", "1.2.3", "--1", "4k"] {
            assert_eq!(Number::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_number_is_encoded_only_where_it_fits() {
        let encoded = |number: Number, scalar| number.encode(scalar).map(|bytes| bytes.to_vec());
        let f16 = Scalar { kind: ScalarKind::Float, width: 2 };
        assert_eq!(encoded(Number::Int(-1), Scalar::I32), Some(vec![0xff; 4]));
        assert_eq!(encoded(Number::Int(-1), Scalar::U32), None);
        assert_eq!(encoded(Number::Int(1 << 32), Scalar::U32), None);
        assert_eq!(encoded(Number::Float(2.0), Scalar::U32), Some(2u32.to_le_bytes().to_vec()));
        assert_eq!(encoded(Number::Float(2.5), Scalar::U32), None);
        assert_eq!(encoded(Number::Int(3), Scalar::F32), Some(3f32.to_le_bytes().to_vec()));
        assert_eq!(encoded(Number::Float(1e39), Scalar::F32), None);
        assert_eq!(encoded(Number::Float(0.5), f16), Some(vec![0, 0x38]));
        assert_eq!(encoded(Number::Int(70000), f16), None);
        assert_eq!(encoded(Number::Int(1), Scalar::BOOL), None);
    }

    #[test]
    fn decode_inverts_encode() {
        use ScalarKind::{Float, Sint, Uint};
        let numbers =
            [(Uint, Number::Int(40_000)), (Sint, Number::Int(-3)), (Float, Number::Float(-0.5))];
        for ((kind, number), width) in numbers.into_iter().flat_map(|of| [2, 4, 8].map(|w| (of, w)))
        {
            let scalar = Scalar { kind, width };
            let bytes = number.encode(scalar).unwrap();
            assert_eq!(Number::decode(&bytes, scalar), Some(number), "{scalar:?}");
            assert_eq!(Number::decode(&bytes[1..], scalar), None, "{scalar:?}");
        }
        assert_eq!(Number::decode(&[1], Scalar::BOOL), None);
    }
}

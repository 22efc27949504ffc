//! Computes the location of a value's scalars in a buffer, by WGSL's rules for storage and uniform memory.

use crate::shape::{Scalar, Shape};
use std::fmt;

/// Returns the size of a scalar in bytes.
fn bytes_of(scalar: Scalar) -> u64 {
    u64::from(scalar.bytes())
}

/// The size and the alignment of a type in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The size in bytes; for a type that ends with a runtime-sized array, the size without that array.
    pub size: u64,
    /// The alignment in bytes.
    pub align: u64,
}

/// The error for a value that cannot be stored in a buffer: a part of unknown length is not the last one, or there are
/// fewer bytes or scalars than the type has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LayoutError;

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("values of this type cannot be stored in a buffer")
    }
}

impl std::error::Error for LayoutError {}

impl Layout {
    /// Computes the layout of a type.
    pub fn of(shape: &Shape) -> Self {
        match shape {
            Shape::Scalar(scalar) => Self { size: bytes_of(*scalar), align: bytes_of(*scalar) },
            Shape::Vector(scalar, count) => {
                let (own, lanes) = (bytes_of(*scalar), u64::from(*count));
                Self { size: own * lanes, align: own * lanes.next_power_of_two() }
            }
            Shape::Matrix(scalar, columns, rows) => {
                Self::of(&Shape::array(Shape::Vector(*scalar, *rows), Some(*columns)))
            }
            Shape::Array(element, count) => {
                let element = Self::of(element);
                let count = u64::from(count.unwrap_or(0));
                Self { size: element.stride().saturating_mul(count), align: element.align }
            }
            Shape::Struct(members) => {
                let mut all = Self { size: 0, align: 1 };
                for member in members {
                    let member = Self::of(member);
                    all.align = all.align.max(member.align);
                    all.size = up(all.size, member.align).saturating_add(member.size);
                }
                Self { size: up(all.size, all.align), ..all }
            }
            Shape::Placed { shape, align, size } => {
                let own = Self::of(shape);
                Self {
                    size: size.map_or(own.size, |size| own.size.max(size.into())),
                    align: align.map_or(own.align, |align| own.align.max(align.into())),
                }
            }
        }
    }

    /// Returns the stride of an array of this type in bytes.
    pub fn stride(self) -> u64 {
        up(self.size, self.align)
    }
}

/// Rounds `at` up to a multiple of `align`.
fn up(at: u64, align: u64) -> u64 {
    at.checked_next_multiple_of(align.max(1)).unwrap_or(u64::MAX)
}

impl Shape {
    /// Returns the bytes of a value in a buffer, given the bytes of its scalars in order, little-endian. Padding is 0.
    pub fn bytes(&self, scalars: &[u8]) -> Result<Vec<u8>, LayoutError> {
        let mut bytes = Vec::new();
        let mut left = scalars;
        self.walk(scalars.len() as u64, 0, &mut |at, length| {
            let own = left.split_off(..length).ok_or(LayoutError)?;
            bytes.resize(bytes.len().max(at), 0);
            bytes.extend(own);
            Ok(())
        })?;
        let end = Layout::of(self).size.max(up(bytes.len() as u64, Layout::of(self).align));
        bytes.resize(usize::try_from(end).or(Err(LayoutError))?, 0);
        Ok(bytes)
    }

    /// Returns the bytes of a value's scalars in order, given the bytes of a buffer.
    pub fn read(&self, bytes: &[u8]) -> Result<Vec<u8>, LayoutError> {
        let mut scalars = Vec::new();
        let count = self.count_in(bytes.len() as u64);
        self.walk(count, 0, &mut |at, length| {
            let own = bytes.get(at..).and_then(|rest| rest.get(..length)).ok_or(LayoutError)?;
            scalars.extend(own);
            Ok(())
        })?;
        Ok(scalars)
    }

    /// Returns the number of bytes of scalars in this number of bytes of a buffer. A runtime-sized array at the end has
    /// as many elements as fit.
    fn count_in(&self, bytes: u64) -> u64 {
        match self {
            Self::Array(element, None) => {
                let stride = Layout::of(element).stride().max(1);
                (bytes / stride).saturating_mul(element.packed().unwrap_or(0))
            }
            Self::Struct(members) => match members.split_last() {
                Some((last, before)) if last.packed().is_none() => {
                    let end = before.iter().fold(0, |end, member| {
                        let member = Layout::of(member);
                        up(end, member.align).saturating_add(member.size)
                    });
                    let start = up(end, Layout::of(last).align.max(1));
                    let fixed = before.iter().filter_map(Self::packed).sum::<u64>();
                    fixed + last.count_in(bytes.saturating_sub(start))
                }
                _ => self.packed().unwrap_or(0),
            },
            Self::Placed { shape, .. } => shape.count_in(bytes),
            _ => self.packed().unwrap_or(0),
        }
    }

    /// Calls `show` with the offset and the length of each contiguous run of scalars in a value that has `count` bytes
    /// of them.
    fn walk(
        &self,
        count: u64,
        at: u64,
        show: &mut dyn FnMut(usize, usize) -> Result<(), LayoutError>,
    ) -> Result<(), LayoutError> {
        match self {
            Self::Scalar(_) | Self::Vector(..) => {
                let length = usize::try_from(self.packed().unwrap_or(0)).or(Err(LayoutError))?;
                show(usize::try_from(at).or(Err(LayoutError))?, length)
            }
            Self::Matrix(scalar, columns, rows) => {
                let column = Self::Vector(*scalar, *rows);
                let stride = Layout::of(&column).stride();
                (0..u64::from(*columns)).try_for_each(|i| column.walk(0, at + stride * i, show))
            }
            Self::Array(element, length) => {
                let stride = Layout::of(element).stride();
                let each = element.packed().ok_or(LayoutError)?;
                let length = match length {
                    Some(length) => u64::from(*length),
                    None if each == 0 => 0,
                    None => count / each,
                };
                (0..length).try_for_each(|i| element.walk(each, at + stride * i, show))
            }
            Self::Struct(members) => {
                let (mut at, mut left) = (at, count);
                for (index, member) in members.iter().enumerate() {
                    let Layout { size, align } = Layout::of(member);
                    at = up(at, align);
                    let own = match member.packed() {
                        Some(own) => own,
                        None if index + 1 == members.len() => left,
                        None => return Err(LayoutError),
                    };
                    member.walk(own, at, show)?;
                    left = left.saturating_sub(own);
                    at = at.saturating_add(size);
                }
                Ok(())
            }
            Self::Placed { shape, .. } => shape.walk(count, at, show),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const F: Shape = Shape::Scalar(Scalar::F32);
    const V3: Shape = Shape::Vector(Scalar::F32, 3);

    fn places(shape: &Shape, count: u64) -> Vec<(usize, usize)> {
        let mut places = Vec::new();
        shape
            .walk(count, 0, &mut |at, length| {
                places.push((at, length));
                Ok(())
            })
            .unwrap();
        places
    }

    #[test]
    fn vectors_are_padded_and_arrays_are_not() {
        let slice = Shape::array(V3, None);
        assert_eq!(places(&slice, 24), [(0, 12), (16, 12)]);
        assert_eq!(slice.bytes(&[1; 24]).unwrap().len(), 32);
        let slice = Shape::array(Shape::array(F, Some(3)), None);
        assert_eq!(places(&slice, 24), [0, 4, 8, 12, 16, 20].map(|at| (at, 4)));
        let matrix = Shape::Matrix(Scalar::F32, 2, 3);
        assert_eq!(places(&matrix, 24), [(0, 12), (16, 12)]);
        assert_eq!(Layout::of(&matrix), Layout { size: 32, align: 16 });
    }

    #[test]
    fn members_are_aligned_and_may_be_placed() {
        let pair = Shape::Struct(vec![F, V3, F]);
        assert_eq!(places(&pair, 20), [(0, 4), (16, 12), (28, 4)]);
        assert_eq!(Layout::of(&pair), Layout { size: 32, align: 16 });
        let far = Shape::Placed { shape: Box::new(F), align: Some(64), size: Some(16) };
        let placed = Shape::Struct(vec![F, far, F]);
        assert_eq!(places(&placed, 12), [(0, 4), (64, 4), (80, 4)]);
        assert_eq!(Layout::of(&placed), Layout { size: 128, align: 64 });
    }

    #[test]
    fn numbers_of_16_bits_lie_in_two_bytes() {
        let half = Shape::Scalar(Scalar::F16);
        let mixed = Shape::Struct(vec![half.clone(), half.clone(), F, half.clone()]);
        assert_eq!(places(&mixed, 10), [(0, 2), (2, 2), (4, 4), (8, 2)]);
        assert_eq!(Layout::of(&mixed), Layout { size: 12, align: 4 });
        let pair = Shape::Struct(vec![half.clone(), Shape::array(half.clone(), Some(2))]);
        assert_eq!(Layout::of(&pair), Layout { size: 6, align: 2 });
        let list = Shape::array(half, None);
        let bytes: Vec<u8> = (1..=6).collect();
        assert_eq!(list.bytes(&bytes).unwrap(), bytes);
        assert_eq!(list.read(&bytes).unwrap(), bytes);
        assert_eq!(Layout::of(&Shape::Vector(Scalar::F16, 3)), Layout { size: 6, align: 8 });
        let list = Shape::array(mixed, None);
        let bytes: Vec<u8> = (1..=20).collect();
        assert_eq!(list.read(&list.bytes(&bytes).unwrap()).unwrap(), bytes);
    }

    #[test]
    fn numbers_of_64_bits_lie_in_eight_bytes() {
        let wide = Shape::Scalar(Scalar::U64);
        let mixed = Shape::Struct(vec![F, wide.clone(), F]);
        assert_eq!(places(&mixed, 16), [(0, 4), (8, 8), (16, 4)]);
        assert_eq!(Layout::of(&mixed), Layout { size: 24, align: 8 });
        let list = Shape::array(mixed, None);
        let scalars: Vec<u8> = (1..=32).collect();
        let bytes = list.bytes(&scalars).unwrap();
        assert_eq!(bytes.len(), 48);
        assert_eq!(bytes[8..16], scalars[4..12]);
        assert_eq!(list.read(&bytes).unwrap(), scalars);
    }

    #[test]
    fn what_is_written_is_read() {
        let list = Shape::Struct(vec![F, Shape::array(V3, None)]);
        let scalars: Vec<u8> = (1..=28).collect();
        let bytes = list.bytes(&scalars).unwrap();
        assert_eq!(bytes.len(), 48);
        assert_eq!(list.read(&bytes).unwrap(), scalars);
        let two = Shape::Struct(vec![Shape::array(F, None), F]);
        assert_eq!(two.bytes(&scalars), Err(LayoutError));
        assert_eq!(V3.read(&[0; 8]), Err(LayoutError));
        assert_eq!(V3.bytes(&[0; 2]), Err(LayoutError));
    }
}

//! Reads numbers from `.npy` files.

use super::number::Number;
use crate::bounded::find_deep_nesting;
use ndarray::ArrayD;
use ndarray_npy::ReadNpyExt;
use ndarray_npy::npy::header::Header;
use std::io::Read;

/// The maximum size of a header. Plain arrays need some hundred bytes; larger headers are refused.
const MAX_HEADER: usize = 4096;

/// The maximum number of nested brackets in a header. Plain arrays need two. The time of the parser doubles with each of them.
const MAX_NESTING: usize = 6;

/// The number of bytes that contain the length of the header, in any version of the format.
const PREAMBLE: usize = 12;

/// The elements of an array in row-major order, with the width that they have in the file.
pub struct Elements {
    count: usize,
    get: Box<dyn Fn(usize) -> Option<Number>>,
}

impl Elements {
    /// Reads a `.npy` file whose elements take at most `most` bytes. The error is a sentence about the file.
    pub fn read(mut from: impl Read, most: u32) -> Result<Self, String> {
        let mut bytes = header_bytes(&mut from)?;
        let header = Header::from_reader(&mut &bytes[..]).map_err(|error| error.to_string())?;
        let dtype = header.type_descriptor.to_string();
        let dtype = dtype.trim_matches('\'').trim_start_matches(['<', '>', '|', '=']).to_owned();
        let promised = promised(&header, &dtype, most)?;
        // Reads one byte more, to detect a file that is longer than its header says.
        let rest = from.take(promised + 1).read_to_end(&mut bytes);
        rest.map_err(|error| error.to_string())?;
        if ((bytes.len() - header_length(&bytes)) as u64) < promised {
            return Err(format!("it is too short for its shape {:?}", header.shape));
        }
        match dtype.as_str() {
            "i1" => Self::of(&bytes, |n: i8| Number::Int(n.into())),
            "i2" => Self::of(&bytes, |n: i16| Number::Int(n.into())),
            "i4" => Self::of(&bytes, |n: i32| Number::Int(n.into())),
            "i8" => Self::of(&bytes, |n: i64| Number::Int(n.into())),
            "u1" => Self::of(&bytes, |n: u8| Number::Int(n.into())),
            "u2" => Self::of(&bytes, |n: u16| Number::Int(n.into())),
            "u4" => Self::of(&bytes, |n: u32| Number::Int(n.into())),
            "u8" => Self::of(&bytes, |n: u64| Number::Int(n.into())),
            "f4" => Self::of(&bytes, |x: f32| Number::Float(x.into())),
            "f8" => Self::of(&bytes, |x: f64| Number::Float(x)),
            _ => Err(format!(
                "elements of dtype {dtype} are not supported: convert to int32, uint32 or float32 first"
            )),
        }
    }

    fn of<T>(bytes: &[u8], number: fn(T) -> Number) -> Result<Self, String>
    where
        T: ndarray_npy::ReadableElement + Copy + 'static,
    {
        let array = ArrayD::<T>::read_npy(bytes).map_err(|error| error.to_string())?;
        let count = array.len();
        let list: Vec<T> = match array.is_standard_layout() {
            true => array.into_raw_vec_and_offset().0,
            false => array.iter().copied().collect(),
        };
        Ok(Self { count, get: Box::new(move |index| list.get(index).copied().map(number)) })
    }

    /// Returns the number of elements.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the element at `index`.
    pub fn get(&self, index: usize) -> Option<Number> {
        (self.get)(index)
    }
}

/// Reads the part before the elements, if it is short enough to parse.
fn header_bytes(from: &mut impl Read) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut up_to = |bytes: &mut Vec<u8>, length: usize| {
        let missing = length.saturating_sub(bytes.len()) as u64;
        from.take(missing).read_to_end(bytes).map_err(|error| error.to_string())
    };
    up_to(&mut bytes, PREAMBLE)?;
    if bytes.len() < PREAMBLE {
        return Err("it is too short for a .npy file".to_owned());
    }
    let length = header_length(&bytes);
    if length > MAX_HEADER {
        return Err(format!(
            "its header has {length} bytes, which is more than a plain array needs"
        ));
    }
    up_to(&mut bytes, length)?;
    match find_deep_nesting(&bytes, &[*b"{}", *b"[]", *b"()"], MAX_NESTING) {
        None => Ok(bytes),
        Some(_) => Err("its header is nested more deeply than a plain array needs".to_owned()),
    }
}

/// Returns the offset of the elements, from the first bytes of the file.
fn header_length(bytes: &[u8]) -> usize {
    match (bytes.get(6), bytes.get(8..PREAMBLE)) {
        (Some(1), Some(field)) => 10 + usize::from(u16::from_le_bytes([field[0], field[1]])),
        (_, Some(field)) => {
            let length = u32::from_le_bytes([field[0], field[1], field[2], field[3]]);
            PREAMBLE.saturating_add(length as usize)
        }
        _ => 0,
    }
}

/// Returns the number of bytes of elements that the header specifies. More than a buffer holds is an error, before any memory is
/// allocated.
fn promised(header: &Header, dtype: &str, most: u32) -> Result<u64, String> {
    let width = dtype.chars().last().and_then(|c| c.to_digit(10)).unwrap_or(1).max(1);
    let shape = &header.shape;
    let count = shape.iter().try_fold(1u64, |product, &n| product.checked_mul(n as u64));
    // An element of a file may be twice as wide as an element of the buffer.
    let bytes = count.and_then(|count| count.checked_mul(width.into()));
    bytes.filter(|&bytes| bytes <= 2 * u64::from(most)).ok_or_else(|| {
        format!("its shape {shape:?} is larger than the buffer limit of {} MiB", most >> 20)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{ShapeBuilder, array};
    use ndarray_npy::WriteNpyExt;

    fn file<T: ndarray_npy::WritableElement>(array: &ndarray::Array2<T>) -> Vec<u8> {
        let mut bytes = Vec::new();
        array.write_npy(&mut bytes).unwrap();
        bytes
    }

    fn read(bytes: &[u8]) -> Result<Elements, String> {
        Elements::read(bytes, 1 << 30)
    }

    #[test]
    fn elements_come_in_row_major_order_whatever_the_order_of_the_file() {
        let rows = array![[1.5f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
        let mut columns = ndarray::Array2::<f32>::zeros((2, 3).f());
        columns.assign(&rows);
        for bytes in [file(&rows), file(&columns)] {
            let elements = read(&bytes).unwrap();
            assert_eq!(elements.count(), 6);
            assert_eq!(elements.get(0), Some(Number::Float(1.5)));
            assert_eq!(elements.get(3), Some(Number::Float(4.0)));
            assert_eq!(elements.get(6), None);
        }
    }

    #[test]
    fn non_numeric_arrays_are_refused_with_a_message() {
        assert!(read(b"").err().unwrap().contains("too short"));
        assert!(read(&[0; 200]).is_err());
        let booleans = file(&array![[true]]);
        assert!(read(&booleans).err().unwrap().contains("b1"));
        let mut cut = file(&array![[1u32, 2, 3, 4]]);
        cut.truncate(cut.len() - 4);
        assert!(read(&cut).is_err());
    }

    #[test]
    fn a_shape_larger_than_the_file_sets_no_memory_aside() {
        let mut bytes = file(&array![[1u8]]);
        let shape = b"(1, 1)";
        let huge = b"(99999999999999, 99999999999999)";
        let at = bytes.windows(shape.len()).position(|window| window == shape).unwrap();
        bytes.splice(at..at + shape.len(), huge.iter().copied());
        let length = u16::from_le_bytes([bytes[8], bytes[9]]) + (huge.len() - shape.len()) as u16;
        bytes[8..10].copy_from_slice(&length.to_le_bytes());
        assert!(read(&bytes).err().unwrap().contains("larger than the buffer limit of 1024 MiB"));
    }

    #[test]
    fn no_more_is_read_than_is_promised() {
        let mut endless = file(&array![[1u32, 2]]).into_iter().chain(std::iter::repeat(0));
        let mut taken = 0;
        let from = std::io::BufReader::with_capacity(
            1,
            CountingReader(std::iter::from_fn(|| {
                taken += 1;
                endless.next()
            })),
        );
        assert!(Elements::read(from, 1 << 30).is_err());
        assert!(taken < 200, "{taken}");
    }

    struct CountingReader<I>(I);

    impl<I: Iterator<Item = u8>> Read for CountingReader<I> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            Ok(buffer.iter_mut().zip(&mut self.0).map(|(to, from)| *to = from).count())
        }
    }

    #[test]
    fn a_header_with_nested_brackets_is_refused_at_once() {
        let header = "{".repeat(60) + &" ".repeat(58);
        let bytes = [b"\x93NUMPY\x01\x00\x76\x00", header.as_bytes()].concat();
        let refused = Elements::read(&bytes[..], 64).err();
        let message = "its header is nested more deeply than a plain array needs";
        assert_eq!(refused.as_deref(), Some(message));
    }
}

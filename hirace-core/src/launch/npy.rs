//! Numbers out of `.npy` files.

use super::elements::Elements;
use ndarray::ArrayD;
use ndarray_npy::ReadNpyExt;
use ndarray_npy::npy::header::Header;

/// A header is some hundred bytes; what claims more is not worth parsing.
const MAX_HEADER: usize = 4096;

/// Reads the contents of a `.npy` file. The error is a sentence about them.
pub fn read(bytes: &[u8]) -> Result<Elements, String> {
    let header = header(bytes)?;
    let dtype = header.type_descriptor.to_string();
    let dtype = dtype.trim_matches('\'');
    check_size(&header, dtype, bytes.len())?;
    fn array<T, U>(bytes: &[u8], widen: impl Fn(T) -> U) -> Result<Vec<U>, String>
    where
        T: ndarray_npy::ReadableElement + Copy,
    {
        let array = ArrayD::<T>::read_npy(bytes).map_err(|error| error.to_string())?;
        Ok(array.iter().copied().map(widen).collect())
    }
    match dtype.trim_start_matches(['<', '>', '|', '=']) {
        "i1" => array(bytes, |n: i8| n.into()).map(Elements::Int),
        "i2" => array(bytes, |n: i16| n.into()).map(Elements::Int),
        "i4" => array(bytes, |n: i32| n.into()).map(Elements::Int),
        "i8" => array(bytes, |n: i64| n).map(Elements::Int),
        "u1" => array(bytes, |n: u8| n.into()).map(Elements::Int),
        "u2" => array(bytes, |n: u16| n.into()).map(Elements::Int),
        "u4" => array(bytes, |n: u32| n.into()).map(Elements::Int),
        "u8" => array(bytes, |n: u64| n).map(Elements::Uint),
        "f4" => array(bytes, |x: f32| x.into()).map(Elements::Float),
        "f8" => array(bytes, |x: f64| x).map(Elements::Float),
        _ => Err(format!(
            "elements of dtype {dtype} are not supported: convert to int32, uint32 or float32 first"
        )),
    }
}

/// The header, once it is known to be short enough to parse.
fn header(bytes: &[u8]) -> Result<Header, String> {
    let length = match (bytes.get(6), bytes.get(8..12)) {
        (Some(1), Some(field)) => usize::from(u16::from_le_bytes([field[0], field[1]])),
        (Some(_), Some(field)) => {
            u32::from_le_bytes([field[0], field[1], field[2], field[3]]) as usize
        }
        _ => return Err("it is too short for a .npy file".to_owned()),
    };
    if length > MAX_HEADER {
        return Err(format!("its header claims {length} bytes, which no plain array needs"));
    }
    Header::from_reader(&mut &bytes[..]).map_err(|error| error.to_string())
}

/// Refuses a shape that the file is too short for, before memory is set aside for it.
fn check_size(header: &Header, dtype: &str, file_bytes: usize) -> Result<(), String> {
    let width = dtype.chars().last().and_then(|c| c.to_digit(10)).unwrap_or(1).max(1) as usize;
    let bytes = header.shape.iter().try_fold(width, |product, &n| product.checked_mul(n));
    match bytes {
        Some(bytes) if bytes <= file_bytes => Ok(()),
        _ => Err(format!("it is too short for its shape {:?}", header.shape)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::number::Number;
    use super::*;
    use ndarray::{ShapeBuilder, array};
    use ndarray_npy::WriteNpyExt;

    fn file<T: ndarray_npy::WritableElement>(array: &ndarray::Array2<T>) -> Vec<u8> {
        let mut bytes = Vec::new();
        array.write_npy(&mut bytes).unwrap();
        bytes
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
    fn what_is_no_array_of_numbers_is_refused_in_words() {
        assert!(read(b"").unwrap_err().contains("too short"));
        assert!(read(&[0; 200]).is_err());
        let booleans = file(&array![[true]]);
        assert!(read(&booleans).unwrap_err().contains("b1"));
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
        assert!(read(&bytes).unwrap_err().contains("too short for its shape"));
    }
}

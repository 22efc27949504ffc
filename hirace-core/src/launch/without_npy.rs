//! What stands in for `.npy` files where hirace was built without the feature `npy`: none can be read.

use super::number::Number;
use std::io::Read;

/// The elements of an array, of which there is none here.
pub enum Elements {}

impl Elements {
    /// Refuses the file.
    pub fn read(_: impl Read, _: u32) -> Result<Self, String> {
        Err("this hirace was not built for .npy files: build it with the feature `npy`".to_owned())
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        match *self {}
    }

    /// The element at `index`.
    pub fn get(&self, _: usize) -> Option<Number> {
        match *self {}
    }
}

//! Assumptions: parts of a launch that were not given, with the values that were used instead.

use super::number::Number;
use crate::program::HostValue;

/// A part of a launch that was guessed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Assumption {
    /// The grids that were tried, in workgroups.
    Grids(Vec<[u32; 3]>),
    /// An override without a default.
    Override {
        /// The name of the override, or its number.
        name: String,
        /// The value that was assumed.
        value: f64,
    },
    /// A const parameter of a generic kernel.
    ConstParameter {
        /// The name of the parameter.
        name: String,
        /// The value that was assumed.
        value: u32,
    },
    /// Values that the host program supplies.
    Host(Vec<HostValue>),
    /// A buffer.
    Buffer {
        /// The name of the variable.
        variable: String,
        /// The number of elements, if it was guessed.
        elements: Option<u32>,
        /// The contents, if they were guessed.
        contents: Option<Contents>,
        /// Whether the buffer was enlarged to fit what the kernel accesses.
        grown: bool,
    },
    /// A texture.
    Texture {
        /// The name of the variable.
        variable: String,
        /// The number of texels in each dimension.
        size: [u32; 3],
        /// The contents, if they were guessed.
        contents: Option<Contents>,
    },
    /// A sampler of the host that is modeled as a simpler one: one filter mode and one address mode.
    Sampler {
        /// The name of the variable.
        variable: String,
    },
    /// Numbers that control the kernel: those of a parameter block, or of the head of a buffer.
    Parameters {
        /// The name of the variable.
        variable: String,
        /// The fields that were not given, with their values in the launch that is shown.
        fields: Vec<FieldValue>,
        /// The number of combinations of values that were tried.
        tried: usize,
    },
    /// The subgroup sizes that were tried.
    SubgroupSizes(Vec<u32>),
    /// One workgroup: the kernel reads no built-in value that differs between workgroups.
    OneWorkgroup,
}

/// A field of a variable, with its value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FieldValue {
    /// The path in the syntax of the source: `params.size`.
    pub path: String,
    /// The components of the value; a scalar has one.
    pub values: Vec<Number>,
}

/// The assumed contents of a buffer or texture.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Contents {
    /// Zeros; used for memory that is accessed atomically.
    Zeros,
    /// Random values.
    Random {
        /// The seed of the random generator.
        seed: u64,
        /// Whether atomics among the elements are zero.
        zero_atomics: bool,
    },
    /// A random permutation of the numbers below the number of elements.
    Permutation {
        /// The seed of the random generator.
        seed: u64,
    },
    /// The sequence 0, 1, 2 …
    Iota,
    /// The same number in every element.
    Fill(Number),
    /// Random numbers from 0 up to, but not including, a bound.
    Below {
        /// The exclusive bound.
        most: Number,
        /// The seed of the random generator.
        seed: u64,
    },
}

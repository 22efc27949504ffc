//! What was not given, and the value that was taken for it.

use super::number::Number;
use crate::program::HostValue;

/// A guess.
#[derive(Clone, Debug, PartialEq)]
pub enum Assumption {
    /// The grids that were tried, in workgroups.
    Grids(Vec<[u32; 3]>),
    /// An override without a default.
    Override {
        /// Its name, or its number.
        name: String,
        /// Its value.
        value: f64,
    },
    /// A const parameter of a generic kernel.
    ConstParameter {
        /// Its name.
        name: String,
        /// Its value.
        value: u32,
    },
    /// What the host gives.
    Host(Vec<HostValue>),
    /// A buffer.
    Buffer {
        /// The variable.
        variable: String,
        /// Its elements, if their number was guessed.
        elements: Option<u32>,
        /// Its contents, if they were.
        contents: Option<Contents>,
        /// Whether it grew to fit what the kernel touches.
        grown: bool,
    },
    /// A texture.
    Texture {
        /// The variable.
        variable: String,
        /// Its texels in each dimension.
        size: [u32; 3],
        /// Its contents, if they were guessed too.
        contents: Option<Contents>,
    },
    /// A sampler of a host's that is taken for a plainer one: one filter, one way to go past edges.
    Sampler {
        /// The variable.
        variable: String,
    },
    /// Numbers that steer the kernel: those of a parameter block, or of the head of a buffer.
    Parameters {
        /// The variable.
        variable: String,
        /// What was not given of it, with the values of the launch that is shown.
        fields: Vec<FieldValue>,
        /// How many choices of values were tried.
        tried: usize,
    },
    /// The subgroup sizes that were tried.
    SubgroupSizes(Vec<u32>),
    /// The kernel reads no id by which workgroups differ: it is meant for one.
    OneWorkgroup,
}

/// A field of a variable, with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldValue {
    /// As the source would say it: `params.size`.
    pub path: String,
    /// Its components; a scalar has one.
    pub values: Vec<Number>,
}

/// Guessed contents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Contents {
    /// Zeros: of what is used atomically.
    Zeros,
    /// Random.
    Random {
        /// From this seed.
        seed: u64,
        /// Whether atomics among them are zero.
        zero_atomics: bool,
    },
    /// Each number below the number of elements once, in a random order.
    Permutation {
        /// From this seed.
        seed: u64,
    },
    /// 0, 1, 2 …
    Iota,
    /// This number everywhere.
    Fill(Number),
    /// Random numbers from 0 to below this one.
    Below {
        /// The bound.
        most: Number,
        /// From this seed.
        seed: u64,
    },
}

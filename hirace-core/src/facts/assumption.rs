//! What was not given, and the value that was taken for it.

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
    /// The scalars of a parameter block, all of them.
    Parameters {
        /// The variable.
        variable: String,
        /// The values that were tried, in turn.
        values: Vec<ParameterValue>,
        /// The invocations in each dimension of the launch that is shown.
        invocations: [u32; 3],
    },
}

/// Guessed contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
}

/// What every scalar of a guessed parameter block is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterValue {
    /// The number of invocations: in x, or for components of vectors in x, y and z.
    Invocations,
    /// 1.
    One,
    /// 0.
    Zero,
}

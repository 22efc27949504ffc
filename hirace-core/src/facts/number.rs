//! A number as a user writes it.

/// A number from a flag, a configuration file or a `.npy` file, or a guessed number: an integer or not. There are no other kinds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A number written without a fraction, in decimal or hexadecimal.
    Int(i128),
    /// A number written with a fraction or an exponent.
    Float(f64),
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(n) => n.fmt(f),
            Self::Float(x) => x.fmt(f),
        }
    }
}

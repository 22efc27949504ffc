//! Functions that kernels of other files use.

use super::layout::{LIMIT, Params, WIDTH};

/// Returns twice a number.
#[hirace::monitor]
pub fn doubled(x: u32) -> u32 {
    2 * x
}

/// Takes one step of a walk; its parameter type is in a third file.
#[hirace::monitor]
pub(crate) fn advance(x: u32, params: Params) -> u32 {
    (doubled(x) + params.offset).min(LIMIT) % params.modulus
}

/// Returns the sum of a row of a tile.
#[hirace::monitor]
pub fn row(tile: &[[u32; WIDTH]; WIDTH], at: u32) -> u32 {
    let mut sum = 0;
    for i in 0..WIDTH as u32 {
        sum += tile[at][i];
    }
    sum
}

/// Copies the element at a position to the next position. This races if several invocations do it.
#[rustfmt::skip]
#[hirace::monitor]
pub fn shift(out: &mut [u32], at: u32) {
    out[at + 1] = out[at];
//  ^^^^^^^^^^^ race: write/read on out[..]
//                ^^^^^^^ race: read/write on out[..]
}

/// A module with a function of the same name as one outside.
pub mod deeper {
    /// Returns twice the position plus one.
    #[hirace::monitor]
    pub fn advance(x: u32) -> u32 {
        super::doubled(x) + 1
    }
}

//! Functions that kernels of other files use.

use super::layout::{LIMIT, Params, WIDTH};

/// A number in twice.
#[hirace::monitor]
pub fn doubled(x: u32) -> u32 {
    2 * x
}

/// A step of a walk: what it needs stands in a third file.
#[hirace::monitor]
pub(crate) fn advance(x: u32, params: Params) -> u32 {
    (doubled(x) + params.offset).min(LIMIT) % params.modulus
}

/// The sum of a row of a tile.
#[hirace::monitor]
pub fn row(tile: &[[u32; WIDTH]; WIDTH], at: u32) -> u32 {
    let mut sum = 0;
    for i in 0..WIDTH as u32 {
        sum += tile[at][i];
    }
    sum
}

/// Moves what stands at a place to its neighbour's. A race, if several do.
#[rustfmt::skip]
#[hirace::monitor]
pub fn shift(out: &mut [u32], at: u32) {
    out[at + 1] = out[at];
//  ^^^^^^^^^^^ race: write/read on out[..]
//                ^^^^^^^ race: read/write on out[..]
}

/// A walk with one step more than it takes.
pub mod deeper {
    /// One more.
    #[hirace::monitor]
    pub fn advance(x: u32) -> u32 {
        super::doubled(x) + 1
    }
}

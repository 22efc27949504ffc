//! Structs and constants.

/// Width of a tile.
#[hirace::monitor]
pub const WIDTH: usize = 4;

/// Number of invocations per workgroup.
#[hirace::monitor]
pub const SIZE: u32 = WIDTH as u32 * WIDTH as u32;

/// The upper limit of a position before the modulus is taken.
#[hirace::monitor]
pub const LIMIT: u32 = 1 << 20;

/// Parameters of a step.
#[hirace::monitor]
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Offset that a step adds.
    pub offset: u32,
    /// Modulus of the result of a step.
    pub modulus: u32,
}

/// A row of a tile.
#[hirace::monitor]
pub type Row = [u32; WIDTH];

/// A struct that contains another struct and a type alias.
#[hirace::monitor]
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Parameters of the steps.
    pub params: Params,
    /// Starting positions.
    pub starts: Row,
}

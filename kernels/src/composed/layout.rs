//! Structs and constants.

/// How wide a tile is.
#[hirace::monitor]
pub const WIDTH: usize = 4;

/// How many invocations a workgroup has.
#[hirace::monitor]
pub const SIZE: u32 = WIDTH as u32 * WIDTH as u32;

/// The greatest number.
#[hirace::monitor]
pub const LIMIT: u32 = 1 << 20;

/// What a step goes by.
#[hirace::monitor]
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Added.
    pub offset: u32,
    /// What is kept is below this.
    pub modulus: u32,
}

/// Numbers that go together.
#[hirace::monitor]
pub type Row = [u32; WIDTH];

/// A struct of what others are.
#[hirace::monitor]
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How to step.
    pub params: Params,
    /// Where from.
    pub starts: Row,
}

//! A type with stand-alone monitored `impl` blocks, one of them in another file.

/// A step in the plane.
#[hirace::monitor]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Distance along the first axis.
    pub x: i32,
    /// Distance along the second axis.
    pub y: i32,
}

#[hirace::monitor]
impl std::ops::Add for Step {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y }
    }
}

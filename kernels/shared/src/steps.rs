//! A type whose `impl`s stand by themselves, of which one is in another file.

/// How far to go.
#[hirace::monitor]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Along the first axis.
    pub x: i32,
    /// Along the second.
    pub y: i32,
}

#[hirace::monitor]
impl std::ops::Add for Step {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y }
    }
}

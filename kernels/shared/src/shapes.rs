//! A module that is monitored as a whole.

/// Discs.
#[hirace::monitor]
pub mod discs {
    use hirace::prelude::*;

    /// The number of discs.
    pub const COUNT: usize = 4;

    /// A disc.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Disc {
        /// Center of the disc.
        pub center: Vec2,
        /// Radius of the disc.
        pub radius: f32,
    }

    fn square(x: f32) -> f32 {
        x * x
    }

    /// Returns whether a point is in a disc.
    pub fn holds(disc: Disc, point: Vec2) -> bool {
        let away = point - disc.center;
        square(away.x) + square(away.y) <= square(disc.radius)
    }
}

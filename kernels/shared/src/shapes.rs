//! A module that is monitored as one.

/// Discs.
#[hirace::monitor]
pub mod discs {
    use hirace::prelude::*;

    /// How many there are.
    pub const COUNT: usize = 4;

    /// A disc.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Disc {
        /// Its centre.
        pub centre: Vec2,
        /// Its radius.
        pub radius: f32,
    }

    fn square(x: f32) -> f32 {
        x * x
    }

    /// Whether a point is in a disc.
    pub fn holds(disc: Disc, point: Vec2) -> bool {
        let away = point - disc.centre;
        square(away.x) + square(away.y) <= square(disc.radius)
    }
}

//! Half a step of the Gauss–Seidel method: updates either the red or the black points.

/// Works in place: points of one color only have neighbors of the other.
#[hirace::monitor]
pub mod red_black {
    use crate::natural::shared::NEIGHBORS;
    use hirace::prelude::*;

    /// Number of points in each direction.
    pub const SIZE: usize = 16;

    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Color {
        Red,
        Black,
    }

    impl Color {
        fn of(x: usize, y: usize) -> Self {
            if (x + y) % 2 == 0 { Self::Red } else { Self::Black }
        }
    }

    impl From<u32> for Color {
        fn from(number: u32) -> Self {
            match number {
                0 => Self::Red,
                _ => Self::Black,
            }
        }
    }

    fn relaxed(points: &[f32], x: usize, y: usize, omega: f32) -> f32 {
        let mut sum = 0.0;
        for (dx, dy) in NEIGHBORS {
            let (u, v) = (x as i32 + dx, y as i32 + dy);
            sum += points[v as usize * SIZE + u as usize];
        }
        let own = points[y * SIZE + x];
        own + omega * (sum / 4.0 - own)
    }

    /// Updates the points of the color that `turn` selects.
    #[kernel(workgroup_size(8, 8))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] turn: u32,
        #[uniform] omega: f32,
        points: &mut [f32],
    ) {
        let [x, y, _] = id.to_array().map(|n| n as usize);
        let inner = 1..SIZE - 1;
        if ![x, y].iter().all(|n| inner.contains(n)) || Color::of(x, y) != Color::from(turn) {
            return;
        }
        points[y * SIZE + x] = relaxed(points, x, y, omega);
    }

    /// Updates every second column instead of the points of one color.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8, 8))]
    pub fn racy(#[builtin(global_invocation_id)] id: UVec3, points: &mut [f32]) {
        let (x, y) = (id.x as usize, id.y as usize);
        if x % 2 == 1 || y == 0 {
            return;
        }
        let above = points[(y - 1) * SIZE + x];
//                  ^^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on points[..]
        points[y * SIZE + x] = above / 2.0;
//      ^^^^^^^^^^^^^^^^^^^^ race: write/read on points[..]
    }
}

#[cfg(test)]
mod tests {
    use super::red_black::{self, SIZE};
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    #[test]
    fn points_of_a_color_are_relaxed() {
        for turn in [0u32, 1] {
            let points = floats(SIZE * SIZE, 140);
            let launch = Launch::new().workgroups([2, 2]).buffer("turn", &turn);
            let launch = launch.buffer("omega", &1.5f32).buffer("points", &points);
            let run = clean(&red_black::clean::kernel(), launch);
            let mut expected = points.clone();
            for y in 1..15 {
                for x in 1..15 {
                    if (x + y) % 2 == turn as usize {
                        let at = |x: usize, y: usize| points[y * 16 + x];
                        let mean =
                            (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1)) / 4.0;
                        expected[y * 16 + x] = 1.5 * mean - 0.5 * at(x, y);
                    }
                }
            }
            assert_close(&run.read::<f32>("points"), &expected, 1e-5);
        }
    }

    #[test]
    fn columns_in_place_race() {
        let launch = Launch::new().workgroups([2, 2]).buffer("points", &floats(256, 141));
        racy(&red_black::racy::kernel(), launch, include_str!("red_black.rs"));
    }
}

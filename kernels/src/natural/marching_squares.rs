//! Marching squares: which corners of each square are inside, and where the contour cuts it.

/// One square per invocation.
#[hirace::monitor]
pub mod marching_squares {
    use hirace::prelude::*;

    const CORNERS: [(usize, usize); 4] = [(0, 0), (1, 0), (1, 1), (0, 1)];

    /// The result for a square.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Square {
        /// A bit for each corner that is inside.
        pub case: u32,
        /// Number of contour lines through the square.
        pub lines: u32,
        /// Position of the cut of the upper edge, from 0 to 1; 0 if there is none.
        pub cut: f32,
    }

    /// Returns the number of lines of a case.
    const fn lines(case: u32) -> u32 {
        match case {
            0 | 15 => 0,
            5 | 10 => 2,
            _ => 1,
        }
    }

    /// Classifies all squares; the grid has one more sample than squares in each direction.
    #[kernel(workgroup_size(8, 8))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] size: UVec2,
        #[uniform] threshold: f32,
        samples: &[f32],
        squares: &mut [Square],
    ) {
        if id.x >= size.x || id.y >= size.y {
            return;
        }
        let (x, y) = (id.x as usize, id.y as usize);
        let stride = size.x as usize + 1;
        let sample = |(dx, dy): (usize, usize)| samples[(y + dy) * stride + x + dx];

        let case = CORNERS
            .iter()
            .enumerate()
            .filter(|&(_, &corner)| sample(corner) > threshold)
            .fold(0u32, |case, (bit, _)| case | 1 << bit);
        let [a, b, ..] = CORNERS.map(sample);
        let cut = if (a > threshold) != (b > threshold) { (threshold - a) / (b - a) } else { 0.0 };
        squares[y * size.x as usize + x] = Square { case, lines: lines(case), cut };
    }
}

#[cfg(test)]
mod tests {
    use super::marching_squares::{self, Square};
    use crate::support::{clean, floats};
    use hirace::Launch;
    use hirace::prelude::*;

    #[test]
    fn squares_are_told_apart() {
        let samples = floats(13 * 10, 70);
        let launch = Launch::new().workgroups([2, 2]).buffer("size", &UVec2::new(12, 9));
        let launch = launch.buffer("threshold", &0.1f32).buffer("samples", &samples);
        let launch = launch.zeros("squares", 12 * 9);
        let found = clean(&marching_squares::clean::kernel(), launch).read::<Square>("squares");
        for (i, found) in found.iter().enumerate() {
            let at = |dx: usize, dy: usize| samples[(i / 12 + dy) * 13 + i % 12 + dx];
            let inside = |dx, dy| u32::from(at(dx, dy) > 0.1);
            let case = inside(0, 0) + 2 * inside(1, 0) + 4 * inside(1, 1) + 8 * inside(0, 1);
            let around = [inside(0, 0), inside(1, 0), inside(1, 1), inside(0, 1)];
            let changes = (0..4).filter(|&k| around[k] != around[(k + 1) % 4]).count() as u32;
            assert_eq!((found.case, found.lines), (case, changes / 2));
            let cut = if inside(0, 0) == inside(1, 0) {
                0.0
            } else {
                (0.1 - at(0, 0)) / (at(1, 0) - at(0, 0))
            };
            assert!((found.cut - cut).abs() < 1e-4);
        }
    }
}

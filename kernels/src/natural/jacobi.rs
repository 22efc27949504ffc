//! One step of Jacobi's method for Poisson's equation.

/// The values at the border are fixed.
#[hirace::monitor]
pub mod jacobi {
    use super::super::shared::NEIGHBORS;
    use hirace::prelude::*;

    /// A grid of points.
    #[derive(Clone, Copy, Debug)]
    pub struct Grid {
        /// Number of points in each direction.
        pub size: u32,
        /// Distance between points.
        pub spacing: f32,
    }

    impl Grid {
        fn index(&self, x: i32, y: i32) -> usize {
            (y * self.size as i32 + x) as usize
        }

        fn is_border(&self, x: i32, y: i32) -> bool {
            let last = self.size as i32 - 1;
            x == 0 || y == 0 || x == last || y == last
        }
    }

    /// Computes a step into another buffer, and the change of each point.
    #[kernel(workgroup_size(8, 8))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] grid: Grid,
        charge: &[f32],
        current: &[f32],
        next: &mut [f32],
        moved: &mut [f32],
    ) {
        if id.x >= grid.size || id.y >= grid.size {
            return;
        }
        let (x, y) = (id.x as i32, id.y as i32);
        let here = grid.index(x, y);
        next[here] = if grid.is_border(x, y) {
            current[here]
        } else {
            let around: f32 =
                NEIGHBORS.iter().map(|&(dx, dy)| current[grid.index(x + dx, y + dy)]).sum();
            (around + grid.spacing.powi(2) * charge[here]) / 4.0
        };
        moved[here] = (next[here] - current[here]).abs();
    }

    /// Works in place.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8, 8))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] grid: Grid,
        current: &mut [f32],
    ) {
        let (x, y) = (id.x as i32, id.y as i32);
        if grid.is_border(x, y) {
            return;
        }
        let mut around = 0.0;
        for (dx, dy) in NEIGHBORS {
            around += current[grid.index(x + dx, y + dy)];
//                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on current[..]
        }
        current[grid.index(x, y)] = around / 4.0;
//      ^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/read on current[..]
    }
}

#[cfg(test)]
mod tests {
    use super::jacobi::{self, Grid};
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    #[test]
    fn points_move_to_the_mean_of_their_neighbors() {
        let n = 12;
        let (charge, current) = (floats(n * n, 130), floats(n * n, 131));
        let grid = Grid { size: 12, spacing: 0.5 };
        let launch = Launch::new().workgroups([2, 2]).buffer("grid", &grid);
        let launch = launch.buffer("charge", &charge).buffer("current", &current);
        let launch = launch.zeros("next", n * n).zeros("moved", n * n);
        let run = clean(&jacobi::clean::kernel(), launch);
        let mut expected = current.clone();
        for y in 1..n - 1 {
            for x in 1..n - 1 {
                let i = y * n + x;
                let around = current[i - 1] + current[i + 1] + current[i - n] + current[i + n];
                expected[i] = around / 4.0 + charge[i] / 16.0;
            }
        }
        let moved: Vec<f32> = expected.iter().zip(&current).map(|(a, b)| (a - b).abs()).collect();
        assert_close(&run.read::<f32>("next"), &expected, 1e-5);
        assert_close(&run.read::<f32>("moved"), &moved, 1e-5);
    }

    #[test]
    fn a_step_in_place_races() {
        let launch =
            Launch::new().workgroups([2, 2]).buffer("grid", &Grid { size: 16, spacing: 1.0 });
        let launch = launch.buffer("current", &floats(256, 132));
        racy(&jacobi::racy::kernel(), launch, include_str!("jacobi.rs"));
    }
}

//! Escape times of points of the plane.

/// One invocation per point.
#[hirace::monitor]
pub mod mandelbrot {
    use hirace::prelude::*;

    /// The section of the plane.
    pub struct View {
        /// Lower left corner.
        pub corner: Vec2,
        /// Distance between points.
        pub step: f32,
        /// Number of points per row.
        pub width: u32,
        /// Maximum number of iterations.
        pub limit: u32,
    }

    /// Returns the number of iterations after which `z z + c` escapes.
    fn escape(c: Vec2, limit: u32) -> u32 {
        let mut z = Vec2::ZERO;
        let mut turn = 0;
        loop {
            if turn == limit || z.length_squared() > 4.0 {
                break turn;
            }
            z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
            turn += 1;
        }
    }

    /// Each invocation writes its own point.
    #[kernel(workgroup_size(8, 4))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] view: &View,
        turns: &mut [u32],
    ) {
        let c = view.corner + id.xy().as_vec2() * view.step;
        turns[id.y * view.width + id.x] = escape(c, view.limit);
    }

    /// Uses rows that are one too short: the last point of a row is the first of the next.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8, 4))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] view: &View,
        turns: &mut [u32],
    ) {
        let c = view.corner + id.xy().as_vec2() * view.step;
        turns[id.y * (view.width - 1) + id.x] = escape(c, view.limit);
//      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/write on turns[..]
    }
}

#[cfg(test)]
mod tests {
    use super::mandelbrot::{self, View};
    use crate::support::{clean, racy};
    use hirace::Launch;
    use hirace::prelude::Vec2;

    const WIDTH: usize = 16;
    const HEIGHT: usize = 8;

    fn launch() -> Launch {
        let corner = Vec2::new(-2.0, -1.0);
        let view = View { corner, step: 0.25, width: WIDTH as u32, limit: 50 };
        Launch::new()
            .workgroups([2, 2])
            .buffer("view", &view)
            .buffer("turns", &[0u32; WIDTH * HEIGHT])
    }

    #[test]
    fn points_run_away_after_so_many_turns() {
        let run = clean(&mandelbrot::clean::kernel(), launch());
        let turns = |i: usize| {
            let c = ((i % WIDTH) as f32 * 0.25 - 2.0, (i / WIDTH) as f32 * 0.25 - 1.0);
            let mut z = (0.0f32, 0.0f32);
            (0..50).find(|_| {
                let away = z.0 * z.0 + z.1 * z.1 > 4.0;
                z = (z.0 * z.0 - z.1 * z.1 + c.0, 2.0 * z.0 * z.1 + c.1);
                away
            })
        };
        let expected: Vec<u32> = (0..WIDTH * HEIGHT).map(|i| turns(i).unwrap_or(50)).collect();
        assert_eq!(run.read::<u32>("turns"), expected);
    }

    #[test]
    fn rows_that_are_too_short_overlap() {
        racy(&mandelbrot::racy::kernel(), launch(), include_str!("mandelbrot.rs"));
    }
}

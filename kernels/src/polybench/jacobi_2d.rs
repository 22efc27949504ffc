//! `jacobi-2d` of PolyBench: repeated means of five neighbors.

/// Alternates between two buffers. The edges do not change.
#[hirace::monitor]
pub mod jacobi_2d {
    use hirace::prelude::*;

    /// Returns the mean of a point and its four neighbors.
    fn mean(plane: &[f32], size: UVec2, at: UVec2) -> f32 {
        let i = at.y * size.x + at.x;
        if at.x == 0 || at.y == 0 || at.x + 1 == size.x || at.y + 1 == size.y {
            return plane[i];
        }
        0.2 * (plane[i] + plane[i - 1] + plane[i + 1] + plane[i - size.x] + plane[i + size.x])
    }

    /// Computes odd steps.
    #[kernel(workgroup_size(8, 8))]
    pub fn forth(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] size: UVec2,
        a: &mut [f32],
        b: &mut [f32],
    ) {
        if id.x < size.x && id.y < size.y {
            b[id.y * size.x + id.x] = mean(a, size, id.xy());
        }
    }

    /// Computes even steps.
    #[kernel(workgroup_size(8, 8))]
    pub fn back(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] size: UVec2,
        a: &mut [f32],
        b: &mut [f32],
    ) {
        if id.x < size.x && id.y < size.y {
            a[id.y * size.x + id.x] = mean(b, size, id.xy());
        }
    }

    /// Uses one buffer for both: points are overwritten while neighbors still read them.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8, 8))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] size: UVec2,
        a: &mut [f32],
    ) {
        if id.x > 0 && id.y > 0 && id.x + 1 < size.x && id.y + 1 < size.y {
            let i = id.y * size.x + id.x;
            let across = a[i - 1] + a[i + 1];
//                       ^^^^^^^^ race: read/write on a[..]
            let along = a[i - size.x] + a[i + size.x];
//                      ^^^^^^^^^^^^^ race: read/write on a[..]
            a[i] = 0.2 * (a[i] + across + along);
//          ^^^^ race: write/read on a[..]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::jacobi_2d;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;
    use hirace::prelude::UVec2;

    fn launch(a: &[f32], width: usize) -> Launch {
        let size = UVec2::new(width as u32, (a.len() / width) as u32);
        Launch::new().buffer("size", &size).buffer("a", a).zeros("b", a.len())
    }

    fn stepped(now: &[f32], width: usize) -> Vec<f32> {
        let height = now.len() / width;
        let point = |i: usize| {
            let (x, y) = (i % width, i / width);
            if x == 0 || y == 0 || x + 1 == width || y + 1 == height {
                return now[i];
            }
            [i, i - 1, i + 1, i - width, i + width].iter().map(|i| now[*i]).sum::<f32>() / 5.0
        };
        (0..now.len()).map(point).collect()
    }

    fn holds(width: usize, height: usize, rounds: usize) {
        let a = floats(width * height, 131);
        let grid = [width.div_ceil(8) as u32, height.div_ceil(8) as u32];
        let round = |launch: Launch, _| launch.dispatch("forth", grid).dispatch("back", grid);
        let run = clean(&jacobi_2d::forth::kernel(), (0..rounds).fold(launch(&a, width), round));
        let expected = (0..2 * rounds).fold(a, |now, _| stepped(&now, width));
        assert_close(&run.read::<f32>("a"), &expected, 1e-5);
    }

    #[test]
    fn points_become_means() {
        holds(24, 16, 3);
    }

    #[test]
    fn planes_need_not_fill_workgroups() {
        holds(13, 9, 2);
        holds(3, 3, 1);
    }

    #[test]
    fn what_has_no_inside_stays() {
        holds(17, 2, 1);
        holds(1, 1, 1);
    }

    #[test]
    fn two_buffers_are_needed() {
        let launch = launch(&floats(256, 131), 16).workgroups([2, 2]);
        racy(&jacobi_2d::racy::kernel(), launch, include_str!("jacobi_2d.rs"));
    }
}

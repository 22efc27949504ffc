//! `fdtd-2d` of PolyBench: electric and magnetic fields in a plane, by finite differences in time.

/// A step computes each field in its own dispatch, because each depends on neighboring values of the other.
#[hirace::monitor]
pub mod fdtd_2d {
    use hirace::prelude::*;

    /// Returns the electric field along y at a point: the source at the upper edge, elsewhere from the magnetic field.
    fn along(ey: &[f32], hz: &[f32], size: UVec2, at: UVec2, source: f32) -> f32 {
        let i = at.y * size.x + at.x;
        if at.y == 0 {
            return source;
        }
        ey[i] - 0.5 * (hz[i] - hz[i - size.x])
    }

    /// Returns the electric field along x at a point.
    fn across(ex: &[f32], hz: &[f32], size: UVec2, at: UVec2) -> f32 {
        let i = at.y * size.x + at.x;
        if at.x == 0 {
            return ex[i];
        }
        ex[i] - 0.5 * (hz[i] - hz[i - 1])
    }

    /// First dispatch of a step: computes the electric field.
    #[kernel(workgroup_size(8, 8))]
    pub fn electric(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] size: UVec2,
        sources: &[f32],
        step: &mut u32,
        ex: &mut [f32],
        ey: &mut [f32],
        hz: &mut [f32],
    ) {
        if id.x < size.x && id.y < size.y {
            let i = id.y * size.x + id.x;
            ey[i] = along(ey, hz, size, id.xy(), sources[*step]);
            ex[i] = across(ex, hz, size, id.xy());
        }
    }

    /// Second dispatch: computes the magnetic field.
    #[kernel(workgroup_size(8, 8))]
    pub fn magnetic(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] size: UVec2,
        ex: &mut [f32],
        ey: &mut [f32],
        hz: &mut [f32],
    ) {
        if id.x + 1 < size.x && id.y + 1 < size.y {
            let i = id.y * size.x + id.x;
            hz[i] -= 0.7 * (ex[i + 1] - ex[i] + ey[i + size.x] - ey[i]);
        }
    }

    /// Third dispatch, of one invocation: advances the step.
    #[kernel(workgroup_size(1))]
    pub fn advance(step: &mut u32) {
        *step += 1;
    }

    /// Computes both fields in one dispatch: points at the edges of workgroups are not ordered.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8, 8))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] size: UVec2,
        ex: &mut [f32],
        ey: &mut [f32],
        hz: &mut [f32],
    ) {
        let i = id.y * size.x + id.x;
        if id.y > 0 {
            ey[i] -= 0.5 * (hz[i] - hz[i - size.x]);
//          ^^^^^ race: write/read on ey[..]
//                                  ^^^^^^^^^^^^^^ race: read/write on hz[..]
        }
        if id.x > 0 {
            ex[i] -= 0.5 * (hz[i] - hz[i - 1]);
//          ^^^^^ race: write/read on ex[..]
//                                  ^^^^^^^^^ race: read/write on hz[..]
        }
        storage_barrier();
        if id.x + 1 < size.x && id.y + 1 < size.y {
            let curl = ex[i + 1] - ex[i] + ey[i + size.x] - ey[i];
//                     ^^^^^^^^^ race: read/write on ex[..]
//                                         ^^^^^^^^^^^^^^ race: read/write on ey[..]
            hz[i] -= 0.7 * curl;
//          ^^^^^ race: write/read on hz[..]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fdtd_2d;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;
    use hirace::prelude::UVec2;

    /// Returns the fields `ex`, `ey` and `hz`.
    fn fields(points: usize) -> [Vec<f32>; 3] {
        [132, 133, 134].map(|seed| floats(points, seed))
    }

    fn launch(width: usize, height: usize) -> Launch {
        let [ex, ey, hz] = fields(width * height);
        Launch::new()
            .buffer("size", &UVec2::new(width as u32, height as u32))
            .buffer("ex", &ex)
            .buffer("ey", &ey)
            .buffer("hz", &hz)
    }

    fn holds(width: usize, height: usize, steps: usize) {
        let sources = floats(steps, 135);
        let grid = [width.div_ceil(8) as u32, height.div_ceil(8) as u32];
        let step = |launch: Launch, _| {
            launch.dispatch("electric", grid).dispatch("magnetic", grid).dispatch("advance", 1)
        };
        let launch = launch(width, height).buffer("sources", &sources).buffer("step", &0u32);
        let run = clean(&fdtd_2d::electric::kernel(), (0..steps).fold(launch, step));

        let [mut ex, mut ey, mut hz] = fields(width * height);
        for source in sources {
            ey[..width].fill(source);
            for i in width..width * height {
                ey[i] -= 0.5 * (hz[i] - hz[i - width]);
            }
            for i in (0..width * height).filter(|i| i % width > 0) {
                ex[i] -= 0.5 * (hz[i] - hz[i - 1]);
            }
            for i in (0..width * (height - 1)).filter(|i| i % width + 1 < width) {
                hz[i] -= 0.7 * (ex[i + 1] - ex[i] + ey[i + width] - ey[i]);
            }
        }
        assert_close(&run.read::<f32>("ex"), &ex, 1e-5);
        assert_close(&run.read::<f32>("ey"), &ey, 1e-5);
        assert_close(&run.read::<f32>("hz"), &hz, 1e-5);
    }

    #[test]
    fn waves_cross_the_edges_of_workgroups() {
        holds(24, 16, 5);
    }

    #[test]
    fn the_plane_need_not_fill_its_workgroups() {
        holds(9, 13, 3);
    }

    #[test]
    fn a_line_and_a_point_have_fields_too() {
        holds(12, 1, 2);
        holds(1, 1, 1);
    }

    #[test]
    fn each_field_takes_a_dispatch() {
        let launch = launch(16, 16).workgroups([2, 2]);
        racy(&fdtd_2d::racy::kernel(), launch, include_str!("fdtd_2d.rs"));
    }
}

//! `adi` of PolyBench: heat in a plane by the alternating direction implicit method.

/// A step solves a tridiagonal system for each column, and then one for each row.
#[hirace::monitor]
pub mod adi {
    use hirace::prelude::*;

    /// Size of the plane, and coefficients of a step. Each pair is for the neighbors and for the point itself.
    #[derive(Clone, Copy)]
    pub struct Plane {
        /// Number of points per side.
        pub size: u32,
        /// Coefficients along the columns.
        pub columns: Vec2,
        /// Coefficients along the rows.
        pub rows: Vec2,
    }

    /// Solves a line. Its points start at `start` with a stride of `along`; `across` is the stride to the neighbor lines.
    /// `p` and `q` keep the results of the forward sweep for the backward sweep. The first and the last point are set to 1.
    #[rustfmt::skip]
    fn solve(
        from: &[f32],
        to: &mut [f32],
        p: &mut [f32],
        q: &mut [f32],
        size: u32,
        shares: Vec4,
        start: u32,
        along: u32,
        across: u32,
    ) {
        let last = start + (size - 1) * along;
        to[start] = 1.0;
//      ^^^^^^^^^ race: write/read on u[..]
//      ^^^^^^^^^ race: write/read on v[..]
        p[start] = 0.0;
        q[start] = 1.0;
        for i in (start + along..last).step_by(along) {
            let before = i - along;
            let pivot = shares.x * p[before] + shares.y;
//                                 ^^^^^^^^^ race: read/write on p[..]
            let known = shares.w * from[i] - shares.z * (from[i - across] + from[i + across]);
//                                 ^^^^^^^ race: read/write on u[..]
//                                 ^^^^^^^ race: read/write on v[..]
//                                                       ^^^^^^^^^^^^^^^^ race: read/write on u[..]
//                                                       ^^^^^^^^^^^^^^^^ race: read/write on v[..]
//                                                                          ^^^^^^^^^^^^^^^^ race: read/write on u[..]
//                                                                          ^^^^^^^^^^^^^^^^ race: read/write on v[..]
            p[i] = -shares.x / pivot;
//          ^^^^ race: write/read on p[..]
//          ^^^^ race: write/write on p[..]
            q[i] = (known - shares.x * q[before]) / pivot;
//          ^^^^ race: write/read on q[..]
//          ^^^^ race: write/write on q[..]
        }
        to[last] = 1.0;
//      ^^^^^^^^ race: write/read on u[..]
//      ^^^^^^^^ race: write/read on v[..]
        for step in 1..size - 1 {
            let i = last - step * along;
            to[i] = p[i] * to[i + along] + q[i];
//          ^^^^^ race: write/read on u[..]
//          ^^^^^ race: write/read on v[..]
//                  ^^^^ race: read/write on p[..]
//                                         ^^^^ race: read/write on q[..]
        }
    }

    /// First dispatch: solves the columns, from `u` to `v`.
    #[kernel(workgroup_size(16))]
    pub fn columns(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] plane: &Plane,
        u: &mut [f32],
        v: &mut [f32],
        p: &mut [f32],
        q: &mut [f32],
    ) {
        let (size, line) = (plane.size, id.x + 1);
        if line + 1 < size {
            let shares = vec4(plane.columns.x, plane.columns.y, plane.rows.x, 2.0 - plane.rows.y);
            solve(u, v, p, q, size, shares, line, size, 1);
        }
    }

    /// Second dispatch: solves the rows, from `v` to `u`.
    #[kernel(workgroup_size(16))]
    pub fn rows(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] plane: &Plane,
        u: &mut [f32],
        v: &mut [f32],
        p: &mut [f32],
        q: &mut [f32],
    ) {
        let (size, line) = (plane.size, id.x + 1);
        if line + 1 < size {
            let shares = vec4(plane.rows.x, plane.rows.y, plane.columns.x, 2.0 - plane.columns.y);
            solve(v, u, p, q, size, shares, line * size, 1, size);
        }
    }

    /// Solves columns and rows in one dispatch of one workgroup, with a barrier that does not order storage memory.
    #[kernel(workgroup_size(16))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        #[uniform] plane: &Plane,
        u: &mut [f32],
        v: &mut [f32],
        p: &mut [f32],
        q: &mut [f32],
    ) {
        let (size, line) = (plane.size, lane + 1);
        let shares = vec4(plane.columns.x, plane.columns.y, plane.rows.x, 2.0 - plane.rows.y);
        if line + 1 < size {
            solve(u, v, p, q, size, shares, line, size, 1);
        }
        workgroup_barrier();
        let shares = vec4(plane.rows.x, plane.rows.y, plane.columns.x, 2.0 - plane.columns.y);
        if line + 1 < size {
            solve(v, u, p, q, size, shares, line * size, 1, size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::adi::{self, Plane};
    use crate::reference::Matrix;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;
    use hirace::prelude::Vec2;

    /// Returns the coefficients of the benchmark, for a side of `size` points and `steps` steps.
    fn plane(size: usize, steps: usize) -> Plane {
        let share = |factor: f32| {
            let share = -factor * (size * size) as f32 / steps as f32 / 2.0;
            Vec2::new(share, 1.0 - 2.0 * share)
        };
        Plane { size: size as u32, columns: share(2.0), rows: share(1.0) }
    }

    fn launch(size: usize, steps: usize) -> Launch {
        Launch::new()
            .buffer("plane", &plane(size, steps))
            .buffer("u", &floats(size * size, 149))
            .zeros("v", size * size)
            .zeros("p", size * size)
            .zeros("q", size * size)
    }

    /// Solves lines `1..size - 1` of a plane along its rows, by full elimination.
    fn solved(from: &Matrix, to: &mut Matrix, size: usize, along: Vec2, across: Vec2) {
        let (beside, at) = (f64::from(along.x), f64::from(along.y));
        let share = f64::from(across.x);
        for line in 1..size - 1 {
            let system = Matrix::new(size, size, |i, j| match i.abs_diff(j) {
                0 if i == 0 || i == size - 1 => 1.0,
                0 => at,
                1 if i > 0 && i < size - 1 => beside,
                _ => 0.0,
            });
            let right = Matrix::new(size, 1, |i, _| {
                if i == 0 || i == size - 1 {
                    return 1.0;
                }
                let around = from[(line - 1, i)] + from[(line + 1, i)];
                (1.0 + 2.0 * share) * from[(line, i)] - share * around
            });
            let solution = system.solve(right);
            for i in 0..size {
                to[(line, i)] = solution[(i, 0)];
            }
        }
    }

    fn holds(size: usize, steps: usize) {
        let lines = size.div_ceil(16) as u32;
        let step = |launch: Launch, _| launch.dispatch("columns", lines).dispatch("rows", lines);
        let run = clean(&adi::columns::kernel(), (0..steps).fold(launch(size, steps), step));

        let plane = plane(size, steps);
        let mut u = Matrix::of(size, size, &floats(size * size, 149));
        let mut v = Matrix::new(size, size, |_, _| 0.0);
        for _ in 0..steps {
            let mut columns = v.transposed();
            solved(&u.transposed(), &mut columns, size, plane.columns, plane.rows);
            v = columns.transposed();
            solved(&v, &mut u, size, plane.rows, plane.columns);
        }
        assert_close(&run.read::<f32>("v"), &v.floats(), 1e-4);
        assert_close(&run.read::<f32>("u"), &u.floats(), 1e-4);
    }

    #[test]
    fn planes_of_several_workgroups_are_solved() {
        holds(20, 3);
    }

    #[test]
    fn a_single_inner_point_is_solved() {
        holds(3, 2);
        holds(5, 1);
    }

    #[test]
    fn columns_in_storage_need_a_storage_barrier() {
        racy(&adi::racy::kernel(), launch(6, 1).workgroups(1), include_str!("adi.rs"));
    }
}

//! `bicg` of PolyBench: the two products of a step of the biconjugate gradient method.

/// Computes `q = a p` and `s = aᵀ r`.
#[hirace::monitor]
pub mod bicg {
    use hirace::prelude::*;

    const LANES: usize = 64;

    /// Computes a row per workgroup: lanes sum their parts, which a tree combines.
    #[kernel(workgroup_size(LANES))]
    pub fn rows(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        a: &[f32],
        p: &[f32],
        q: &mut [f32],
        #[workgroup] shares: &mut [f32; LANES],
    ) {
        for column in (lane..p.len()).step_by(LANES as u32) {
            shares[lane] += a[group.x * p.len() + column] * p[column];
        }
        let mut stride = LANES as u32 / 2;
        while stride > 0 {
            workgroup_barrier();
            if lane < stride {
                shares[lane] += shares[lane + stride];
            }
            stride /= 2;
        }
        if lane == 0 {
            q[group.x] = shares[0];
        }
    }

    /// Computes a column per invocation.
    #[kernel(workgroup_size(32))]
    pub fn columns(
        #[builtin(global_invocation_id)] id: UVec3,
        a: &[f32],
        r: &[f32],
        s: &mut [f32],
    ) {
        if id.x < s.len() {
            let mut sum = 0.0;
            for row in 0..r.len() {
                sum += a[row * s.len() + id.x] * r[row];
            }
            s[id.x] = sum;
        }
    }

    /// Lacks barriers in the last iterations, because a single subgroup was assumed to run in lockstep.
    #[rustfmt::skip]
    #[kernel(workgroup_size(LANES))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        a: &[f32],
        p: &[f32],
        q: &mut [f32],
        #[workgroup] shares: &mut [f32; LANES],
    ) {
        for column in (lane..p.len()).step_by(LANES as u32) {
            shares[lane] += a[group.x * p.len() + column] * p[column];
        }
        workgroup_barrier();
        if lane < 32 {
            shares[lane] += shares[lane + 32];
        }
        workgroup_barrier();
        if lane < 16 {
            shares[lane] += shares[lane + 16];
//          ^^^^^^^^^^^^ race: write/read on shares[..]
            shares[lane] += shares[lane + 8];
//          ^^^^^^^^^^^^ race: write/read on shares[..]
//                          ^^^^^^^^^^^^^^^^ race: read/write on shares[..]
            shares[lane] += shares[lane + 4];
//          ^^^^^^^^^^^^ race: write/read on shares[..]
//                          ^^^^^^^^^^^^^^^^ race: read/write on shares[..]
            shares[lane] += shares[lane + 2];
//          ^^^^^^^^^^^^ race: write/read on shares[..]
//                          ^^^^^^^^^^^^^^^^ race: read/write on shares[..]
            shares[lane] += shares[lane + 1];
//          ^^^^^^^^^^^^ race: write/read on shares[..]
//                          ^^^^^^^^^^^^^^^^ race: read/write on shares[..]
        }
        if lane == 0 {
            q[group.x] = shares[0];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::bicg;
    use crate::reference::Matrix;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    fn holds(rows: usize, columns: usize) {
        let (a, p, r) = (floats(rows * columns, 102), floats(columns, 103), floats(rows, 104));
        let launch = Launch::new()
            .buffer("a", &a)
            .buffer("p", &p)
            .buffer("r", &r)
            .zeros("q", rows)
            .zeros("s", columns)
            .dispatch("rows", rows as u32)
            .dispatch("columns", columns.div_ceil(32) as u32);
        let run = clean(&bicg::rows::kernel(), launch);
        let matrix = Matrix::of(rows, columns, &a);
        let (q, s) = (&matrix * &Matrix::column(&p), &matrix.transposed() * &Matrix::column(&r));
        assert_close(&run.read::<f32>("q"), &q.floats(), 1e-5);
        assert_close(&run.read::<f32>("s"), &s.floats(), 1e-5);
    }

    #[test]
    fn both_products_are_those_of_the_definition() {
        holds(16, 128);
    }

    #[test]
    fn rows_may_be_shorter_than_a_workgroup_and_not_its_multiple() {
        holds(35, 20);
        holds(3, 70);
        holds(1, 1);
    }

    #[test]
    fn lanes_of_a_subgroup_need_barriers_too() {
        let launch = Launch::new()
            .workgroups(2)
            .buffer("a", &floats(128, 105))
            .buffer("p", &floats(64, 106))
            .zeros("q", 2);
        racy(&bicg::racy::kernel(), launch, include_str!("bicg.rs"));
    }
}

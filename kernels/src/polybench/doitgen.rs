//! `doitgen` of PolyBench: multiplies each row of a block of numbers by the same matrix, in place.

/// One workgroup per row.
#[hirace::monitor]
pub mod doitgen {
    use hirace::prelude::*;

    const LONGEST: usize = 32;

    /// Copies the row to workgroup memory, and overwrites it with its product. `matrix` is square.
    #[kernel(workgroup_size(LONGEST))]
    pub fn clean(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[uniform] length: u32,
        matrix: &[f32],
        rows: &mut [f32],
        #[workgroup] row: &mut [f32; LONGEST],
    ) {
        let start = group.x * length;
        if lane < length {
            row[lane] = rows[start + lane];
        }
        workgroup_barrier();
        if lane < length {
            let mut sum = 0.0;
            for k in 0..length {
                sum += row[k] * matrix[k * length + lane];
            }
            rows[start + lane] = sum;
        }
    }

    /// Overwrites elements in place, while other invocations still read them.
    #[rustfmt::skip]
    #[kernel(workgroup_size(LONGEST))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[uniform] length: u32,
        matrix: &[f32],
        rows: &mut [f32],
    ) {
        let start = group.x * length;
        if lane < length {
            let mut sum = 0.0;
            for k in 0..length {
                sum += rows[start + k] * matrix[k * length + lane];
//                     ^^^^^^^^^^^^^^^ race: read/write on rows[..]
            }
            rows[start + lane] = sum;
//          ^^^^^^^^^^^^^^^^^^ race: write/read on rows[..]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::doitgen;
    use crate::reference::Matrix;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    /// Returns a launch and the expected `rows`.
    fn launch(count: usize, length: usize) -> (Launch, Vec<f32>) {
        let (rows, matrix) = (floats(count * length, 138), floats(length * length, 139));
        let expected = &Matrix::of(count, length, &rows) * &Matrix::of(length, length, &matrix);
        let launch = Launch::new()
            .workgroups(count as u32)
            .buffer("length", &(length as u32))
            .buffer("matrix", &matrix)
            .buffer("rows", &rows);
        (launch, expected.floats())
    }

    fn holds(count: usize, length: usize) {
        let (launch, expected) = launch(count, length);
        let run = clean(&doitgen::clean::kernel(), launch);
        assert_close(&run.read::<f32>("rows"), &expected, 1e-5);
    }

    #[test]
    fn rows_of_full_length_are_multiplied() {
        holds(6, 32);
    }

    #[test]
    fn rows_may_be_shorter_than_a_workgroup() {
        holds(9, 13);
        holds(1, 1);
    }

    #[test]
    fn rows_cannot_be_multiplied_in_place() {
        racy(&doitgen::racy::kernel(), launch(2, 16).0, include_str!("doitgen.rs"));
    }
}

//! `gesummv` of PolyBench: `y = alpha a x + beta b x`.

/// One workgroup per row, with a sum over the workgroup for each matrix.
#[hirace::monitor]
pub mod gesummv {
    use hirace::prelude::*;

    const LANES: usize = 32;

    /// Returns the sum of all lanes' values to every lane. The second barrier allows the tile to be reused.
    fn sum(tile: &mut [f32; LANES], lane: u32, value: f32) -> f32 {
        tile[lane] = value;
        let mut stride = LANES as u32 / 2;
        while stride > 0 {
            workgroup_barrier();
            if lane < stride {
                tile[lane] += tile[lane + stride];
            }
            stride /= 2;
        }
        workgroup_barrier();
        let whole = tile[0];
        workgroup_barrier();
        whole
    }

    /// Computes both products; the factors are `alpha` and `beta`.
    #[kernel(workgroup_size(LANES))]
    pub fn clean(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[uniform] factors: Vec2,
        a: &[f32],
        b: &[f32],
        x: &[f32],
        y: &mut [f32],
        #[workgroup] tile: &mut [f32; LANES],
    ) {
        let mut shares = Vec2::ZERO;
        for column in (lane..x.len()).step_by(LANES as u32) {
            let place = group.x * x.len() + column;
            shares += vec2(a[place], b[place]) * x[column];
        }
        let first = sum(tile, lane, shares.x);
        let second = sum(tile, lane, shares.y);
        if lane == 0 {
            y[group.x] = dot(factors, vec2(first, second));
        }
    }

    /// Starts the second sum in the tile while other invocations have not yet read the first.
    #[rustfmt::skip]
    #[kernel(workgroup_size(LANES))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[uniform] factors: Vec2,
        a: &[f32],
        b: &[f32],
        x: &[f32],
        y: &mut [f32],
        #[workgroup] tile: &mut [f32; LANES],
    ) {
        let mut sums = Vec2::ZERO;
        for which in 0..2 {
            tile[lane] = 0.0;
//          ^^^^^^^^^^ race: write/read on tile[..]
            for column in (lane..x.len()).step_by(LANES as u32) {
                let place = group.x * x.len() + column;
                let element = if which == 0 { a[place] } else { b[place] };
                tile[lane] += element * x[column];
//              ^^^^^^^^^^ race: write/read on tile[..]
            }
            let mut stride = LANES as u32 / 2;
            while stride > 0 {
                workgroup_barrier();
                if lane < stride {
                    tile[lane] += tile[lane + stride];
                }
                stride /= 2;
            }
            workgroup_barrier();
            sums[which] = tile[0];
//                        ^^^^^^^ race: read/write on tile[..]
        }
        if lane == 0 {
            y[group.x] = dot(factors, sums);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::gesummv;
    use crate::reference::Matrix;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;
    use hirace::prelude::Vec2;

    /// Returns a launch and the expected `y`.
    fn launch(size: usize) -> (Launch, Vec<f32>) {
        let (a, b, x) = (floats(size * size, 112), floats(size * size, 113), floats(size, 114));
        let matrix = |elements: &[f32]| Matrix::of(size, size, elements);
        let both = matrix(&a).scaled(1.5) + matrix(&b).scaled(-0.5);
        let launch = Launch::new()
            .workgroups(size as u32)
            .buffer("factors", &Vec2::new(1.5, -0.5))
            .buffer("a", &a)
            .buffer("b", &b)
            .buffer("x", &x)
            .zeros("y", size);
        (launch, (&both * &Matrix::column(&x)).floats())
    }

    fn holds(size: usize) {
        let (launch, expected) = launch(size);
        let run = clean(&gesummv::clean::kernel(), launch);
        assert_close(&run.read::<f32>("y"), &expected, 1e-5);
    }

    #[test]
    fn the_sum_is_that_of_the_definition() {
        holds(64);
    }

    #[test]
    fn rows_may_be_shorter_than_a_workgroup_and_not_its_multiple() {
        holds(40);
        holds(5);
        holds(1);
    }

    #[test]
    fn a_tile_must_be_read_before_it_is_used_again() {
        racy(&gesummv::racy::kernel(), launch(32).0, include_str!("gesummv.rs"));
    }
}

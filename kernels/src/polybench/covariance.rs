//! `covariance` of PolyBench: the covariance of each two attributes of some points.

/// One row per point and one column per attribute. Subtracts means from columns, then multiplies columns.
#[hirace::monitor]
pub mod covariance {
    use hirace::prelude::*;

    const LANES: usize = 16;

    /// First dispatch: one workgroup per column. The barrier after the last iteration lets all invocations read the sum.
    #[kernel(workgroup_size(LANES))]
    pub fn center(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[uniform] attributes: u32,
        data: &mut [f32],
        #[workgroup] sums: &mut [f32; LANES],
    ) {
        let points = data.len() / attributes;
        for point in (lane..points).step_by(LANES as u32) {
            sums[lane] += data[point * attributes + group.x];
        }
        workgroup_barrier();
        let mut stride = LANES as u32 / 2;
        while stride > 0 {
            if lane < stride {
                sums[lane] += sums[lane + stride];
            }
            workgroup_barrier();
            stride /= 2;
        }
        let mean = sums[0] / points as f32;
        for point in (lane..points).step_by(LANES as u32) {
            data[point * attributes + group.x] -= mean;
        }
    }

    /// Second dispatch: one invocation per pair of attributes.
    #[kernel(workgroup_size(8, 8))]
    pub fn products(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] attributes: u32,
        data: &mut [f32],
        covariances: &mut [f32],
    ) {
        if id.x < attributes && id.y < attributes {
            let points = data.len() / attributes;
            let mut sum = 0.0;
            for point in 0..points {
                sum += data[point * attributes + id.y] * data[point * attributes + id.x];
            }
            covariances[id.y * attributes + id.x] = sum / (points as f32 - 1.0);
        }
    }

    /// Has a barrier before each iteration, but none after the last one.
    #[rustfmt::skip]
    #[kernel(workgroup_size(LANES))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[uniform] attributes: u32,
        data: &mut [f32],
        #[workgroup] sums: &mut [f32; LANES],
    ) {
        let points = data.len() / attributes;
        for point in (lane..points).step_by(LANES as u32) {
            sums[lane] += data[point * attributes + group.x];
        }
        let mut stride = LANES as u32 / 2;
        while stride > 0 {
            workgroup_barrier();
            if lane < stride {
                sums[lane] += sums[lane + stride];
//              ^^^^^^^^^^ race: write/read on sums[..]
            }
            stride /= 2;
        }
        let mean = sums[0] / points as f32;
//                 ^^^^^^^ race: read/write on sums[..]
        for point in (lane..points).step_by(LANES as u32) {
            data[point * attributes + group.x] -= mean;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::covariance;
    use crate::reference::Matrix;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    fn launch(points: usize, attributes: usize) -> Launch {
        Launch::new()
            .buffer("attributes", &(attributes as u32))
            .buffer("data", &floats(points * attributes, 140))
    }

    fn holds(points: usize, attributes: usize) {
        let across = attributes.div_ceil(8) as u32;
        let launch = launch(points, attributes)
            .zeros("covariances", attributes * attributes)
            .dispatch("center", attributes as u32)
            .dispatch("products", [across, across]);
        let run = clean(&covariance::center::kernel(), launch);
        let data = Matrix::of(points, attributes, &floats(points * attributes, 140));
        let mean = |column: usize| {
            (0..points).map(|point| data[(point, column)]).sum::<f64>() / points as f64
        };
        let centered =
            Matrix::new(points, attributes, |row, column| data[(row, column)] - mean(column));
        let products = &centered.transposed() * &centered;
        let expected = products.scaled(1.0 / (points as f64 - 1.0));
        assert_close(&run.read::<f32>("covariances"), &expected.floats(), 1e-5);
    }

    #[test]
    fn covariances_are_those_of_the_definition() {
        holds(32, 16);
    }

    #[test]
    fn points_and_attributes_need_not_fill_workgroups() {
        holds(21, 5);
        holds(2, 1);
    }

    #[test]
    fn more_attributes_than_points_vary_together_too() {
        holds(3, 11);
    }

    #[test]
    fn a_single_point_is_the_mean() {
        // The covariance of one point is 0 / 0, which may be any value.
        let launch = launch(1, 9)
            .zeros("covariances", 81)
            .dispatch("center", 9)
            .dispatch("products", [2, 2]);
        let run = clean(&covariance::center::kernel(), launch);
        assert_eq!(run.read::<f32>("data"), [0.0; 9]);
    }

    #[test]
    fn without_points_nothing_varies() {
        // A buffer has at least one element, which is less than a point of three attributes.
        let launch = Launch::new()
            .buffer("attributes", &3u32)
            .buffer("data", &[0.5f32])
            .buffer("covariances", &[1f32; 9])
            .dispatch("center", 3)
            .dispatch("products", [1, 1]);
        let run = clean(&covariance::center::kernel(), launch);
        assert_eq!(run.read::<f32>("data"), [0.5]);
        assert_eq!(run.read::<f32>("covariances"), [0.0; 9]);
    }

    #[test]
    fn the_sum_takes_a_last_barrier() {
        racy(
            &covariance::racy::kernel(),
            launch(20, 2).workgroups(2),
            include_str!("covariance.rs"),
        );
    }
}

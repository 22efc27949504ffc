//! `correlation` of PolyBench: the correlation of each two attributes of some points, from -1 to 1.

/// One row per point and one column per attribute. Columns are centered and scaled, then multiplied.
#[hirace::monitor]
pub mod correlation {
    use hirace::prelude::*;

    const LEAST: f32 = 0.005;

    /// First dispatch: computes the mean of each attribute.
    #[kernel(workgroup_size(16))]
    pub fn average(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] attributes: u32,
        data: &mut [f32],
        means: &mut [f32],
    ) {
        if id.x < attributes {
            let mut sum = 0.0;
            for i in (id.x..data.len()).step_by(attributes) {
                sum += data[i];
            }
            means[id.x] = sum * attributes as f32 / data.len() as f32;
        }
    }

    /// Second dispatch: computes the standard deviation, or 1 if it is almost 0, because it is a divisor.
    #[kernel(workgroup_size(16))]
    pub fn deviate(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] attributes: u32,
        data: &mut [f32],
        means: &mut [f32],
        deviations: &mut [f32],
    ) {
        if id.x < attributes {
            let mut sum = 0.0;
            for i in (id.x..data.len()).step_by(attributes) {
                let away = data[i] - means[id.x];
                sum += away * away;
            }
            let deviation = sqrt(sum * attributes as f32 / data.len() as f32);
            deviations[id.x] = if deviation > LEAST { deviation } else { 1.0 };
        }
    }

    /// Third dispatch: normalizes, with one invocation per number.
    #[kernel(workgroup_size(16))]
    pub fn normalize(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] attributes: u32,
        data: &mut [f32],
        means: &mut [f32],
        deviations: &mut [f32],
    ) {
        if id.x < data.len() {
            let attribute = id.x % attributes;
            let scale = deviations[attribute] * sqrt(data.len() as f32 / attributes as f32);
            data[id.x] = (data[id.x] - means[attribute]) / scale;
        }
    }

    /// Returns the product of two columns.
    fn product(data: &mut [f32], attributes: u32, i: u32, j: u32) -> f32 {
        let mut sum = 0.0;
        for start in (0..data.len()).step_by(attributes) {
            sum += data[start + i] * data[start + j];
        }
        sum
    }

    /// Fourth dispatch: invocations above the diagonal also write the element below it.
    #[kernel(workgroup_size(8, 8))]
    pub fn correlate(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] attributes: u32,
        data: &mut [f32],
        correlations: &mut [f32],
    ) {
        let (i, j) = (id.y, id.x);
        if i == j && i < attributes {
            correlations[i * attributes + i] = 1.0;
        }
        if i < j && j < attributes {
            let sum = product(data, attributes, i, j);
            correlations[i * attributes + j] = sum;
            correlations[j * attributes + i] = sum;
        }
    }

    /// Invocations below the diagonal also write both elements.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8, 8))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] attributes: u32,
        data: &mut [f32],
        correlations: &mut [f32],
    ) {
        let (i, j) = (id.y, id.x);
        if i < attributes && j < attributes {
            let sum = product(data, attributes, i, j);
            correlations[i * attributes + j] = sum;
//          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/write on correlations[..]
            correlations[j * attributes + i] = sum;
//          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/write on correlations[..]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::correlation;
    use crate::reference::Matrix;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    fn launch(data: &[f32], attributes: usize) -> Launch {
        Launch::new()
            .buffer("attributes", &(attributes as u32))
            .buffer("data", data)
            .zeros("means", attributes)
            .zeros("deviations", attributes)
            .zeros("correlations", attributes * attributes)
    }

    fn holds(points: usize, attributes: usize, data: &[f32]) {
        let (across, lines) = (attributes.div_ceil(8) as u32, attributes.div_ceil(16) as u32);
        let launch = launch(data, attributes)
            .dispatch("average", lines)
            .dispatch("deviate", lines)
            .dispatch("normalize", data.len().div_ceil(16) as u32)
            .dispatch("correlate", [across, across]);
        let run = clean(&correlation::average::kernel(), launch);
        let data = Matrix::of(points, attributes, data);
        let mean = |of: &dyn Fn(usize) -> f64| (0..points).map(of).sum::<f64>() / points as f64;
        let means: Vec<f64> = (0..attributes).map(|j| mean(&|i| data[(i, j)])).collect();
        let covariance =
            |j: usize, k: usize| mean(&|i| (data[(i, j)] - means[j]) * (data[(i, k)] - means[k]));
        let deviation =
            |j: usize| Some(covariance(j, j).sqrt()).filter(|d| *d > 0.005).unwrap_or(1.0);
        let expected = Matrix::new(attributes, attributes, |j, k| {
            if j == k { 1.0 } else { covariance(j, k) / (deviation(j) * deviation(k)) }
        });
        assert_close(&run.read::<f32>("correlations"), &expected.floats(), 1e-5);
    }

    #[test]
    fn correlations_are_those_of_the_definition() {
        holds(32, 16, &floats(512, 141));
    }

    #[test]
    fn points_and_attributes_need_not_fill_workgroups() {
        holds(7, 11, &floats(77, 142));
        holds(1, 3, &floats(3, 143));
    }

    #[test]
    fn attributes_may_fill_several_workgroups() {
        holds(9, 20, &floats(180, 146));
    }

    #[test]
    fn what_does_not_vary_goes_with_nothing() {
        let mut data = floats(40, 144);
        data.iter_mut().step_by(4).for_each(|value| *value = 0.75);
        holds(10, 4, &data);
    }

    #[test]
    fn a_pair_has_one_invocation() {
        let launch = launch(&floats(40, 145), 4).workgroups([1, 1]);
        racy(&correlation::racy::kernel(), launch, include_str!("correlation.rs"));
    }
}

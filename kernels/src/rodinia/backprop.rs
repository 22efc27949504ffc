//! `backprop` of Rodinia: one layer of a neural network, with the adjustment of its weights.

/// A workgroup processes 8 inputs and 8 units.
#[hirace::monitor]
pub mod backprop {
    use hirace::prelude::*;

    const SIDE: usize = 8;
    const RATE: f32 = 0.3;
    const MOMENTUM: f32 = 0.25;

    /// Sums the columns of a tile into its first row.
    fn reduce(products: &mut [[f32; SIDE]; SIDE], x: u32, y: u32) {
        let mut stride = SIDE as u32 / 2;
        while stride > 0 {
            workgroup_barrier();
            if y < stride {
                products[y][x] += products[y + stride][x];
            }
            stride /= 2;
        }
    }

    /// First dispatch: computes what 8 inputs add to each unit. The first column of the workgroup loads the inputs.
    #[kernel(workgroup_size(SIDE, SIDE))]
    pub fn forward(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_id)] local: UVec3,
        #[builtin(workgroup_id)] group: UVec3,
        #[uniform] units: u32,
        inputs: &[f32],
        weights: &mut [f32],
        parts: &mut [f32],
        #[workgroup] nodes: &mut [f32; SIDE],
        #[workgroup] products: &mut [[f32; SIDE]; SIDE],
    ) {
        let (x, y) = (local.x, local.y);
        if x == 0 && id.y < inputs.len() {
            nodes[y] = inputs[id.y];
        }
        workgroup_barrier();
        if id.x < units && id.y < inputs.len() {
            products[y][x] = weights[id.y * units + id.x] * nodes[y];
        }
        reduce(products, x, y);
        if y == 0 && id.x < units {
            parts[group.y * units + id.x] = products[0][x];
        }
    }

    /// Second dispatch: computes the output of each unit.
    #[kernel(workgroup_size(SIDE))]
    pub fn activate(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] units: u32,
        parts: &mut [f32],
        outputs: &mut [f32],
    ) {
        if id.x < units {
            let mut sum = 0.0;
            for i in (id.x..parts.len()).step_by(units) {
                sum += parts[i];
            }
            outputs[id.x] = 1.0 / (1.0 + exp(-sum));
        }
    }

    /// Third dispatch: adjusts the weights by gradient descent with momentum.
    #[kernel(workgroup_size(SIDE, SIDE))]
    pub fn adjust(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] units: u32,
        inputs: &[f32],
        targets: &[f32],
        outputs: &mut [f32],
        weights: &mut [f32],
        changes: &mut [f32],
    ) {
        if id.x < units && id.y < inputs.len() {
            let output = outputs[id.x];
            let delta = output * (1.0 - output) * (targets[id.x] - output);
            let place = id.y * units + id.x;
            let change = RATE * delta * inputs[id.y] + MOMENTUM * changes[place];
            weights[place] += change;
            changes[place] = change;
        }
    }

    /// Uses inputs before the first column has loaded them.
    #[rustfmt::skip]
    #[kernel(workgroup_size(SIDE, SIDE))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_id)] local: UVec3,
        #[builtin(workgroup_id)] group: UVec3,
        #[uniform] units: u32,
        inputs: &[f32],
        weights: &mut [f32],
        parts: &mut [f32],
        #[workgroup] nodes: &mut [f32; SIDE],
        #[workgroup] products: &mut [[f32; SIDE]; SIDE],
    ) {
        let (x, y) = (local.x, local.y);
        if x == 0 && id.y < inputs.len() {
            nodes[y] = inputs[id.y];
//          ^^^^^^^^ race: write/read on nodes[..]
        }
        if id.x < units && id.y < inputs.len() {
            products[y][x] = weights[id.y * units + id.x] * nodes[y];
//                                                          ^^^^^^^^ race: read/write on nodes[..]
        }
        reduce(products, x, y);
        if y == 0 && id.x < units {
            parts[group.y * units + id.x] = products[0][x];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::backprop;
    use crate::reference::Matrix;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    struct Layer {
        inputs: Vec<f32>,
        weights: Vec<f32>,
        changes: Vec<f32>,
        targets: Vec<f32>,
    }

    fn layer(inputs: usize, units: usize) -> Layer {
        Layer {
            inputs: floats(inputs, 75),
            weights: floats(inputs * units, 76),
            changes: floats(inputs * units, 77),
            targets: floats(units, 78),
        }
    }

    fn launch(layer: &Layer) -> Launch {
        let units = layer.targets.len();
        Launch::new()
            .buffer("units", &(units as u32))
            .buffer("inputs", &layer.inputs)
            .buffer("weights", &layer.weights)
            .buffer("changes", &layer.changes)
            .buffer("targets", &layer.targets)
            .zeros("parts", layer.inputs.len().div_ceil(8) * units)
            .zeros("outputs", units)
    }

    fn holds(inputs: usize, units: usize) {
        let layer = layer(inputs, units);
        let grid = [units.div_ceil(8) as u32, inputs.div_ceil(8) as u32];
        let launch = launch(&layer)
            .dispatch("forward", grid)
            .dispatch("activate", grid[0])
            .dispatch("adjust", grid);
        let run = clean(&backprop::forward::kernel(), launch);

        let weights = Matrix::of(inputs, units, &layer.weights);
        let sums = &weights.transposed() * &Matrix::column(&layer.inputs);
        let outputs = Matrix::new(units, 1, |unit, _| 1.0 / (1.0 + (-sums[(unit, 0)]).exp()));
        assert_close(&run.read::<f32>("outputs"), &outputs.floats(), 1e-5);
        let changes = Matrix::new(inputs, units, |input, unit| {
            let output = outputs[(unit, 0)];
            let delta = output * (1.0 - output) * (f64::from(layer.targets[unit]) - output);
            0.3 * delta * f64::from(layer.inputs[input])
                + 0.25 * f64::from(layer.changes[input * units + unit])
        });
        assert_close(&run.read::<f32>("changes"), &changes.floats(), 1e-5);
        assert_close(&run.read::<f32>("weights"), &(weights + changes).floats(), 1e-5);
    }

    #[test]
    fn a_layer_learns() {
        holds(32, 16);
    }

    #[test]
    fn inputs_and_units_need_not_fill_workgroups() {
        holds(13, 5);
        holds(1, 1);
    }

    #[test]
    fn inputs_must_be_there_before_they_are_used() {
        let launch = launch(&layer(16, 8)).workgroups([1, 2]);
        racy(&backprop::racy::kernel(), launch, include_str!("backprop.rs"));
    }
}

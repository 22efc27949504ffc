//! A fully connected layer of a neural network.

/// One invocation per neuron and sample; the activation function is a trait.
#[hirace::monitor]
pub mod neural_layer {
    use hirace::prelude::*;

    /// An activation function.
    pub trait Activation {
        /// Returns the output for a weighted sum.
        fn apply(sum: f32) -> f32;

        /// Returns the derivative, computed numerically.
        fn slope(sum: f32) -> f32 {
            const H: f32 = 0.01;
            (Self::apply(sum + H) - Self::apply(sum - H)) / (2.0 * H)
        }
    }

    /// The rectified linear unit.
    pub struct Relu;
    /// The leaky rectified linear unit.
    pub struct Leaky;
    /// The logistic function.
    pub struct Sigmoid;

    impl Activation for Relu {
        fn apply(sum: f32) -> f32 {
            sum.max(0.0)
        }

        fn slope(sum: f32) -> f32 {
            if sum > 0.0 { 1.0 } else { 0.0 }
        }
    }

    impl Activation for Leaky {
        fn apply(sum: f32) -> f32 {
            match sum {
                s if s < 0.0 => 0.01 * s,
                s => s,
            }
        }
    }

    impl Activation for Sigmoid {
        fn apply(sum: f32) -> f32 {
            (1.0 + (-sum).exp()).recip()
        }

        fn slope(sum: f32) -> f32 {
            let y = Self::apply(sum);
            y * (1.0 - y)
        }
    }

    fn neuron<A: Activation>(weights: &[f32], bias: f32, inputs: &[f32]) -> Vec2 {
        let sum = weights.iter().zip(inputs).fold(bias, |sum, (w, x)| w.mul_add(*x, sum));
        Vec2::new(A::apply(sum), A::slope(sum))
    }

    /// Dimensions of the layer.
    #[derive(Clone, Copy, Debug)]
    pub struct Layer {
        /// Number of inputs of each neuron.
        pub inputs: u32,
        /// Number of neurons.
        pub outputs: u32,
        /// 0 for [`Relu`], 1 for [`Leaky`], else [`Sigmoid`].
        pub activation: u32,
    }

    /// Computes the outputs; the sample is the row of the launch.
    #[kernel(workgroup_size(16, 4))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] layer: Layer,
        weights: &[f32],
        biases: &[f32],
        samples: &[f32],
        outputs: &mut [Vec2],
    ) {
        let inputs = layer.inputs as usize;
        let (neuron_index, sample) = (id.x as usize, id.y as usize);
        if id.x >= layer.outputs || (sample + 1) * inputs > samples.len() {
            return;
        }
        let weights = &weights[neuron_index * inputs..][..inputs];
        let x = &samples[sample * inputs..(sample + 1) * inputs];
        let bias = biases[neuron_index];
        outputs[sample * layer.outputs as usize + neuron_index] = match layer.activation {
            0 => neuron::<Relu>(weights, bias, x),
            1 => neuron::<Leaky>(weights, bias, x),
            _ => neuron::<Sigmoid>(weights, bias, x),
        };
    }

    /// Splits the sum among the lanes, and adds the parts without an atomic.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        weights: &[f32],
        samples: &[f32],
        outputs: &mut [f32],
        #[workgroup] sum: &mut [f32; 1],
    ) {
        let i = lane as usize;
        sum[0] += weights[i] * samples[i];
//      ^^^^^^ race: read/write on sum[..]
//      ^^^^^^ race: write/read on sum[..]
        workgroup_barrier();
        outputs[i] = Relu::apply(sum[0]);
    }
}

#[cfg(test)]
mod tests {
    use super::neural_layer::{self, Layer};
    use crate::support::{assert_close, clean, floats, racy, scalars};
    use hirace::Launch;
    use hirace::prelude::*;

    #[test]
    fn neurons_say_what_they_should() {
        let (inputs, neurons, count) = (9, 12, 6);
        let weights = floats(inputs * neurons, 340);
        let (biases, samples) = (floats(neurons, 341), floats(inputs * count, 342));
        for activation in 0..3u32 {
            let layer = Layer { inputs: 9, outputs: 12, activation };
            let launch = Launch::new().workgroups([1, 2]).buffer("layer", &layer);
            let launch = launch.buffer("weights", &weights).buffer("biases", &biases);
            let launch = launch.buffer("samples", &samples).zeros("outputs", neurons * count);
            let outputs = clean(&neural_layer::clean::kernel(), launch).read::<Vec2>("outputs");
            let mut expected = Vec::new();
            for sample in samples.chunks(inputs) {
                for neuron in 0..neurons {
                    let mut sum = biases[neuron];
                    for i in 0..inputs {
                        sum += weights[neuron * inputs + i] * sample[i];
                    }
                    let e = (-sum).exp();
                    expected.push(match activation {
                        0 => Vec2::new(if sum > 0.0 { sum } else { 0.0 }, (sum > 0.0) as u8 as f32),
                        1 if sum.abs() < 0.011 => outputs[expected.len()],
                        1 if sum > 0.0 => Vec2::new(sum, 1.0),
                        1 => Vec2::new(sum / 100.0, 0.01),
                        _ => Vec2::new(1.0 / (1.0 + e), e / (1.0 + e) / (1.0 + e)),
                    });
                }
            }
            assert_close(&scalars(&outputs), &scalars(&expected), 1e-3);
        }
    }

    #[test]
    fn a_sum_without_an_atomic_races() {
        let launch = Launch::new().workgroups(1).buffer("weights", &floats(64, 343));
        let launch = launch.buffer("samples", &floats(64, 344)).zeros("outputs", 64);
        racy(&neural_layer::racy::kernel(), launch, include_str!("neural_layer.rs"));
    }
}

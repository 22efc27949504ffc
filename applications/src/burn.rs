//! burn, on cubecl's wgpu runtime: an inference whose kernels cubecl writes as WGSL.

use crate::gpu::{Gpu, Numbers};
use crate::plant::Plant;
use crate::run::{Make, Outcome, timed};
use burn_tensor::ops::ConvOptions;
use burn_tensor::wgpu::WgpuSetup;
use burn_tensor::{Device, Tensor, TensorData, activation, module};

pub fn run(make: Make<'_>, _: Option<&'static Plant>) -> Outcome {
    timed(|| {
        // As cubecl requests it, without the features that wgpu calls experimental.
        let gpu = Gpu::open_with(make, |adapter| {
            let features = adapter.features() - wgpu::Features::MAPPABLE_PRIMARY_BUFFERS;
            wgpu::DeviceDescriptor {
                required_features: features - wgpu::Features::all_experimental_mask(),
                required_limits: adapter.limits(),
                memory_hints: wgpu::MemoryHints::MemoryUsage,
                ..Default::default()
            }
        });
        let name = gpu.name();
        let backend = gpu.adapter.get_info().backend;
        let Gpu { instance, adapter, device, queue } = gpu;
        let setup = WgpuSetup { instance, adapter, device, queue, backend };
        let device = Device::wgpu_options().setup(setup).init().expect("cubecl accepts the device");
        (name, move || infer(&device))
    })
}

/// Runs a convolution, a self-attention layer, and a classification.
fn infer(device: &Device) -> Vec<u8> {
    let mut numbers = Numbers::new(5);
    let mut data = |shape: &[usize]| {
        let numbers: Vec<f32> = (0..shape.iter().product()).map(|_| numbers.unit()).collect();
        TensorData::new(numbers, shape.to_vec())
    };
    let image = Tensor::<4>::from_data(data(&[1, 3, 32, 32]), device);
    let weight = Tensor::<4>::from_data(data(&[8, 3, 3, 3]), device);
    let seen = module::conv2d(image, weight, None, ConvOptions::new([2, 2], [1, 1], [1, 1], 1));
    let seen = activation::gelu(seen).reshape([32, 64]);
    let mut layer = |rows, columns| Tensor::<2>::from_data(data(&[rows, columns]), device);
    let query = seen.clone().matmul(layer(64, 64));
    let key = seen.clone().matmul(layer(64, 64));
    let weights = activation::softmax(query.matmul(key.transpose()) / 64.0, 1);
    let attended = weights.matmul(seen);
    let classes = attended.matmul(layer(64, 10));
    let best = classes.clone().argmax(1).into_data();
    let total = classes.clone().sum_dim(0).into_data();
    let classes = classes.into_data();
    [classes, total, best].iter().flat_map(|data| data.as_bytes().to_vec()).collect()
}

//! lampshade: prefix sums, sorts, reductions, compactions and histograms, by its functions from slices to slices.

use crate::gpu::{Gpu, Numbers};
use crate::plant::Plant;
use crate::run::{Make, Outcome, timed};
use lampshade::{Context, Histogram, KeyValue, KeyValueSorter, Reducer, Scanner, Sorter};
use std::sync::atomic::AtomicBool;

pub static NO_ATOMIC: Plant = Plant {
    what: "workgroups add to the histogram without atomics",
    shader: "U32 Histogram Pipeline",
    changes: &[
        (
            "var<storage, read_write> output: array<atomic<u32>>;",
            "var<storage, read_write> output: array<u32>;",
        ),
        ("atomicAdd(&output[thread], count);", "output[thread] += count;"),
    ],
    done: AtomicBool::new(false),
};

const ITEMS: u32 = 20_000;
const BINS: u32 = 64;

pub fn run(make: Make<'_>, plant: Option<&'static Plant>) -> Outcome {
    let planting = |descriptor| match plant {
        Some(plant) => plant.around(make(descriptor)),
        None => make(descriptor),
    };
    timed(|| {
        let (gpu, context) = open(&planting);
        let mut scanner = Scanner::from_context(&context);
        let mut reducer = Reducer::from_context(&context);
        let mut sorter = Sorter::from_context(&context);
        let mut pairs_sorter = KeyValueSorter::from_context(&context);
        let histogram = Histogram::from_context(&context);

        let mut numbers = Numbers::new(11);
        let items: Vec<u32> = (0..ITEMS).map(|_| numbers.word() >> 8).collect();
        let pairs: Vec<_> = items.iter().zip(0..).map(|(&key, i)| KeyValue::new(key, i)).collect();
        let bins: Vec<u32> = items.iter().map(|item| item % BINS).collect();
        (gpu.name(), move || {
            pollster::block_on(async {
                let mut outputs = scanner.scan(&items).await.expect("it scans");
                outputs.extend(sorter.sort(&items).await.expect("it sorts"));
                outputs.push(reducer.sum(&items).await.expect("the sum succeeds"));
                outputs.extend(histogram.histogram(&bins, BINS).await.expect("it counts"));
                let pairs = pairs_sorter.sort(&pairs).await.expect("the sort succeeds");
                outputs.extend(pairs.iter().flat_map(|pair| [pair.key, pair.value]));
                bytemuck::cast_slice(&outputs).to_vec()
            })
        })
    })
}

/// Opens a device as `Context::init` does, which would create the instance itself.
pub fn open(make: Make<'_>) -> (Gpu, Context) {
    let gpu = Gpu::open_with(make, |adapter| {
        let optional = wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::SUBGROUP;
        wgpu::DeviceDescriptor {
            label: Some("Context Device"),
            required_features: adapter.features() & optional,
            required_limits: adapter.limits(),
            memory_hints: wgpu::MemoryHints::Performance,
            ..Default::default()
        }
    });
    let adapter_info = gpu.adapter.get_info();
    let (device, queue) = (gpu.device.clone(), gpu.queue.clone());
    (gpu, Context { adapter_info, device, queue })
}

//! particular: accelerations of bodies that attract each other, in tiles that workgroups share.

use crate::gpu::{Gpu, Numbers};
use crate::plant::{Plant, text_of};
use crate::run::{Make, Outcome, timed};
use std::sync::atomic::AtomicBool;

#[rustfmt::skip]
#[path = "../ported/particular/resources.rs"]
#[allow(clippy::all, reason = "kept as published")]
mod resources;

pub static NO_BARRIER: Plant = Plant {
    what: "the barrier after each tile is left out, so that the next one is stored while this one is read",
    shader: "compute_shared.wgsl",
    changes: &[("        \n        workgroupBarrier();\n    }\n", "    }\n")],
    done: AtomicBool::new(false),
};

/// A multiple of the workgroup size.
const WHOLE: u32 = 1024;

/// Not a multiple: as published, the shader loads and stores out of bounds.
const RAGGED: u32 = 1000;

const WORKGROUP: u32 = 128;

pub fn run(make: Make<'_>, plant: Option<&'static Plant>) -> Outcome {
    run_of(WHOLE, make, plant)
}

pub fn run_ragged(make: Make<'_>, plant: Option<&'static Plant>) -> Outcome {
    run_of(RAGGED, make, plant)
}

fn run_of(count: u32, make: Make<'_>, plant: Option<&'static Plant>) -> Outcome {
    timed(|| {
        let gpu = Gpu::open(
            make,
            &wgpu::DeviceDescriptor {
                required_features: wgpu::Features::IMMEDIATES,
                required_limits: wgpu::Limits { max_immediate_size: 4, ..Default::default() },
                ..Default::default()
            },
        );
        let bodies = include_str!("../ported/particular/particle.wgsl");
        let shared = text_of(plant, include_str!("../ported/particular/compute_shared.wgsl"));
        let text = format!("{bodies}{shared}");
        let mut resources = resources::WgpuResources::new(&gpu.device, &text, WORKGROUP);
        let mut numbers = Numbers::new(3);
        let mut body = || [numbers.unit(), numbers.unit(), numbers.unit(), 1.0];
        let bodies: Vec<_> = (0..count).map(|_| body()).collect();
        (gpu.name(), move || {
            let Gpu { device, queue, .. } = &gpu;
            resources.write_particle_data(&bodies, &bodies, device, queue);
            let accelerations = resources.compute(device, queue, 0.01);
            bytemuck::cast_slice(&accelerations).to_vec()
        })
    })
}

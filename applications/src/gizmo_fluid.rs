//! gizmo-renderer: a particle-based fluid with position-based dynamics, on a grid that is sorted again at each step.

use crate::gpu::{Gpu, Numbers};
use crate::plant::Plant;
use crate::run::{Make, Outcome, timed};
use gizmo_renderer::gpu_fluid::{FluidParticle, GpuFluidSystem};

const PARTICLES: u32 = 1024;
const STEPS: usize = 2;
const SIDE: u32 = 64;

pub fn run(make: Make<'_>, _: Option<&'static Plant>) -> Outcome {
    timed(|| {
        let gpu = Gpu::open(make, &wgpu::DeviceDescriptor::default());
        // The layout of the global bind group of a renderer, which its render pipelines need; nothing is rendered here.
        let global = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("global"),
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Uniform,
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            }],
        });
        let format = wgpu::TextureFormat::Rgba16Float;
        let (device, queue) = (&gpu.device, &gpu.queue);
        let fluid = GpuFluidSystem::new(device, queue, PARTICLES, &global, format, SIDE, SIDE);
        let start = start();
        let reader = Reader::new(&gpu, &fluid.particles_buffer);
        (gpu.name(), move || {
            gpu.queue.write_buffer(&fluid.particles_buffer, 0, bytemuck::cast_slice(&start));
            for _ in 0..STEPS {
                let mut encoder = gpu.encoder();
                fluid.compute_pass(&mut encoder, &gpu.queue, true, PARTICLES);
                gpu.queue.submit([encoder.finish()]);
            }
            reader.read(&gpu)
        })
    })
}

/// Returns a falling cube of water.
fn start() -> Vec<FluidParticle> {
    let mut numbers = Numbers::new(9);
    let mut particle = |i: u32| {
        let mut at = |n: u32| 0.07 * n as f32 + 0.005 * numbers.unit();
        let position = [at(i % 8), at(i / 8 % 8), at(i / 64)];
        FluidParticle {
            position,
            density: 1000.0,
            velocity: [0.0; 3],
            lambda: 0.0,
            predicted_position: position,
            phase: 0,
            vorticity: [0.0; 3],
            _pad_vort: 0.0,
        }
    };
    (0..PARTICLES).map(&mut particle).collect()
}

/// Reads the particles by a shader of this harness, because their buffer is not a copy source.
struct Reader {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    copy: wgpu::Buffer,
}

const COPY: &str = "
@group(0) @binding(0) var<storage, read> particles: array<u32>;
@group(0) @binding(1) var<storage, read_write> copy: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&copy) {
        copy[id.x] = particles[id.x];
    }
}
";

impl Reader {
    fn new(gpu: &Gpu, particles: &wgpu::Buffer) -> Self {
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("copy"),
            source: wgpu::ShaderSource::Wgsl(COPY.into()),
        });
        let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("copy"),
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            cache: None,
        });
        let copy = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("copy"),
            size: particles.size(),
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("copy"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: particles.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: copy.as_entire_binding() },
            ],
        });
        Self { pipeline, group, copy }
    }

    fn read(&self, gpu: &Gpu) -> Vec<u8> {
        let mut encoder = gpu.encoder();
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &self.group, &[]);
            let words = u32::try_from(self.copy.size() / 4).expect("the size fits");
            pass.dispatch_workgroups(words.div_ceil(64), 1, 1);
        }
        gpu.queue.submit([encoder.finish()]);
        gpu.read_buffer(&self.copy)
    }
}

//! wgpu's example `boids`: a flock that a compute pass moves and a render pass draws. Shaders and numbers are as published; the
//! host code is ported to wgpu 30 (MIT OR Apache-2.0, see `ported/wgpu_examples`). A run is a few frames, drawn to a texture
//! instead of a window.

use crate::gpu::{Gpu, Numbers};
use crate::plant::{Plant, text_of};
use crate::run::{Make, Outcome, timed};
use std::sync::atomic::AtomicBool;
use wgpu::util::DeviceExt as _;

pub static IN_PLACE: Plant = Plant {
    what: "boids look at where others are going, not at where they were: one buffer is read and written",
    shader: "boids_compute.wgsl",
    changes: &[(
        "let pos = particlesSrc[i].pos;\n    let vel = particlesSrc[i].vel;",
        "let pos = particlesDst[i].pos;\n    let vel = particlesDst[i].vel;",
    )],
    done: AtomicBool::new(false),
};

const BOIDS: u32 = 1500;
const BOIDS_PER_GROUP: u32 = 64;
const FRAMES: usize = 4;
const SIDE: u32 = 256;
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

pub fn run(make: Make<'_>, plant: Option<&'static Plant>) -> Outcome {
    timed(|| {
        let limits = wgpu::Limits::downlevel_defaults();
        let asked = wgpu::DeviceDescriptor { required_limits: limits, ..Default::default() };
        let gpu = Gpu::open(make, &asked);
        let flock = Flock::new(&gpu, plant);
        (gpu.name(), move || flock.fly(&gpu))
    })
}

struct Flock {
    start: Vec<f32>,
    groups: [wgpu::BindGroup; 2],
    boids: [wgpu::Buffer; 2],
    triangle: wgpu::Buffer,
    compute: wgpu::ComputePipeline,
    render: wgpu::RenderPipeline,
    target: wgpu::Texture,
}

impl Flock {
    fn new(gpu: &Gpu, plant: Option<&Plant>) -> Self {
        let device = &gpu.device;
        let module = |label, text: &str| {
            device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(label),
                source: wgpu::ShaderSource::Wgsl(text.into()),
            })
        };
        let text = text_of(plant, include_str!("../ported/wgpu_examples/boids_compute.wgsl"));
        let compute_shader = module("boids_compute.wgsl", &text);
        let draw_shader =
            module("boids_draw.wgsl", include_str!("../ported/wgpu_examples/boids_draw.wgsl"));

        // deltaT, rule1Distance to rule3Distance, rule1Scale to rule3Scale
        let parameters = [0.04f32, 0.1, 0.025, 0.025, 0.02, 0.05, 0.005];
        let parameters = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("Simulation Parameter Buffer"),
            contents: bytemuck::cast_slice(&parameters),
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        });
        let entry = |binding, ty, size: u32| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty,
                has_dynamic_offset: false,
                min_binding_size: wgpu::BufferSize::new(size.into()),
            },
            count: None,
        };
        let storage = |read_only| wgpu::BufferBindingType::Storage { read_only };
        let group_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[
                entry(0, wgpu::BufferBindingType::Uniform, 28),
                entry(1, storage(true), BOIDS * 16),
                entry(2, storage(false), BOIDS * 16),
            ],
        });
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("compute"),
            bind_group_layouts: &[Some(&group_layout)],
            immediate_size: 0,
        });
        let compute = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("Compute pipeline"),
            layout: Some(&layout),
            module: &compute_shader,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            cache: None,
        });
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("render"),
            ..Default::default()
        });
        let render = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &draw_shader,
                entry_point: Some("main_vs"),
                compilation_options: Default::default(),
                buffers: &[
                    Some(wgpu::VertexBufferLayout {
                        array_stride: 4 * 4,
                        step_mode: wgpu::VertexStepMode::Instance,
                        attributes: &wgpu::vertex_attr_array![0 => Float32x2, 1 => Float32x2],
                    }),
                    Some(wgpu::VertexBufferLayout {
                        array_stride: 2 * 4,
                        step_mode: wgpu::VertexStepMode::Vertex,
                        attributes: &wgpu::vertex_attr_array![2 => Float32x2],
                    }),
                ],
            },
            fragment: Some(wgpu::FragmentState {
                module: &draw_shader,
                entry_point: Some("main_fs"),
                compilation_options: Default::default(),
                targets: &[Some(FORMAT.into())],
            }),
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: None,
            multisample: wgpu::MultisampleState::default(),
            multiview_mask: None,
            cache: None,
        });

        let triangle = [-0.01f32, -0.02, 0.01, -0.02, 0.00, 0.02];
        let triangle = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("Vertex Buffer"),
            contents: bytemuck::bytes_of(&triangle),
            usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
        });
        let mut numbers = Numbers::new(42);
        let mut boid = || {
            let [x, y] = [numbers.unit(), numbers.unit()];
            [x, y, numbers.unit() * 0.1, numbers.unit() * 0.1]
        };
        let start: Vec<f32> = (0..BOIDS).flat_map(|_| boid()).collect();
        let boids = [0, 1].map(|i| {
            device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some(&format!("Particle Buffer {i}")),
                contents: bytemuck::cast_slice(&start),
                usage: wgpu::BufferUsages::VERTEX
                    | wgpu::BufferUsages::STORAGE
                    | wgpu::BufferUsages::COPY_DST
                    | wgpu::BufferUsages::COPY_SRC,
            })
        });
        let groups = [0, 1].map(|i| {
            let buffers: [(u32, &wgpu::Buffer); 3] =
                [(0, &parameters), (1, &boids[i]), (2, &boids[1 - i])];
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &group_layout,
                entries: &buffers.map(|(binding, buffer)| wgpu::BindGroupEntry {
                    binding,
                    resource: buffer.as_entire_binding(),
                }),
            })
        });
        let target = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("in place of a window"),
            size: wgpu::Extent3d { width: SIDE, height: SIDE, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        Self { start, groups, boids, triangle, compute, render, target }
    }

    fn fly(&self, gpu: &Gpu) -> Vec<u8> {
        for boids in &self.boids {
            gpu.queue.write_buffer(boids, 0, bytemuck::cast_slice(&self.start));
        }
        for frame in 0..FRAMES {
            self.frame(gpu, frame);
        }
        let mut outputs = gpu.read_buffer(&self.boids[FRAMES % 2]);
        outputs.extend(gpu.read_texture(&self.target));
        outputs
    }

    fn frame(&self, gpu: &Gpu, frame: usize) {
        let mut encoder = gpu.encoder();
        encoder.push_debug_group("compute boid movement");
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&self.compute);
            pass.set_bind_group(0, &self.groups[frame % 2], &[]);
            pass.dispatch_workgroups(BOIDS.div_ceil(BOIDS_PER_GROUP), 1, 1);
        }
        encoder.pop_debug_group();
        encoder.push_debug_group("render boids");
        {
            let view = self.target.create_view(&wgpu::TextureViewDescriptor::default());
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                ..Default::default()
            });
            pass.set_pipeline(&self.render);
            pass.set_vertex_buffer(0, self.boids[(frame + 1) % 2].slice(..));
            pass.set_vertex_buffer(1, self.triangle.slice(..));
            pass.draw(0..3, 0..BOIDS);
        }
        encoder.pop_debug_group();
        gpu.queue.submit([encoder.finish()]);
    }
}

//! A watcher that records everything that it sees.

use crate::support::{on_device, Gpu};
use hirace_testing::harness::Trial;
use hirace_wgpu::{
    BoundGroupOffsets, CreatedPipeline, Dispatch, Hooks, PipelineRequest, Record, Resource, Source,
    UnwatchedPipeline, Watcher, Workgroups,
};
use libtest_mimic::Failed;
use std::sync::{Arc, Mutex};
use wgpu::{BufferUsages, Features};

pub fn trials() -> Vec<Trial> {
    vec![
        on_device("hooks::all_dispatches_are_seen", Features::empty(), dispatches),
        on_device("hooks::immediates_are_seen", Features::IMMEDIATES, immediates),
        on_device("hooks::pipelines_are_seen", Features::empty(), pipelines),
        #[cfg(feature = "spirv")]
        on_device("hooks::spirv_is_seen", Features::empty(), spirv),
        #[cfg(feature = "glsl")]
        on_device("hooks::glsl_is_seen", Features::empty(), glsl),
        on_device("hooks::textures_and_samplers_are_seen", Features::empty(), textures),
        on_device("hooks::render_pipelines_are_unwatched", Features::empty(), unwatched),
        on_device("hooks::a_dispatch_may_be_left_out", Features::empty(), left_out),
    ]
}

#[derive(Debug, Default)]
struct Notes {
    lines: Mutex<Vec<String>>,
    leave_out: bool,
}

/// Hooks that give each device the same notes.
#[derive(Debug)]
struct Noting(Arc<Notes>);

impl Hooks for Noting {
    fn device(
        &self,
        _device: &wgpu::Device,
        _queue: &wgpu::Queue,
        _asked: &wgpu::DeviceDescriptor<'_>,
    ) -> Option<Arc<dyn Watcher>> {
        Some(Arc::clone(&self.0) as Arc<dyn Watcher>)
    }
}

impl Notes {
    fn note(&self, line: String) {
        self.lines.lock().expect("not poisoned").push(line);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.lines.lock().expect("not poisoned"))
    }
}

/// Describes a bound group; buffers are identified by their sizes.
fn bound(bound: Option<&BoundGroupOffsets>) -> String {
    let Some(BoundGroupOffsets { group, offsets }) = bound else { return "-".to_owned() };
    let entries = group.entries.iter().map(|entry| match &entry.resource {
        Resource::Buffer(part) => {
            let size = part.size.map_or("..".to_owned(), |size| size.to_string());
            format!("{}: {}@{}+{size}", entry.binding, part.buffer.size(), part.offset)
        }
        Resource::TextureView(view) => {
            format!("{}: texture {}", entry.binding, view.view.texture().width())
        }
        Resource::Sampler(_) => format!("{}: sampler", entry.binding),
        other => format!("{}: {other:?}", entry.binding),
    });
    format!("{}{offsets:?}", entries.collect::<Vec<_>>().join(" "))
}

impl Watcher for Notes {
    fn compute_pipeline(&self, request: &PipelineRequest<'_>) -> Option<CreatedPipeline> {
        let source = match &request.module.source {
            Source::Wgsl(text) => format!("wgsl of {}", text.len()),
            Source::Naga(module) => format!("naga with {}", module.entry_points[0].name),
            other => format!("{other:?}"),
        };
        self.note(format!(
            "pipeline {:?} {source} {:?} {:?} {:?}",
            request.label,
            request.entry_point,
            request.constants,
            request.layout.map(|layout| (layout.groups.len(), layout.immediate_size)),
        ));
        let state = Some(Arc::new(request.label.map(str::to_owned)) as _);
        Some(CreatedPipeline { pipeline: request.make(), layouts_of: None, state })
    }

    fn unwatched(&self, what: UnwatchedPipeline<'_>) {
        self.note(format!("{what:?}"));
    }

    fn dispatch(&self, dispatch: &mut Dispatch<'_>, _records: &mut Vec<Record>) {
        let groups: Vec<_> = dispatch.groups().iter().map(|group| bound(group.as_ref())).collect();
        let workgroups = match dispatch.workgroups() {
            Workgroups::Direct(counts) => format!("{counts:?}"),
            Workgroups::Indirect { buffer, offset } => format!("{}@{offset}", buffer.size()),
        };
        let pipeline = dispatch.pipeline();
        let state: &Option<String> = pipeline.state().expect("it has one");
        assert_eq!(*state, pipeline.label);
        self.note(format!(
            "{:?} {:?} {workgroups} [{}] {:?}",
            dispatch.pass_label(),
            pipeline.label,
            groups.join("] ["),
            dispatch.immediates()
        ));
        if !self.leave_out {
            dispatch.record();
        }
    }
}

fn noted() -> (Gpu, Arc<Notes>) {
    noted_with(Features::empty(), false)
}

fn noted_with(features: Features, leave_out: bool) -> (Gpu, Arc<Notes>) {
    let notes = Arc::new(Notes { leave_out, ..Notes::default() });
    (Gpu::hooked(features, Arc::new(Noting(Arc::clone(&notes)))), notes)
}

fn expect(notes: &Notes, expected: &[&str]) -> Result<(), Failed> {
    let noted = notes.take();
    if noted == expected {
        Ok(())
    } else {
        Err(format!("{noted:#?}").into())
    }
}

const KERNEL: &str = "
@group(0) @binding(0) var<storage, read_write> a: array<atomic<u32>>;
@compute @workgroup_size(1) fn main() { atomicAdd(&a[0], 1u); }";

fn dispatches() -> Result<(), Failed> {
    let (gpu, notes) = noted();
    let layout = gpu.storage_layout(&[true]);
    let pipelines = gpu.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&layout)],
        immediate_size: 0,
    });
    let pipeline = gpu.pipeline(KERNEL, Some(&pipelines), &[]);
    let buffers = [256 + 16, 256 + 32].map(|words| gpu.storage("named by size", &vec![0; words]));
    let group = |buffer: &wgpu::Buffer, offset, size| {
        gpu.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &layout,
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer,
                    offset,
                    size: wgpu::BufferSize::new(size),
                }),
            }],
        })
    };
    let groups = [group(&buffers[0], 0, 64), group(&buffers[1], 256, 0)];
    let counts = gpu.words("counts", &[0, 1, 1, 1], BufferUsages::INDIRECT);
    notes.take();
    let mut encoder = gpu.create_command_encoder(&Default::default());
    for label in ["one", "two"] {
        let descriptor = wgpu::ComputePassDescriptor { label: Some(label), timestamp_writes: None };
        let mut pass = encoder.begin_compute_pass(&descriptor);
        pass.set_bind_group(2, &groups[1], &[0]);
        pass.set_bind_group(0, &groups[0], &[256]);
        pass.set_pipeline(&pipeline);
        pass.dispatch_workgroups(3, 2, 1);
        pass.set_bind_group(2, None, &[]);
        pass.set_bind_group(0, &groups[1], &[0]);
        pass.dispatch_workgroups_indirect(&counts, 4);
    }
    expect(
        &notes,
        &[
            "Some(\"one\") Some(\"kernel\") [3, 2, 1] [0: 1088@0+64[256]] [-] [0: 1152@256+..[0]] []",
            "Some(\"one\") Some(\"kernel\") 16@4 [0: 1152@256+..[0]] [-] [-] []",
            "Some(\"two\") Some(\"kernel\") [3, 2, 1] [0: 1088@0+64[256]] [-] [0: 1152@256+..[0]] []",
            "Some(\"two\") Some(\"kernel\") 16@4 [0: 1152@256+..[0]] [-] [-] []",
        ],
    )?;
    gpu.queue.submit([encoder.finish()]);
    let first = gpu.read(&buffers[0])[64];
    let second = gpu.read(&buffers[1])[64];
    assert_eq!((first, second), (12, 2));
    Ok(())
}

fn immediates() -> Result<(), Failed> {
    let (gpu, notes) = noted_with(Features::IMMEDIATES, false);
    let text = "var<immediate> words: vec4u;
        @compute @workgroup_size(1) fn main() { _ = words; }";
    let layout = |immediate_size| {
        gpu.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[],
            immediate_size,
        })
    };
    let pipelines = [layout(16), layout(32)].map(|layout| gpu.pipeline(text, Some(&layout), &[]));
    notes.take();
    gpu.compute(|pass| {
        pass.set_pipeline(&pipelines[0]);
        pass.set_immediates(0, &[1; 16]);
        pass.dispatch_workgroups(1, 1, 1);
        pass.set_immediates(4, &[2; 4]);
        pass.dispatch_workgroups(1, 1, 1);
        // The layout is different, so immediates become 0.
        pass.set_pipeline(&pipelines[1]);
        pass.set_immediates(8, &[3; 4]);
        pass.dispatch_workgroups(1, 1, 1);
    });
    let line = |bytes: &str| format!("Some(\"pass\") Some(\"kernel\") [1, 1, 1] [] [{bytes}]");
    let lines = [
        line("1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1"),
        line("1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1"),
        line("0, 0, 0, 0, 0, 0, 0, 0, 3, 3, 3, 3, 0, 0, 0, 0"),
    ];
    expect(&notes, &lines.each_ref().map(String::as_str))
}

fn pipelines() -> Result<(), Failed> {
    let (gpu, notes) = noted();
    let text = "override n: u32 = 1; @compute @workgroup_size(n) fn other() {}";
    let _ = gpu.pipeline(text, None, &[("n", 4.0)]);
    let layout = gpu.storage_layout(&[false]);
    let layout = gpu.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&layout), None, Some(&layout)],
        immediate_size: 0,
    });
    let module = wgpu::naga::front::wgsl::parse_str(KERNEL)?;
    let module = gpu.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(module)),
    });
    let _ = gpu.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: Some(&layout),
        module: &module,
        entry_point: Some("main"),
        compilation_options: Default::default(),
        cache: None,
    });
    expect(
        &notes,
        &[
            "pipeline Some(\"kernel\") wgsl of 62 None [(\"n\", 4.0)] None",
            "pipeline None naga with main Some(\"main\") [] Some((3, 0))",
        ],
    )
}

#[cfg(any(feature = "spirv", feature = "glsl"))]
fn made_of(gpu: &Gpu, source: wgpu::ShaderSource<'_>) {
    let module =
        gpu.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some("text"), source });
    let _ = gpu.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("main"),
        compilation_options: Default::default(),
        cache: None,
    });
}

#[cfg(feature = "spirv")]
fn spirv() -> Result<(), Failed> {
    use wgpu::naga::{back::spv, front::wgsl, valid};
    let module = wgsl::parse_str("@compute @workgroup_size(1) fn main() {}")?;
    let flags = valid::ValidationFlags::all();
    let info = valid::Validator::new(flags, valid::Capabilities::all()).validate(&module)?;
    let words = spv::write_vec(&module, &info, &Default::default(), None)?;
    let (gpu, notes) = noted();
    made_of(&gpu, wgpu::ShaderSource::SpirV(words.as_slice().into()));
    expect(&notes, &[&format!("pipeline None {:?} Some(\"main\") [] None", Source::SpirV(words))])
}

#[cfg(feature = "glsl")]
fn glsl() -> Result<(), Failed> {
    let text = "#version 450\nlayout(local_size_x = SIZE) in;\nvoid main() {}\n";
    let stage = wgpu::naga::ShaderStage::Compute;
    let (gpu, notes) = noted();
    let defines: &[(&str, &str)] = &[("SIZE", "4")];
    made_of(&gpu, wgpu::ShaderSource::Glsl { shader: text.into(), stage, defines });
    let defines = vec![("SIZE".to_owned(), "4".to_owned())];
    let source = Source::Glsl { shader: text.to_owned(), stage, defines };
    expect(&notes, &[&format!("pipeline None {source:?} Some(\"main\") [] None")])
}

fn textures() -> Result<(), Failed> {
    let (gpu, notes) = noted();
    let pipeline = gpu.kernel(
        "@group(0) @binding(3) var image: texture_2d<f32>;
         @group(0) @binding(5) var smooth_one: sampler;
         @compute @workgroup_size(1) fn main() {
             _ = textureSampleLevel(image, smooth_one, vec2f(0.0), 0.0);
         }",
    );
    let texture = gpu.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width: 7, height: 1, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::R8Unorm,
        usage: wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    });
    let view = texture.create_view(&Default::default());
    let sampler = gpu.create_sampler(&Default::default());
    let group = gpu.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[
            wgpu::BindGroupEntry { binding: 5, resource: wgpu::BindingResource::Sampler(&sampler) },
            wgpu::BindGroupEntry {
                binding: 3,
                resource: wgpu::BindingResource::TextureView(&view),
            },
        ],
    });
    notes.take();
    gpu.compute(|pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    });
    let line = "Some(\"pass\") Some(\"kernel\") [1, 1, 1] [5: sampler 3: texture 7[]] []";
    expect(&notes, &[line])
}

fn unwatched() -> Result<(), Failed> {
    let (gpu, notes) = noted();
    let module = gpu.wgsl("@vertex fn main() -> @builtin(position) vec4f { return vec4f(); }");
    let _ = gpu.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("drawn"),
        layout: None,
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            buffers: &[],
        },
        primitive: Default::default(),
        depth_stencil: Some(wgpu::DepthStencilState {
            format: wgpu::TextureFormat::Depth32Float,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Less),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: Default::default(),
        fragment: None,
        multiview_mask: None,
        cache: None,
    });
    expect(&notes, &["RenderPipeline { label: Some(\"drawn\") }"])
}

fn left_out() -> Result<(), Failed> {
    let (gpu, _notes) = noted_with(Features::empty(), true);
    let pipeline = gpu.kernel(KERNEL);
    let buffer = gpu.storage("untouched", &[5]);
    let group = gpu.group(&pipeline.get_bind_group_layout(0), &[&buffer]);
    gpu.compute(|pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    });
    assert_eq!(gpu.read(&buffer), [5]);
    Ok(())
}

//! Dispatches with all kinds of state.

use crate::support::{computes, computes_with, same, same_idle, same_with, Gpu};
use hirace_testing::harness::Trial;
use wgpu::BufferUsages as Usages;

pub fn trials() -> Vec<Trial> {
    vec![
        computes("dispatches::automatic_layout", automatic),
        computes("dispatches::several_groups_and_layouts_of_the_application", groups),
        computes("dispatches::a_group_is_changed_and_unset", changed),
        computes("dispatches::dynamic_offsets", dynamic),
        computes("dispatches::parts_of_buffers", parts),
        same("dispatches::overrides", overrides),
        computes("dispatches::indirect", indirect),
        computes("dispatches::many_pipelines_in_a_pass", many),
        computes("dispatches::debug_groups", debug_groups),
        computes("dispatches::a_pass_that_outlives_its_borrow", outlives),
        computes("dispatches::layouts_that_pipelines_give", layouts),
        computes("dispatches::resources_in_another_state", transitions),
        computes("dispatches::a_module_of_naga", naga),
        computes("dispatches::trusted", trusted),
        computes_with("dispatches::immediates", wgpu::Features::IMMEDIATES, immediates),
        same_with("dispatches::a_pipeline_cache", wgpu::Features::PIPELINE_CACHE, cache),
        same_with("dispatches::arrays_of_buffers", ARRAYS, arrays),
        same_idle("dispatches::arrays_of_buffers", ARRAYS, arrays),
        same_with("dispatches::passthrough", wgpu::Features::PASSTHROUGH_SHADERS, passthrough),
        same_idle("dispatches::counters_reports_and_captures", wgpu::Features::empty(), reports),
    ]
}

const ARRAYS: wgpu::Features =
    wgpu::Features::BUFFER_BINDING_ARRAY.union(wgpu::Features::STORAGE_RESOURCE_BINDING_ARRAY);

const DOUBLE: &str = "
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x < arrayLength(&a) { a[id.x] = 2u * a[id.x] + 1u; }
}";

const TWO: &str = "
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(1) @binding(0) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    a[id.x] += b[id.x];
    b[id.x] += 100u;
}";

fn automatic(gpu: &Gpu) -> Vec<u32> {
    let buffer = gpu.storage("a", &[1, 2, 3, 4, 5]);
    let pipeline = gpu.kernel(DOUBLE);
    let group = gpu.group(&pipeline.get_bind_group_layout(0), &[&buffer]);
    gpu.compute(|pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(2, 1, 1);
    });
    let words = gpu.read(&buffer);
    assert_eq!(words, [3, 5, 7, 9, 11]);
    words
}

fn explicit(gpu: &Gpu, groups: &[Option<&wgpu::BindGroupLayout>]) -> wgpu::PipelineLayout {
    gpu.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("layout"),
        bind_group_layouts: groups,
        immediate_size: 0,
    })
}

fn groups(gpu: &Gpu) -> [Vec<u32>; 2] {
    let layout = gpu.storage_layout(&[false]);
    let pipelines = explicit(gpu, &[Some(&layout), Some(&layout)]);
    let pipeline = gpu.pipeline(TWO, Some(&pipelines), &[]);
    let (a, b) = (gpu.storage("a", &[1, 2, 3, 4]), gpu.storage("b", &[10, 20, 30, 40]));
    let (one, two) = (gpu.group(&layout, &[&a]), gpu.group(&layout, &[&b]));
    gpu.compute(|pass| {
        pass.set_bind_group(1, &two, &[]);
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &one, &[]);
        pass.dispatch_workgroups(1, 1, 1);
        pass.dispatch_workgroups(1, 1, 1);
    });
    let words = [gpu.read(&a), gpu.read(&b)];
    assert_eq!(words[0], [121, 142, 163, 184]);
    words
}

fn changed(gpu: &Gpu) -> (Vec<Vec<u32>>, Option<String>) {
    let layout = gpu.storage_layout(&[false]);
    let pipelines = explicit(gpu, &[Some(&layout), Some(&layout)]);
    let pipeline = gpu.pipeline(TWO, Some(&pipelines), &[]);
    let buffers: Vec<_> = (0..3).map(|n| gpu.storage("one of three", &[n; 4])).collect();
    let groups: Vec<_> = buffers.iter().map(|buffer| gpu.group(&layout, &[buffer])).collect();
    gpu.compute(|pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &groups[0], &[]);
        pass.set_bind_group(1, &groups[1], &[]);
        pass.dispatch_workgroups(1, 1, 1);
        pass.set_bind_group(1, &groups[2], &[]);
        pass.dispatch_workgroups(1, 1, 1);
        pass.set_bind_group(0, &groups[1], &[]);
        pass.dispatch_workgroups(1, 1, 1);
    });
    let error = gpu.error(|| {
        gpu.compute(|pass| {
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &groups[0], &[]);
            pass.set_bind_group(1, &groups[1], &[]);
            pass.set_bind_group(1, None, &[]);
            pass.dispatch_workgroups(1, 1, 1);
        });
    });
    assert!(error.is_some());
    (buffers.iter().map(|buffer| gpu.read(buffer)).collect(), error)
}

fn dynamic(gpu: &Gpu) -> (Vec<u32>, Option<String>) {
    let layout = gpu.storage_layout(&[true]);
    let pipeline = gpu.pipeline(DOUBLE, Some(&explicit(gpu, &[Some(&layout)])), &[]);
    let buffer = gpu.storage("three parts", &(0..192).collect::<Vec<_>>());
    let group = gpu.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &layout,
        entries: &[wgpu::BindGroupEntry {
            binding: 0,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: &buffer,
                offset: 0,
                size: wgpu::BufferSize::new(16),
            }),
        }],
    });
    let run = |offset: u32| {
        gpu.compute(|pass| {
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[offset]);
            pass.dispatch_workgroups(1, 1, 1);
            pass.set_bind_group(0, &group, &[0]);
            pass.dispatch_workgroups(1, 1, 1);
        });
    };
    run(512);
    let error = gpu.error(|| run(4));
    assert!(error.is_some());
    (gpu.read(&buffer), error)
}

fn parts(gpu: &Gpu) -> Vec<u32> {
    let pipeline = gpu.kernel(DOUBLE);
    let buffer = gpu.storage("parts", &(0..96).collect::<Vec<_>>());
    let part = |offset, size| {
        gpu.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer: &buffer,
                    offset,
                    size: wgpu::BufferSize::new(size),
                }),
            }],
        })
    };
    // The rest of the buffer, and a part of it.
    let (tail, head) = (part(256, 0), part(0, 8));
    gpu.compute(|pass| {
        pass.set_pipeline(&pipeline);
        for group in [&tail, &head, &tail] {
            pass.set_bind_group(0, group, &[]);
            pass.dispatch_workgroups(8, 1, 1);
        }
    });
    gpu.read(&buffer)
}

fn overrides(gpu: &Gpu) -> (Vec<u32>, Option<String>) {
    const TEXT: &str = "
override factor: u32 = 1u;
@id(7) override plus: f32;
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    a[i] = factor * a[i] + u32(plus);
}";
    let pipeline = gpu.pipeline(TEXT, None, &[("factor", 3.0), ("7", 5.0)]);
    let buffer = gpu.storage("a", &[1, 2, 3, 4]);
    let group = gpu.group(&pipeline.get_bind_group_layout(0), &[&buffer]);
    gpu.compute(|pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    });
    let words = gpu.read(&buffer);
    assert_eq!(words, [8, 11, 14, 17]);
    let error = gpu.error(|| drop(gpu.pipeline(TEXT, None, &[("factor", 3.0)])));
    assert!(error.is_some());
    (words, error)
}

fn indirect(gpu: &Gpu) -> (Vec<u32>, Option<String>) {
    let pipeline = gpu.kernel(DOUBLE);
    let buffer = gpu.storage("a", &[0; 16]);
    let group = gpu.group(&pipeline.get_bind_group_layout(0), &[&buffer]);
    let counts = gpu.words("counts", &[9, 3, 1, 1, 1, 1, 1], Usages::INDIRECT);
    gpu.compute(|pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups_indirect(&counts, 4);
        pass.dispatch_workgroups_indirect(&counts, 16);
    });
    let words = gpu.read(&buffer);
    assert_eq!(words, [3, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0]);
    let error = gpu.error(|| {
        gpu.compute(|pass| {
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups_indirect(&counts, 20);
        });
    });
    assert!(error.is_some());
    (words, error)
}

fn many(gpu: &Gpu) -> Vec<u32> {
    let layout = gpu.storage_layout(&[false]);
    let pipelines = explicit(gpu, &[Some(&layout)]);
    let kernel = |body: &str| {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
             @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {{ {body} }}"
        );
        gpu.pipeline(&text, Some(&pipelines), &[])
    };
    let kernels = [kernel("a[i] += 1u;"), kernel("a[i] *= 3u;"), kernel("a[i] ^= i;")];
    let buffer = gpu.storage("a", &[1, 2, 3, 4]);
    let group = gpu.group(&layout, &[&buffer]);
    gpu.compute(|pass| {
        pass.set_bind_group(0, &group, &[]);
        for index in [0, 1, 2, 1, 0, 0, 2] {
            pass.set_pipeline(&kernels[index]);
            pass.dispatch_workgroups(1, 1, 1);
        }
    });
    gpu.read(&buffer)
}

fn debug_groups(gpu: &Gpu) -> (Vec<u32>, Vec<Option<String>>) {
    let pipeline = gpu.kernel(DOUBLE);
    let buffer = gpu.storage("a", &[1; 4]);
    let group = gpu.group(&pipeline.get_bind_group_layout(0), &[&buffer]);
    let run = |pops: usize| {
        gpu.compute(|pass| {
            pass.push_debug_group("outer");
            pass.set_pipeline(&pipeline);
            pass.insert_debug_marker("marker");
            pass.push_debug_group("inner");
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(1, 1, 1);
            (0..pops).for_each(|_| pass.pop_debug_group());
        });
    };
    run(2);
    let errors = vec![gpu.error(|| run(1)), gpu.error(|| run(3))];
    assert!(errors.iter().all(Option::is_some), "{errors:?}");
    (gpu.read(&buffer), errors)
}

fn outlives(gpu: &Gpu) -> (Vec<u32>, Option<String>) {
    let pipeline = gpu.kernel(DOUBLE);
    let buffer = gpu.storage("a", &[1; 4]);
    let group = gpu.group(&pipeline.get_bind_group_layout(0), &[&buffer]);
    let mut encoder = gpu.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default()).forget_lifetime();
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups(1, 1, 1);
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
    // A pass that is open when the encoder is finished, and is used after that.
    let error = gpu.error(|| {
        let mut encoder = gpu.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default()).forget_lifetime();
        pass.set_pipeline(&pipeline);
        let commands = encoder.finish();
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
        drop(pass);
        gpu.queue.submit([commands]);
    });
    assert!(error.is_some());
    (gpu.read(&buffer), error)
}

fn layouts(gpu: &Gpu) -> (Vec<u32>, Option<String>) {
    let layout = gpu.storage_layout(&[false]);
    let pipelines = explicit(gpu, &[Some(&layout), Some(&layout)]);
    let pipeline = gpu.pipeline(TWO, Some(&pipelines), &[]);
    // Groups of the given layout fit the layout that the pipeline returns, and vice versa.
    let (a, b) = (gpu.storage("a", &[1; 4]), gpu.storage("b", &[2; 4]));
    let one = gpu.group(&pipeline.get_bind_group_layout(1), &[&a]);
    let two = gpu.group(&layout, &[&b]);
    gpu.compute(|pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &one, &[]);
        pass.set_bind_group(1, &two, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    });
    let error = gpu.error(|| drop(gpu.kernel(DOUBLE).get_bind_group_layout(9)));
    assert!(error.is_some());
    (gpu.read(&a), error)
}

fn transitions(gpu: &Gpu) -> Vec<u32> {
    let pipeline = gpu.kernel(DOUBLE);
    let buffer = gpu.storage("a", &[1; 4]);
    let group = gpu.group(&pipeline.get_bind_group_layout(0), &[&buffer]);
    let mut encoder = gpu.create_command_encoder(&Default::default());
    let state = wgpu::BufferUses::STORAGE_READ_WRITE;
    let transition = || [wgpu::BufferTransition { buffer: &buffer, state }].into_iter();
    encoder.transition_resources(transition(), std::iter::empty());
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.transition_resources(transition(), std::iter::empty());
        pass.dispatch_workgroups(1, 1, 1);
    }
    gpu.queue.submit([encoder.finish()]);
    gpu.read(&buffer)
}

fn run_double(
    gpu: &Gpu,
    module: &wgpu::ShaderModule,
    cache: Option<&wgpu::PipelineCache>,
) -> Vec<u32> {
    let pipeline = gpu.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module,
        entry_point: Some("main"),
        compilation_options: Default::default(),
        cache,
    });
    let buffer = gpu.storage("a", &[1, 2, 3, 4]);
    let group = gpu.group(&pipeline.get_bind_group_layout(0), &[&buffer]);
    gpu.compute(|pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    });
    gpu.read(&buffer)
}

fn naga(gpu: &Gpu) -> Vec<u32> {
    let module = wgpu::naga::front::wgsl::parse_str(DOUBLE).expect("it is right");
    let module = gpu.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(module)),
    });
    run_double(gpu, &module, None)
}

#[expect(unsafe_code, reason = "this tests an unsafe method")]
fn trusted(gpu: &Gpu) -> Vec<u32> {
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(DOUBLE.into()),
    };
    // SAFETY: the kernel checks the length before it indexes.
    let module = unsafe {
        gpu.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked())
    };
    run_double(gpu, &module, None)
}

#[expect(unsafe_code, reason = "a cache is made by an unsafe method")]
fn cache(gpu: &Gpu) -> (Vec<u32>, bool) {
    let descriptor = wgpu::PipelineCacheDescriptor { label: None, data: None, fallback: true };
    // SAFETY: there is no data.
    let cache = unsafe { gpu.create_pipeline_cache(&descriptor) };
    let words = run_double(gpu, &gpu.wgsl(DOUBLE), Some(&cache));
    (words, cache.get_data().is_some_and(|data| !data.is_empty()))
}

fn immediates(gpu: &Gpu) -> (Vec<u32>, Vec<Option<String>>) {
    const TEXT: &str = "
struct Parameters { plus: u32, times: u32 }
var<immediate> parameters: Parameters;
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    a[i] = a[i] * parameters.times + parameters.plus;
}";
    let layout = gpu.storage_layout(&[false]);
    let pipelines = gpu.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&layout)],
        immediate_size: 8,
    });
    let one = gpu.pipeline(TEXT, Some(&pipelines), &[]);
    let two = gpu.pipeline(&TEXT.replace("* ", "+ "), Some(&pipelines), &[]);
    let bare = gpu.pipeline(DOUBLE, Some(&explicit(gpu, &[Some(&layout)])), &[]);
    let buffer = gpu.storage("a", &[1, 2, 3, 4]);
    let group = gpu.group(&layout, &[&buffer]);
    let word = |word: u32| word.to_le_bytes();
    gpu.compute(|pass| {
        pass.set_bind_group(0, &group, &[]);
        pass.set_pipeline(&one);
        pass.set_immediates(0, bytemuck::cast_slice(&[3u32, 5]));
        pass.dispatch_workgroups(1, 1, 1);
        pass.set_immediates(4, &word(2));
        pass.dispatch_workgroups(1, 1, 1);
        // The layout is the same, so immediates are kept.
        pass.set_pipeline(&two);
        pass.dispatch_workgroups(1, 1, 1);
        pass.set_immediates(0, &word(100));
        pass.set_pipeline(&one);
        pass.dispatch_workgroups(1, 1, 1);
        // The layout is different, so immediates are not set.
        pass.set_pipeline(&bare);
        pass.dispatch_workgroups(1, 1, 1);
        pass.set_pipeline(&two);
        pass.set_immediates(0, &word(1));
        pass.dispatch_workgroups(1, 1, 1);
        pass.set_immediates(4, &word(1));
        pass.dispatch_workgroups(1, 1, 1);
    });
    let refused = |offset: u32, data: &[u8]| {
        gpu.error(|| {
            gpu.compute(|pass| {
                pass.set_pipeline(&one);
                pass.set_immediates(offset, data);
                pass.set_bind_group(0, &group, &[]);
                pass.dispatch_workgroups(1, 1, 1);
            });
        })
    };
    let errors = vec![refused(8, &[0; 4]), refused(2, &[0; 4]), refused(0, &[0; 4])];
    assert!(errors.iter().all(Option::is_some), "{errors:?}");
    (gpu.read(&buffer), errors)
}

fn arrays(gpu: &Gpu) -> [Vec<u32>; 2] {
    let layout = gpu.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &[wgpu::BindGroupLayoutEntry {
            binding: 0,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage { read_only: false },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: std::num::NonZero::new(2),
        }],
    });
    let pipeline = gpu.pipeline(
        "enable wgpu_binding_array;
         struct Words { words: array<u32> }
         @group(0) @binding(0) var<storage, read_write> all: binding_array<Words, 2>;
         @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
             all[0].words[i] += all[1].words[i];
             all[1].words[i] += 1u;
         }",
        Some(&explicit(gpu, &[Some(&layout)])),
        &[],
    );
    let (a, b) = (gpu.storage("a", &[1; 4]), gpu.storage("b", &[1, 2, 3, 4]));
    let group = gpu.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &layout,
        entries: &[wgpu::BindGroupEntry {
            binding: 0,
            resource: wgpu::BindingResource::BufferArray(&[
                a.as_entire_buffer_binding(),
                b.as_entire_buffer_binding(),
            ]),
        }],
    });
    gpu.compute(|pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    });
    [gpu.read(&a), gpu.read(&b)]
}

#[expect(unsafe_code, reason = "this tests an unsafe method")]
fn passthrough(gpu: &Gpu) -> Vec<u32> {
    use wgpu::naga::{back::spv, front::wgsl, valid};
    let text = "
@group(0) @binding(0) var<storage, read_write> a: array<u32, 4>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { a[i] *= 3u; }";
    let module = wgsl::parse_str(text).expect("it is right");
    let flags = valid::ValidationFlags::all();
    let info = valid::Validator::new(flags, valid::Capabilities::all()).validate(&module);
    let words = spv::write_vec(&module, &info.expect("it is valid"), &Default::default(), None);
    // SAFETY: the module is valid, and accesses only its four words.
    let module = unsafe {
        gpu.create_shader_module_passthrough(wgpu::ShaderModuleDescriptorPassthrough {
            label: Some("words"),
            entry_points: vec![wgpu::PassthroughShaderEntryPoint {
                name: "main".into(),
                workgroup_size: (4, 1, 1),
            }]
            .into(),
            spirv: Some(words.expect("it can be written").into()),
            ..Default::default()
        })
    };
    let layout = gpu.storage_layout(&[false]);
    let pipelines = explicit(gpu, &[Some(&layout)]);
    let pipeline = gpu.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: Some(&pipelines),
        module: &module,
        entry_point: Some("main"),
        compilation_options: Default::default(),
        cache: None,
    });
    let buffer = gpu.storage("a", &[1, 2, 3, 4]);
    let group = gpu.group(&layout, &[&buffer]);
    gpu.compute(|pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    });
    let words = gpu.read(&buffer);
    assert_eq!(words, [3, 6, 9, 12]);
    words
}

#[expect(unsafe_code, reason = "captures are started and stopped by unsafe methods")]
fn reports(gpu: &Gpu) -> (bool, String) {
    // SAFETY: no debugger captures a no-op device.
    unsafe {
        gpu.start_graphics_debugger_capture();
        gpu.stop_graphics_debugger_capture();
    }
    let report = gpu.generate_allocator_report().is_some();
    (report, format!("{:?}", gpu.adapter.get_presentation_timestamp()))
}

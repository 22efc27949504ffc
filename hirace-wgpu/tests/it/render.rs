//! Tests of render pipelines, passes and bundles, which hirace forwards to wgpu.

use crate::support::{same, same_idle, same_with, Gpu};
use hirace_testing::harness::Trial;
use wgpu::{BufferUsages, TextureFormat, TextureUsages};

pub fn trials() -> Vec<Trial> {
    vec![
        same("render::a_triangle", triangle),
        same("render::all_that_can_be_set", everything),
        same("render::bundles", bundles),
        same("render::indirect", indirect),
        same("render::many_indirect", many_indirect),
        same("render::depth_and_occlusion", occlusion),
        same("render::resolved_samples", resolved),
        same("render::what_is_refused", refused),
        same_with("render::immediates", wgpu::Features::IMMEDIATES, immediates),
        same_with(
            "render::counted_in_a_buffer",
            wgpu::Features::MULTI_DRAW_INDIRECT_COUNT,
            counted,
        ),
        same_idle("render::meshes", wgpu::Features::EXPERIMENTAL_MESH_SHADER, meshes),
        same_with("render::queries", wgpu::Features::TIMESTAMP_QUERY, queries),
    ]
}

const SIZE: u32 = 8;
const FORMAT: TextureFormat = TextureFormat::Rgba8Unorm;

const SHADER: &str = "
struct Shown { @builtin(position) position: vec4f, @location(0) color: vec4f }
@group(0) @binding(0) var<uniform> tint: vec4f;
@vertex fn vertex(@location(0) place: vec2f, @builtin(instance_index) instance: u32) -> Shown {
    let move_by = f32(instance) * 0.5;
    return Shown(vec4f(place + move_by, 0.25, 1.0), vec4f(place * 0.5 + 0.5, move_by, 1.0));
}
@fragment fn fragment(shown: Shown) -> @location(0) vec4f { return shown.color * tint; }
";

const PLACES: [f32; 12] = [-1.0, -1.0, 1.0, -1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0, 1.0];

struct Scene {
    target: wgpu::Texture,
    view: wgpu::TextureView,
    pipeline: wgpu::RenderPipeline,
    group: wgpu::BindGroup,
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
}

fn texture(gpu: &Gpu, format: TextureFormat, samples: u32) -> wgpu::Texture {
    let usage = match (format, samples) {
        (FORMAT, 1) => TextureUsages::RENDER_ATTACHMENT | TextureUsages::COPY_SRC,
        _ => TextureUsages::RENDER_ATTACHMENT,
    };
    gpu.create_texture(&wgpu::TextureDescriptor {
        label: Some("target"),
        size: wgpu::Extent3d { width: SIZE, height: SIZE, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: samples,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}

fn pipeline(
    gpu: &Gpu,
    text: &str,
    layout: Option<&wgpu::PipelineLayout>,
    depth: bool,
    samples: u32,
) -> wgpu::RenderPipeline {
    let module = gpu.wgsl(text);
    gpu.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("drawn"),
        layout,
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("vertex"),
            compilation_options: Default::default(),
            buffers: &[Some(wgpu::VertexBufferLayout {
                array_stride: 8,
                step_mode: wgpu::VertexStepMode::Vertex,
                attributes: &wgpu::vertex_attr_array![0 => Float32x2],
            })],
        },
        primitive: Default::default(),
        depth_stencil: depth.then(|| wgpu::DepthStencilState {
            format: TextureFormat::Depth32Float,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Less),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: wgpu::MultisampleState { count: samples, ..Default::default() },
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("fragment"),
            compilation_options: Default::default(),
            targets: &[Some(wgpu::ColorTargetState {
                format: FORMAT,
                blend: Some(wgpu::BlendState {
                    color: wgpu::BlendComponent {
                        src_factor: wgpu::BlendFactor::Constant,
                        dst_factor: wgpu::BlendFactor::One,
                        operation: wgpu::BlendOperation::Add,
                    },
                    alpha: wgpu::BlendComponent::REPLACE,
                }),
                write_mask: wgpu::ColorWrites::ALL,
            })],
        }),
        multiview_mask: None,
        cache: None,
    })
}

fn scene(gpu: &Gpu) -> Scene {
    scene_with(gpu, false, 1)
}

fn scene_with(gpu: &Gpu, depth: bool, samples: u32) -> Scene {
    let target = texture(gpu, FORMAT, samples);
    let pipeline = pipeline(gpu, SHADER, None, depth, samples);
    let tint = [1.0f32, 0.5, 1.0, 1.0].map(f32::to_bits);
    let tint = gpu.words("tint", &tint, BufferUsages::UNIFORM);
    let group = gpu.group(&pipeline.get_bind_group_layout(0), &[&tint]);
    let vertices = gpu.words("vertices", &PLACES.map(f32::to_bits), BufferUsages::VERTEX);
    let indices = gpu.words("indices", &[5, 4, 3, 2, 1, 0], BufferUsages::INDEX);
    let view = target.create_view(&Default::default());
    Scene { target, view, pipeline, group, vertices, indices }
}

fn read(gpu: &Gpu, target: &wgpu::Texture) -> Vec<u32> {
    let buffer = gpu.storage("texels", &[0; 64 * SIZE as usize]);
    let mut encoder = gpu.create_command_encoder(&Default::default());
    encoder.copy_texture_to_buffer(
        target.as_image_copy(),
        wgpu::TexelCopyBufferInfo {
            buffer: &buffer,
            layout: wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(256),
                rows_per_image: None,
            },
        },
        target.size(),
    );
    gpu.queue.submit([encoder.finish()]);
    gpu.read(&buffer).chunks(64).flat_map(|row| &row[..SIZE as usize]).copied().collect()
}

fn attachment(view: &wgpu::TextureView) -> wgpu::RenderPassColorAttachment<'_> {
    wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target: None,
        ops: wgpu::Operations {
            load: wgpu::LoadOp::Clear(wgpu::Color { r: 0.1, g: 0.2, b: 0.3, a: 1.0 }),
            store: wgpu::StoreOp::Store,
        },
    }
}

fn draw(gpu: &Gpu, scene: &Scene, record: impl FnOnce(&mut wgpu::RenderPass<'_>)) -> Vec<u32> {
    let mut encoder = gpu.create_command_encoder(&Default::default());
    record(&mut encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("pass"),
        color_attachments: &[Some(attachment(&scene.view))],
        ..Default::default()
    }));
    gpu.queue.submit([encoder.finish()]);
    let texels = read(gpu, &scene.target);
    assert!(texels.iter().any(|&texel| texel != texels[0]), "something is drawn");
    texels
}

fn set(pass: &mut wgpu::RenderPass<'_>, scene: &Scene) {
    pass.set_pipeline(&scene.pipeline);
    pass.set_bind_group(0, &scene.group, &[]);
    pass.set_vertex_buffer(0, scene.vertices.slice(..));
    pass.set_index_buffer(scene.indices.slice(..), wgpu::IndexFormat::Uint32);
    pass.set_blend_constant(wgpu::Color { r: 0.5, g: 1.0, b: 0.25, a: 1.0 });
}

fn triangle(gpu: &Gpu) -> Vec<u32> {
    let scene = scene(gpu);
    draw(gpu, &scene, |pass| {
        set(pass, &scene);
        pass.draw(0..3, 0..1);
    })
}

fn everything(gpu: &Gpu) -> Vec<u32> {
    let scene = scene(gpu);
    draw(gpu, &scene, |pass| {
        pass.push_debug_group("group");
        set(pass, &scene);
        pass.set_viewport(0.0, 1.0, 7.0, 6.0, 0.0, 1.0);
        pass.set_scissor_rect(1, 0, 5, 8);
        pass.set_stencil_reference(3);
        pass.insert_debug_marker("marker");
        pass.draw_indexed(0..3, 0, 0..2);
        pass.set_vertex_buffer(0, scene.vertices.slice(8..));
        pass.draw(0..3, 1..2);
        pass.set_vertex_buffer(1, None);
        pass.pop_debug_group();
    })
}

fn bundles(gpu: &Gpu) -> Vec<u32> {
    let scene = scene(gpu);
    let arguments = gpu.words("arguments", &[3, 1, 0, 0, 0], BufferUsages::INDIRECT);
    let bundle = |indexed: bool| {
        let mut encoder = gpu.create_render_bundle_encoder(&wgpu::RenderBundleEncoderDescriptor {
            label: Some("bundle"),
            color_formats: &[Some(FORMAT)],
            depth_stencil: None,
            sample_count: 1,
            multiview: None,
        });
        encoder.set_pipeline(&scene.pipeline);
        encoder.set_bind_group(0, &scene.group, &[]);
        encoder.set_vertex_buffer(0, scene.vertices.slice(..));
        if indexed {
            encoder.set_index_buffer(scene.indices.slice(..), wgpu::IndexFormat::Uint32);
            encoder.draw_indexed(0..3, 0, 1..2);
            encoder.draw_indexed_indirect(&arguments, 0);
        } else {
            encoder.draw(0..3, 0..1);
            encoder.draw_indirect(&arguments, 0);
        }
        encoder.finish(&wgpu::RenderBundleDescriptor { label: Some("finished") })
    };
    let (one, two) = (bundle(false), bundle(true));
    draw(gpu, &scene, |pass| {
        pass.set_blend_constant(wgpu::Color { r: 0.25, g: 0.5, b: 1.0, a: 1.0 });
        pass.execute_bundles([&one, &two]);
        pass.execute_bundles([&one]);
    })
}

fn indirect(gpu: &Gpu) -> Vec<u32> {
    let scene = scene(gpu);
    let arguments = gpu.words("arguments", &[3, 1, 0, 0, 0, 3, 2, 3, 0, 0], BufferUsages::INDIRECT);
    draw(gpu, &scene, |pass| {
        set(pass, &scene);
        pass.draw_indirect(&arguments, 0);
        pass.draw_indexed_indirect(&arguments, 20);
    })
}

fn many_indirect(gpu: &Gpu) -> Vec<u32> {
    let scene = scene(gpu);
    let arguments =
        gpu.words("arguments", &[3, 1, 0, 0, 3, 1, 3, 0, 3, 1, 0, 0, 0], BufferUsages::INDIRECT);
    draw(gpu, &scene, |pass| {
        set(pass, &scene);
        pass.multi_draw_indirect(&arguments, 0, 2);
        pass.multi_draw_indexed_indirect(&arguments, 32, 1);
    })
}

fn counted(gpu: &Gpu) -> Vec<u32> {
    let scene = scene(gpu);
    let arguments =
        gpu.words("arguments", &[3, 1, 0, 0, 3, 1, 3, 0, 3, 1, 0, 0, 0], BufferUsages::INDIRECT);
    let counts = gpu.words("counts", &[2, 1], BufferUsages::INDIRECT);
    draw(gpu, &scene, |pass| {
        set(pass, &scene);
        pass.multi_draw_indirect_count(&arguments, 0, &counts, 0, 2);
        pass.multi_draw_indexed_indirect_count(&arguments, 32, &counts, 4, 1);
    })
}

fn occlusion(gpu: &Gpu) -> (Vec<u32>, Vec<u32>) {
    let scene = scene_with(gpu, true, 1);
    let depth = texture(gpu, TextureFormat::Depth32Float, 1);
    let depth = depth.create_view(&Default::default());
    let queries = gpu.create_query_set(&wgpu::QuerySetDescriptor {
        label: None,
        ty: wgpu::QueryType::Occlusion,
        count: 2,
    });
    let mut encoder = gpu.create_command_encoder(&Default::default());
    {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: None,
            color_attachments: &[Some(attachment(&scene.view))],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &depth,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(1.0),
                    store: wgpu::StoreOp::Discard,
                }),
                stencil_ops: None,
            }),
            timestamp_writes: None,
            occlusion_query_set: Some(&queries),
            multiview_mask: None,
        });
        set(&mut pass, &scene);
        for query in 0..2 {
            // The first draw hides the second one, which has the same position and depth.
            pass.begin_occlusion_query(query);
            pass.draw(0..3, 0..1);
            pass.end_occlusion_query();
        }
    }
    let buffer = gpu.words("resolved", &[0; 4], BufferUsages::QUERY_RESOLVE);
    encoder.resolve_query_set(&queries, 0..2, &buffer, 0);
    gpu.queue.submit([encoder.finish()]);
    let counts = gpu.read(&buffer);
    assert!(counts[0] != 0 && counts[2] == 0, "{counts:?}");
    (counts, read(gpu, &scene.target))
}

fn resolved(gpu: &Gpu) -> Vec<u32> {
    let scene = scene_with(gpu, false, 4);
    let target = texture(gpu, FORMAT, 1);
    let view = target.create_view(&Default::default());
    let mut encoder = gpu.create_command_encoder(&Default::default());
    {
        let mut pass = encoder
            .begin_render_pass(&wgpu::RenderPassDescriptor {
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    resolve_target: Some(&view),
                    ..attachment(&scene.view)
                })],
                ..Default::default()
            })
            .forget_lifetime();
        set(&mut pass, &scene);
        pass.draw(0..3, 0..1);
    }
    gpu.queue.submit([encoder.finish()]);
    read(gpu, &target)
}

fn refused(gpu: &Gpu) -> Vec<Option<String>> {
    let scene = scene(gpu);
    let run = |record: &dyn Fn(&mut wgpu::RenderPass<'_>)| {
        gpu.error(|| {
            let mut encoder = gpu.create_command_encoder(&Default::default());
            record(&mut encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                color_attachments: &[Some(attachment(&scene.view))],
                ..Default::default()
            }));
            gpu.queue.submit([encoder.finish()]);
        })
    };
    let seen = vec![
        run(&|pass| pass.draw(0..3, 0..1)),
        run(&|pass| {
            set(pass, &scene);
            pass.draw(0..99, 0..1);
        }),
        run(&|pass| pass.set_scissor_rect(0, 0, 99, 1)),
        run(&|pass| pass.begin_occlusion_query(0)),
        gpu.error(|| drop(pipeline(gpu, &SHADER.replace("vec2f,", "vec2u,"), None, false, 1))),
        gpu.error(|| drop(pipeline(gpu, SHADER, None, false, 3))),
    ];
    assert!(seen.iter().all(Option::is_some), "{seen:#?}");
    seen
}

fn immediates(gpu: &Gpu) -> Vec<u32> {
    let text = SHADER.replace("@group(0) @binding(0) var<uniform>", "var<immediate>");
    let layout = gpu.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[],
        immediate_size: 16,
    });
    let scene = scene(gpu);
    let pipeline = pipeline(gpu, &text, Some(&layout), false, 1);
    let tint = [0.5f32, 1.0, 0.25, 1.0];
    let mut encoder = gpu.create_render_bundle_encoder(&wgpu::RenderBundleEncoderDescriptor {
        label: None,
        color_formats: &[Some(FORMAT)],
        depth_stencil: None,
        sample_count: 1,
        multiview: None,
    });
    encoder.set_pipeline(&pipeline);
    encoder.set_vertex_buffer(0, scene.vertices.slice(..));
    encoder.set_immediates(0, bytemuck::cast_slice(&tint));
    encoder.draw(3..6, 0..1);
    let bundle = encoder.finish(&Default::default());
    draw(gpu, &scene, |pass| {
        pass.set_blend_constant(wgpu::Color::WHITE);
        pass.set_pipeline(&pipeline);
        pass.set_vertex_buffer(0, scene.vertices.slice(..));
        pass.set_immediates(0, bytemuck::cast_slice(&tint));
        pass.draw(0..3, 0..1);
        pass.execute_bundles([&bundle]);
    })
}

fn queries(gpu: &Gpu) -> Vec<u32> {
    let scene = scene(gpu);
    let queries = gpu.create_query_set(&wgpu::QuerySetDescriptor {
        label: None,
        ty: wgpu::QueryType::Timestamp,
        count: 2,
    });
    let mut encoder = gpu.create_command_encoder(&Default::default());
    {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(attachment(&scene.view))],
            timestamp_writes: Some(wgpu::RenderPassTimestampWrites {
                query_set: &queries,
                beginning_of_pass_write_index: Some(0),
                end_of_pass_write_index: Some(1),
            }),
            ..Default::default()
        });
        set(&mut pass, &scene);
        pass.draw(0..3, 0..1);
    }
    let buffer = gpu.words("resolved", &[0; 4], BufferUsages::QUERY_RESOLVE);
    encoder.resolve_query_set(&queries, 0..2, &buffer, 0);
    gpu.queue.submit([encoder.finish()]);
    assert!(gpu.read(&buffer).iter().any(|&word| word != 0));
    read(gpu, &scene.target)
}

/// Returns the errors of mesh shaders. Only the errors are compared, because no adapter in the test environment supports
/// mesh shaders.
fn meshes(gpu: &Gpu) -> Vec<Option<String>> {
    let module = gpu.wgsl("@compute @workgroup_size(1) fn main() {}");
    let made = |task: bool| {
        gpu.error(|| {
            let _ = gpu.create_mesh_pipeline(&wgpu::MeshPipelineDescriptor {
                label: Some("meshes"),
                layout: None,
                task: task.then(|| wgpu::TaskState {
                    module: &module,
                    entry_point: Some("main"),
                    compilation_options: Default::default(),
                }),
                mesh: wgpu::MeshState {
                    module: &module,
                    entry_point: Some("other"),
                    compilation_options: Default::default(),
                },
                primitive: Default::default(),
                depth_stencil: None,
                multisample: Default::default(),
                fragment: None,
                multiview: None,
                cache: None,
            });
        })
    };
    let view = texture(gpu, FORMAT, 1).create_view(&Default::default());
    let arguments = gpu.words("arguments", &[1, 1, 1, 1], BufferUsages::INDIRECT);
    let run = |record: &dyn Fn(&mut wgpu::RenderPass<'_>)| {
        gpu.error(|| {
            let mut encoder = gpu.create_command_encoder(&Default::default());
            record(&mut encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                color_attachments: &[Some(attachment(&view))],
                ..Default::default()
            }));
            gpu.queue.submit([encoder.finish()]);
        })
    };
    let seen = vec![
        made(false),
        made(true),
        run(&|pass| pass.draw_mesh_tasks(1, 1, 1)),
        run(&|pass| pass.draw_mesh_tasks_indirect(&arguments, 0)),
        run(&|pass| pass.multi_draw_mesh_tasks_indirect(&arguments, 0, 1)),
        run(&|pass| pass.multi_draw_mesh_tasks_indirect_count(&arguments, 0, &arguments, 0, 1)),
    ];
    assert!(seen.iter().all(Option::is_some), "{seen:#?}");
    seen
}

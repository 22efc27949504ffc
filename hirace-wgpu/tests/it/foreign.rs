//! Objects of one instance that are used with another: each use is an error of the call or of the encoder, and objects
//! that are created from them are invalid. Plain wgpu has no such error.

use crate::support::{on_device, Gpu};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use pollster::block_on;
use std::sync::{Arc, Mutex};
use wgpu::{BufferUsages, ErrorFilter, Features};

/// A test with two devices of different wrapped instances.
type Test = fn(&Gpu, &Gpu) -> Result<(), Failed>;

pub fn trials() -> Vec<Trial> {
    let tests: [(&str, Test); 6] = [
        ("in_what_is_made", made),
        ("in_commands", commands),
        ("in_passes", passes),
        ("in_bundles", bundles),
        ("on_the_queue", queue),
        ("what_is_invalid_stays_so", invalid),
    ];
    let mut trials = Vec::new();
    for (name, test) in tests {
        trials.push(on_device(
            &format!("foreign::{name}_of_another_wrapped_instance"),
            Features::empty(),
            move || test(&wrapped(), &wrapped()),
        ));
        trials.push(on_device(
            &format!("foreign::{name}_of_a_plain_instance"),
            Features::empty(),
            move || test(&wrapped(), &Gpu::plain(Features::empty())),
        ));
    }
    trials.extend([
        on_device("foreign::errors_of_both_kinds_in_scopes", Features::empty(), || {
            scopes(&wrapped(), &wrapped());
            Ok(())
        }),
        on_device("foreign::goes_to_the_handler_of_uncaptured_errors", Features::empty(), || {
            handler(&wrapped(), &wrapped());
            Ok(())
        }),
        on_device("foreign::both_instances_still_work", Features::empty(), || {
            side_by_side(&wrapped(), &wrapped());
            Ok(())
        }),
        on_device("foreign::another_device_of_the_same_instance", Features::empty(), || {
            other_device(&wrapped())
        }),
    ]);
    trials
}

fn wrapped() -> Gpu {
    Gpu::wrapped(Features::empty())
}

/// Checks that an error is about a foreign `what`.
fn says(error: Option<String>, what: &str) -> Result<(), Failed> {
    let words = format!("the {what} was made by another wgpu instance");
    match error {
        Some(error) if error.contains(&words) => Ok(()),
        other => Err(format!("of a foreign {what}: {other:?}").into()),
    }
}

const KERNEL: &str = "
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@compute @workgroup_size(1) fn main() { a[0] = 1u; }";

fn texture(gpu: &Gpu) -> wgpu::Texture {
    gpu.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d::default(),
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::R32Uint,
        usage: wgpu::TextureUsages::all()
            - wgpu::TextureUsages::TRANSIENT_ATTACHMENT
            - wgpu::TextureUsages::STORAGE_ATOMIC,
        view_formats: &[],
    })
}

fn made(here: &Gpu, there: &Gpu) -> Result<(), Failed> {
    let own_layout = here.storage_layout(&[false]);
    let their_layout = there.storage_layout(&[false]);
    let (own, theirs) = (here.storage("own", &[0]), there.storage("theirs", &[0]));
    says(here.error(|| drop(here.group(&own_layout, &[&theirs]))), "buffer")?;
    says(here.error(|| drop(here.group(&their_layout, &[&own]))), "bind group layout")?;
    let pipeline_layout = |gpu: &Gpu, layout| {
        gpu.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(layout)],
            immediate_size: 0,
        })
    };
    let error = here.error(|| drop(pipeline_layout(here, &their_layout)));
    says(error, "bind group layout")?;
    let their_pipelines = pipeline_layout(there, &their_layout);
    let error = here.error(|| drop(here.pipeline(KERNEL, Some(&their_pipelines), &[])));
    says(error, "pipeline layout")?;
    let their_module = there.wgsl(KERNEL);
    let error = here.error(|| {
        let _ = here.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &their_module,
            entry_point: None,
            compilation_options: Default::default(),
            cache: None,
        });
    });
    says(error, "shader module")?;
    let resource = |resource| {
        here.error(|| {
            let _ = here.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &own_layout,
                entries: &[wgpu::BindGroupEntry { binding: 0, resource }],
            });
        })
    };
    let view = texture(there).create_view(&Default::default());
    says(resource(wgpu::BindingResource::TextureView(&view)), "texture view")?;
    let sampler = there.create_sampler(&Default::default());
    says(resource(wgpu::BindingResource::Sampler(&sampler)), "sampler")
}

fn encoded(here: &Gpu, record: impl FnOnce(&mut wgpu::CommandEncoder)) -> Option<String> {
    let mut finished = None;
    let scope = here.push_error_scope(ErrorFilter::Validation);
    let mut encoder = here
        .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("the recorder") });
    record(&mut encoder);
    // As in wgpu, the command reports nothing, and finishing the encoder reports the error.
    assert!(block_on(scope.pop()).is_none());
    let error = here.error(|| finished = Some(encoder.finish()));
    let submitted = here.error(|| {
        _ = here.queue.submit(finished);
    });
    let submitted = submitted.expect("it is invalid");
    assert!(submitted.contains("'the recorder' label is invalid"), "{submitted}");
    error
}

fn commands(here: &Gpu, there: &Gpu) -> Result<(), Failed> {
    let (own, theirs) = (here.storage("own", &[0]), there.storage("theirs", &[0]));
    let (texture, other) = (texture(here), texture(there));
    let query_set = there.create_query_set(&wgpu::QuerySetDescriptor {
        label: None,
        ty: wgpu::QueryType::Occlusion,
        count: 1,
    });
    let size = wgpu::Extent3d::default();
    let layout = Default::default();
    says(encoded(here, |encoder| encoder.copy_buffer_to_buffer(&own, 0, &theirs, 0, 4)), "buffer")?;
    says(encoded(here, |encoder| encoder.copy_buffer_to_buffer(&theirs, 0, &own, 0, 4)), "buffer")?;
    says(encoded(here, |encoder| encoder.clear_buffer(&theirs, 0, None)), "buffer")?;
    let error = encoded(here, |encoder| {
        let buffer = wgpu::TexelCopyBufferInfo { buffer: &own, layout };
        encoder.copy_texture_to_buffer(other.as_image_copy(), buffer, size);
    });
    says(error, "texture")?;
    let error = encoded(here, |encoder| {
        let buffer = wgpu::TexelCopyBufferInfo { buffer: &theirs, layout };
        encoder.copy_buffer_to_texture(buffer, texture.as_image_copy(), size);
    });
    says(error, "buffer")?;
    let error = encoded(here, |encoder| {
        encoder.copy_texture_to_texture(texture.as_image_copy(), other.as_image_copy(), size);
    });
    says(error, "texture")?;
    says(encoded(here, |encoder| encoder.clear_texture(&other, &Default::default())), "texture")?;
    says(
        encoded(here, |encoder| encoder.resolve_query_set(&query_set, 0..1, &own, 0)),
        "query set",
    )?;
    let error = encoded(here, |encoder| {
        let state = wgpu::BufferUses::COPY_SRC;
        let transition = wgpu::BufferTransition { buffer: &theirs, state };
        encoder.transition_resources([transition].into_iter(), std::iter::empty());
    });
    says(error, "buffer")
}

fn passes(here: &Gpu, there: &Gpu) -> Result<(), Failed> {
    let pipelines = [here, there].map(|gpu| gpu.kernel(KERNEL));
    let groups = [(here, &pipelines[0]), (there, &pipelines[1])].map(|(gpu, pipeline)| {
        gpu.group(&pipeline.get_bind_group_layout(0), &[&gpu.storage("a", &[0])])
    });
    let counts = there.words("counts", &[1, 1, 1], BufferUsages::INDIRECT);
    let run = |pipeline: usize, group: usize, indirect: bool| {
        encoded(here, |encoder| {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&pipelines[pipeline]);
            pass.set_bind_group(0, &groups[group], &[]);
            if indirect {
                pass.dispatch_workgroups_indirect(&counts, 0);
            } else {
                pass.dispatch_workgroups(1, 1, 1);
            }
        })
    };
    says(run(1, 0, false), "compute pipeline")?;
    says(run(0, 1, false), "bind group")?;
    says(run(0, 0, true), "buffer")?;
    let view = texture(there).create_view(&Default::default());
    let error = encoded(here, |encoder| {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: Default::default(),
            })],
            ..Default::default()
        });
        pass.set_stencil_reference(1);
        pass.draw(0..1, 0..1);
    });
    says(error, "texture view")
}

fn bundles(here: &Gpu, there: &Gpu) -> Result<(), Failed> {
    let theirs = there.words("theirs", &[1, 1, 0, 0], BufferUsages::INDIRECT);
    let descriptor = wgpu::RenderBundleEncoderDescriptor {
        label: None,
        color_formats: &[Some(wgpu::TextureFormat::R32Uint)],
        depth_stencil: None,
        sample_count: 1,
        multiview: None,
    };
    let mut bundle = None;
    let error = here.error(|| {
        let mut encoder = here.create_render_bundle_encoder(&descriptor);
        encoder.draw_indirect(&theirs, 0);
        bundle = Some(encoder.finish(&Default::default()));
    });
    says(error, "buffer")?;
    let bundle = bundle.expect("there is always an object");
    let target = texture(here).create_view(&Default::default());
    let error = encoded(here, |encoder| {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &target,
                depth_slice: None,
                resolve_target: None,
                ops: Default::default(),
            })],
            ..Default::default()
        });
        pass.execute_bundles([&bundle]);
    });
    says(error, "buffer")
}

fn queue(here: &Gpu, there: &Gpu) -> Result<(), Failed> {
    let theirs = there.storage("theirs", &[0]);
    says(here.error(|| here.queue.write_buffer(&theirs, 0, &[0; 4])), "buffer")?;
    let mut view = None;
    let size = wgpu::BufferSize::MIN.saturating_add(3);
    let error = here.error(|| view = here.queue.write_buffer_with(&theirs, 0, size));
    says(error, "buffer")?;
    assert!(view.is_none());
    let other = texture(there);
    let error = here.error(|| {
        here.queue.write_texture(
            other.as_image_copy(),
            &[0; 4],
            Default::default(),
            wgpu::Extent3d::default(),
        );
    });
    says(error, "texture")?;
    let commands = there.create_command_encoder(&Default::default()).finish();
    says(
        here.error(|| {
            _ = here.queue.submit([commands]);
        }),
        "command buffer",
    )
}

fn invalid(here: &Gpu, there: &Gpu) -> Result<(), Failed> {
    let theirs = there.storage("theirs", &[0]);
    let pipeline = here.kernel(KERNEL);
    let mut group = None;
    let layout = pipeline.get_bind_group_layout(0);
    says(here.error(|| group = Some(here.group(&layout, &[&theirs]))), "buffer")?;
    let error = encoded(here, |encoder| {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    });
    assert!(error.as_ref().is_some_and(|error| error.contains("BindGroup with 'group' label")));
    says(error, "buffer")?;
    let module = there.wgsl(KERNEL);
    let mut made = None;
    let error = here.error(|| {
        made = Some(here.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("theirs"),
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            cache: None,
        }));
    });
    says(error, "shader module")?;
    let made = made.expect("there is always an object");
    says(here.error(|| drop(made.get_bind_group_layout(0))), "shader module")
}

/// Creates an invalid buffer.
fn wrong(gpu: &Gpu) {
    let _buffer = gpu.create_buffer(&wgpu::BufferDescriptor {
        label: Some("wrong"),
        size: 16,
        usage: BufferUsages::MAP_READ | BufferUsages::MAP_WRITE,
        mapped_at_creation: false,
    });
}

/// A scope returns its first error, whether wgpu or this crate reports it.
fn scopes(here: &Gpu, there: &Gpu) {
    let theirs = there.storage("theirs", &[0]);
    let foreign = || here.queue.write_buffer(&theirs, 0, &[0; 4]);
    let words = |scope: wgpu::ErrorScopeGuard| {
        let error = block_on(scope.pop()).map(|error| error.to_string());
        error.map(|error| error.contains("another wgpu instance"))
    };
    for foreign_first in [true, false] {
        let outer = here.push_error_scope(ErrorFilter::Validation);
        let inner = here.push_error_scope(ErrorFilter::Validation);
        let memory = here.push_error_scope(ErrorFilter::OutOfMemory);
        if foreign_first {
            foreign();
            wrong(here);
        } else {
            wrong(here);
            foreign();
        }
        assert_eq!(words(memory), None);
        assert_eq!(words(inner), Some(foreign_first));
        foreign();
        assert_eq!(words(outer), Some(true));
    }
}

fn handler(here: &Gpu, there: &Gpu) {
    let theirs = there.storage("theirs", &[0]);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&seen);
    here.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
        keep.lock().expect("not poisoned").push(error.to_string());
    }));
    here.queue.write_buffer(&theirs, 0, &[0; 4]);
    wrong(here);
    let seen = seen.lock().expect("not poisoned");
    assert_eq!(seen.len(), 2);
    assert!(seen[0].contains("another wgpu instance"), "{seen:?}");
}

fn side_by_side(one: &Gpu, two: &Gpu) {
    let buffers = [(one, 3), (two, 4)].map(|(gpu, word)| gpu.storage("own", &[word]));
    one.queue.write_buffer(&buffers[0], 0, &7u32.to_le_bytes());
    assert_eq!((one.read(&buffers[0]), two.read(&buffers[1])), (vec![7], vec![4]));
}

/// wgpu has its own error for this, which is unchanged.
fn other_device(here: &Gpu) -> Result<(), Failed> {
    let (device, _queue) = block_on(here.adapter.request_device(&Default::default()))?;
    let theirs = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("theirs"),
        size: 4,
        usage: BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let error = here.error(|| here.queue.write_buffer(&theirs, 0, &[0; 4]));
    assert!(error.is_some_and(|error| !error.contains("another wgpu instance")));
    Ok(())
}

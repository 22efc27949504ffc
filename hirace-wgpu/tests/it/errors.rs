//! Errors occur at the same points as in plain wgpu, with the same messages.

use crate::support::{computes, same, Gpu};
use hirace_testing::harness::Trial;
use pollster::block_on;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{mpsc, Arc, Mutex};
use wgpu::ErrorFilter;

pub fn trials() -> Vec<Trial> {
    vec![
        computes("errors::scopes_that_are_nested", nested),
        computes("errors::scopes_are_of_a_thread", thread),
        computes("errors::scopes_that_are_dropped", dropped),
        computes("errors::scopes_that_are_popped_in_the_wrong_order", wrong_order),
        computes("errors::uncaptured", uncaptured),
        computes("errors::without_a_handler", without_handler),
        same("errors::of_each_kind_of_object", kinds),
        computes("errors::of_invalid_objects", invalid),
        computes("errors::of_passes", passes),
        computes("errors::of_shaders", shaders),
        same("errors::of_requests", requests),
        computes("errors::lost_when_destroyed", lost),
        computes("errors::lost_when_dropped", lost_when_dropped),
        same("errors::labels", labels),
        computes("errors::equality_and_debug", equality),
    ]
}

/// Creates an invalid buffer.
fn wrong(gpu: &Gpu, label: &str) {
    let _buffer = gpu.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: 16,
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::MAP_WRITE,
        mapped_at_creation: false,
    });
}

fn in_words(error: Option<wgpu::Error>) -> Option<String> {
    error.map(|error| error.to_string())
}

fn nested(gpu: &Gpu) -> Vec<Option<String>> {
    let outer = gpu.push_error_scope(ErrorFilter::Validation);
    let other = gpu.push_error_scope(ErrorFilter::OutOfMemory);
    let inner = gpu.push_error_scope(ErrorFilter::Validation);
    wrong(gpu, "first");
    wrong(gpu, "second");
    let inner = block_on(inner.pop());
    wrong(gpu, "third");
    let other = block_on(other.pop());
    let outer = block_on(outer.pop());
    assert!(inner.is_some() && other.is_none() && outer.is_some());
    vec![in_words(inner), in_words(other), in_words(outer)]
}

fn thread(gpu: &Gpu) -> Vec<Option<String>> {
    let here = gpu.push_error_scope(ErrorFilter::Validation);
    let there = std::thread::scope(|scope| {
        let there = scope.spawn(|| {
            let there = gpu.push_error_scope(ErrorFilter::Validation);
            wrong(gpu, "there");
            // The future may be moved to another thread.
            there.pop()
        });
        block_on(there.join().expect("it does not panic"))
    });
    let here = block_on(here.pop());
    assert!(there.is_some() && here.is_none());
    vec![in_words(there), in_words(here)]
}

fn dropped(gpu: &Gpu) -> Option<String> {
    let outer = gpu.push_error_scope(ErrorFilter::Validation);
    {
        let _inner = gpu.push_error_scope(ErrorFilter::Validation);
        wrong(gpu, "inner");
    }
    assert!(catch_unwind(AssertUnwindSafe(|| {
        let _inner = gpu.push_error_scope(ErrorFilter::Validation);
        panic!("the application panics in a scope");
    }))
    .is_err());
    wrong(gpu, "outer");
    in_words(block_on(outer.pop()))
}

fn words_of_panic(act: impl FnOnce()) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(act)).err()?;
    let text = panic.downcast_ref::<String>().cloned();
    Some(text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned())).expect("text"))
}

fn wrong_order(gpu: &Gpu) -> Option<String> {
    let outer = gpu.push_error_scope(ErrorFilter::Validation);
    let inner = gpu.push_error_scope(ErrorFilter::Validation);
    let words = words_of_panic(|| drop(outer.pop()));
    assert!(words.is_some());
    std::mem::forget(inner);
    words
}

fn uncaptured(gpu: &Gpu) -> Vec<String> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let handler = |sign: &'static str| {
        let seen = Arc::clone(&seen);
        Arc::new(move |error: wgpu::Error| {
            seen.lock().expect("not poisoned").push(format!("{sign} {error}"));
        })
    };
    gpu.on_uncaptured_error(handler("first"));
    wrong(gpu, "one");
    let scope = gpu.push_error_scope(ErrorFilter::OutOfMemory);
    wrong(gpu, "two");
    drop(scope);
    gpu.on_uncaptured_error(handler("second"));
    std::thread::scope(|scope| {
        scope.spawn(|| wrong(gpu, "three"));
    });
    let seen = std::mem::take(&mut *seen.lock().expect("not poisoned"));
    assert_eq!(seen.len(), 3);
    seen
}

fn without_handler(gpu: &Gpu) -> Option<String> {
    let words = words_of_panic(|| wrong(gpu, "no handler catches it"));
    assert!(words.is_some());
    words
}

fn kinds(gpu: &Gpu) -> Vec<Option<String>> {
    let layout = gpu.storage_layout(&[false]);
    let small = gpu.storage("small", &[0]);
    let uniform = gpu.words("uniform", &[0; 4], wgpu::BufferUsages::UNIFORM);
    let module = gpu.wgsl("@compute @workgroup_size(1) fn main() {}");
    let pipeline = |entry_point, layout| {
        let _ = gpu.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("wrong"),
            layout,
            module: &module,
            entry_point: Some(entry_point),
            compilation_options: Default::default(),
            cache: None,
        });
    };
    let seen = vec![
        gpu.error(|| drop(gpu.group(&layout, &[]))),
        gpu.error(|| drop(gpu.group(&layout, &[&small, &small]))),
        gpu.error(|| drop(gpu.group(&layout, &[&uniform]))),
        gpu.error(|| drop(gpu.storage_layout(&[false; 40]))),
        gpu.error(|| pipeline("other", None)),
        gpu.error(|| {
            let _ = gpu.create_sampler(&wgpu::SamplerDescriptor {
                anisotropy_clamp: 0,
                ..Default::default()
            });
        }),
        gpu.error(|| {
            let _ = gpu.create_query_set(&wgpu::QuerySetDescriptor {
                label: None,
                ty: wgpu::QueryType::Occlusion,
                count: 0,
            });
        }),
        gpu.error(|| {
            let _ = gpu.create_texture(&wgpu::TextureDescriptor {
                label: Some("nothing"),
                size: wgpu::Extent3d::default(),
                mip_level_count: 99,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format: wgpu::TextureFormat::R8Unorm,
                usage: wgpu::TextureUsages::COPY_DST,
                view_formats: &[],
            });
        }),
        gpu.error(|| {
            let _ = gpu.create_render_bundle_encoder(&wgpu::RenderBundleEncoderDescriptor {
                label: None,
                color_formats: &[],
                depth_stencil: None,
                sample_count: 3,
                multiview: None,
            });
        }),
    ];
    // wgpu may accept one of them, in which case both instances do.
    assert!(seen.iter().flatten().count() > 7, "{seen:#?}");
    seen
}

fn invalid(gpu: &Gpu) -> Vec<Option<String>> {
    let mut made = None;
    let first = gpu.error(|| made = Some(gpu.kernel("@compute @workgroup_size(0) fn main() {}")));
    let pipeline = made.expect("there is always an object");
    let mut layout = None;
    let second = gpu.error(|| layout = Some(pipeline.get_bind_group_layout(0)));
    let layout = layout.expect("there is always an object");
    let mut group = None;
    let third = gpu.error(|| group = Some(gpu.group(&layout, &[])));
    let fourth = gpu.error(|| {
        gpu.compute(|pass| {
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(1, 1, 1);
        });
    });
    assert!(first.is_some() && fourth.is_some());
    vec![first, second, third, fourth]
}

fn passes(gpu: &Gpu) -> Vec<Option<String>> {
    let layout = gpu.storage_layout(&[false]);
    let group = gpu.group(&layout, &[&gpu.storage("a", &[0])]);
    let pipeline = gpu.kernel(
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
         @compute @workgroup_size(1) fn main() { a[0] = 1u; }",
    );
    let run = |record: &dyn Fn(&mut wgpu::ComputePass<'_>)| gpu.error(|| gpu.compute(record));
    let seen = vec![
        run(&|pass| pass.dispatch_workgroups(1, 1, 1)),
        run(&|pass| {
            pass.set_pipeline(&pipeline);
            pass.dispatch_workgroups(1, 1, 1);
        }),
        run(&|pass| {
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(1, 1, 1);
        }),
        run(&|pass| pass.set_bind_group(99, &group, &[])),
        run(&|pass| pass.set_bind_group(0, &group, &[0])),
        run(&|pass| {
            pass.set_pipeline(&pipeline);
            pass.dispatch_workgroups(1 << 20, 1, 1);
        }),
    ];
    assert!(seen.iter().all(Option::is_some), "{seen:#?}");
    seen
}

fn shaders(gpu: &Gpu) -> Vec<(Option<String>, String)> {
    let texts = [
        "@compute fn main() {",
        "@compute @workgroup_size(1) fn main() { let a: u32 = 1.5; }",
        "@compute @workgroup_size(1) fn main() { workgroupBarrier(); }",
    ];
    let all = texts.map(|text| {
        let mut module = None;
        let error = gpu.error(|| module = Some(gpu.wgsl(text)));
        let module = module.expect("there is always an object");
        (error, format!("{:?}", block_on(module.get_compilation_info()).messages))
    });
    assert!(all[0].0.is_some() && all[1].0.is_some() && all[2].0.is_none());
    all.to_vec()
}

fn requests(gpu: &Gpu) -> Vec<String> {
    let request = |features, limits: wgpu::Limits| {
        let asked = gpu.adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("too much"),
            required_features: features,
            required_limits: limits,
            ..Default::default()
        });
        block_on(asked).map(|_| ()).expect_err("no adapter has that").to_string()
    };
    let missing = wgpu::Features::all_webgpu_mask().difference(gpu.adapter.features());
    let limits = wgpu::Limits { max_buffer_size: u64::MAX, ..Default::default() };
    let mut seen = vec![request(wgpu::Features::empty(), limits)];
    if !missing.is_empty() {
        seen.push(request(missing, wgpu::Limits::default()));
    }
    let none = block_on(gpu.instance.request_adapter(&wgpu::RequestAdapterOptions {
        force_fallback_adapter: true,
        ..Default::default()
    }));
    seen.push(
        none.map(|adapter| adapter.get_info().name).unwrap_or_else(|error| error.to_string()),
    );
    let info = gpu.adapter.get_info();
    seen.push(format!("{} {:?}", info.name, gpu.adapter_info() == info));
    seen.push(format!("{:?} {:?}", gpu.features(), gpu.limits()));
    let adapter = &gpu.adapter;
    seen.push(format!("{:?} {:?}", adapter.features(), adapter.get_downlevel_capabilities()));
    let format = wgpu::TextureFormat::Rgba8Unorm;
    seen.push(format!("{:?}", adapter.get_texture_format_features(format)));
    seen.push(format!("{:?}", adapter.cooperative_matrix_properties()));
    seen.push(format!("{:?}", gpu.instance.wgsl_language_features()));
    seen.push(format!("{:?}", gpu.queue.get_timestamp_period()));
    seen
}

fn lost(gpu: &Gpu) -> (String, Option<String>, bool) {
    let (tell, heard) = mpsc::channel();
    gpu.set_device_lost_callback(move |reason, words| {
        tell.send(format!("{reason:?} {words}")).expect("the receiver is alive");
    });
    gpu.destroy();
    gpu.destroy();
    let _ = gpu.poll(wgpu::PollType::wait_indefinitely());
    let words = heard.recv().expect("it is called");
    let error = gpu.error(|| wrong(gpu, "too late"));
    (words, error, heard.try_recv().is_err())
}

fn lost_when_dropped(gpu: &Gpu) -> Option<String> {
    let (device, queue) =
        block_on(gpu.adapter.request_device(&Default::default())).expect("there is another");
    let (tell, heard) = mpsc::channel();
    device.set_device_lost_callback(move |reason, words| {
        tell.send(format!("{reason:?} {words}")).expect("the receiver is alive");
    });
    drop((queue, device));
    // wgpu decides whether the callback is called.
    heard.recv().ok()
}

fn labels(gpu: &Gpu) -> Vec<Option<String>> {
    let name = "a label of ours";
    let buffer = gpu.create_buffer(&wgpu::BufferDescriptor {
        label: Some(name),
        size: 4,
        usage: wgpu::BufferUsages::STORAGE,
        mapped_at_creation: false,
    });
    let copy = || {
        let mut encoder =
            gpu.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some(name) });
        encoder.copy_buffer_to_buffer(&buffer, 0, &buffer, 0, 4);
        gpu.queue.submit([encoder.finish()]);
    };
    let seen = vec![gpu.error(copy), gpu.error(|| gpu.queue.write_buffer(&buffer, 0, &[0; 4]))];
    assert!(seen.iter().flatten().all(|words| words.contains(name)), "{seen:?}");
    seen
}

fn equality(gpu: &Gpu) -> Vec<bool> {
    let (one, two) = (gpu.storage("one", &[0]), gpu.storage("two", &[0]));
    let group = gpu.storage_layout(&[false]);
    vec![
        one == one.clone(),
        one == two,
        group == group.clone(),
        gpu.device == gpu.device.clone(),
        format!("{:?}", gpu.device).is_empty(),
    ]
}

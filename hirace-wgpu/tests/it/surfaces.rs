//! Surfaces on wgpu's no-op back end, which has surfaces without a window. None of its adapters can present to one.

use crate::support::{idle_descriptor as descriptor, watched_by_nobody};
use hirace_testing::harness::Trial;
use hirace_wgpu::wrap_instance;
use libtest_mimic::Failed;
use pollster::block_on;
use std::fmt::Debug;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;
use wgpu::rwh;

pub fn trials() -> Vec<Trial> {
    vec![
        same("surfaces::asked_about", asked_about),
        same("surfaces::configured", configured),
        same("surfaces::not_configured", not_configured),
        same("surfaces::an_adapter_for_one", an_adapter_for_one),
        Trial::test("surfaces::of_another_instance", foreign),
    ]
}

#[derive(Debug)]
struct Nothing;

impl hirace_wgpu::Hooks for Nothing {}

fn same<T: Debug + PartialEq + 'static>(name: &str, program: fn(&wgpu::Instance) -> T) -> Trial {
    Trial::test(name, move || {
        let plain = program(&wgpu::Instance::new(descriptor()));
        let once = watched_by_nobody(descriptor());
        for instance in [once.clone(), wrap_instance(once, Arc::new(Nothing))] {
            let there = program(&instance);
            if there != plain {
                return Err(format!("plain: {plain:#?}\nwrapped: {there:#?}").into());
            }
        }
        Ok(())
    })
}

#[expect(unsafe_code, reason = "a surface of raw handles is made by an unsafe method")]
fn surface(instance: &wgpu::Instance) -> wgpu::Surface<'static> {
    let window = rwh::XlibWindowHandle::new(1);
    let display = rwh::XlibDisplayHandle::new(None, 0);
    let target = wgpu::SurfaceTargetUnsafe::RawHandle {
        raw_display_handle: Some(display.into()),
        raw_window_handle: window.into(),
    };
    // SAFETY: the handles are never used.
    unsafe { instance.create_surface_unsafe(target) }.expect("it takes any window")
}

fn device(instance: &wgpu::Instance) -> (wgpu::Adapter, wgpu::Device) {
    let adapter = block_on(instance.request_adapter(&Default::default())).expect("an adapter");
    let (device, _queue) = block_on(adapter.request_device(&Default::default())).expect("a device");
    (adapter, device)
}

fn configuration() -> wgpu::SurfaceConfiguration {
    wgpu::SurfaceConfiguration {
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
        format: wgpu::TextureFormat::Rgba8Unorm,
        color_space: Default::default(),
        width: 8,
        height: 8,
        present_mode: wgpu::PresentMode::Fifo,
        desired_maximum_frame_latency: 2,
        alpha_mode: wgpu::CompositeAlphaMode::Auto,
        view_formats: Vec::new(),
    }
}

fn asked_about(instance: &wgpu::Instance) -> Vec<String> {
    let surface = surface(instance);
    let (adapter, _device) = device(instance);
    vec![
        format!("{:?}", surface.get_capabilities(&adapter)),
        format!("{:?}", surface.display_hdr_info(&adapter)),
        format!("{:?}", adapter.is_surface_supported(&surface)),
        format!("{:?}", surface.get_default_config(&adapter, 8, 8)),
        format!("{:?}", surface.get_configuration()),
    ]
}

fn configured(instance: &wgpu::Instance) -> (Option<String>, String) {
    let surface = surface(instance);
    let (_adapter, device) = device(instance);
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    surface.configure(&device, &configuration());
    let error = block_on(scope.pop()).map(|error| error.to_string());
    assert!(error.is_some());
    (error, format!("{:?}", surface.get_configuration()))
}

fn not_configured(instance: &wgpu::Instance) -> String {
    let surface = surface(instance);
    let panic = catch_unwind(AssertUnwindSafe(|| surface.get_current_texture()));
    let panic = panic.map(|_| ()).expect_err("it is not configured");
    panic.downcast_ref::<String>().cloned().expect("text")
}

fn an_adapter_for_one(instance: &wgpu::Instance) -> String {
    let surface = surface(instance);
    let asked = instance.request_adapter(&wgpu::RequestAdapterOptions {
        compatible_surface: Some(&surface),
        ..Default::default()
    });
    block_on(asked).map(|_| ()).expect_err("none can show anything").to_string()
}

fn foreign() -> Result<(), Failed> {
    let (here, there) = (watched_by_nobody(descriptor()), watched_by_nobody(descriptor()));
    let theirs = surface(&there);
    let (adapter, device) = device(&here);
    let asked = here.request_adapter(&wgpu::RequestAdapterOptions {
        compatible_surface: Some(&theirs),
        ..Default::default()
    });
    let error = block_on(asked).map(|_| ()).expect_err("it is another's").to_string();
    assert!(error.contains("not compatible with provided surface"), "{error}");
    assert!(!adapter.is_surface_supported(&theirs));
    assert!(theirs.get_capabilities(&adapter).formats.is_empty());
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    theirs.configure(&device, &configuration());
    let error = block_on(scope.pop()).map(|error| error.to_string());
    assert!(error.is_some_and(|error| error.contains("the surface was made by another")));
    Ok(())
}

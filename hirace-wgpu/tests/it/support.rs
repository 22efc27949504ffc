//! The devices on which programs run, and helpers for programs.

use crate::restless::Restless;
use hirace_testing::harness::{Need, Trial};
use hirace_testing::Facility;
use hirace_wgpu::{wrap_instance, Hooks, NoHooks, Settings, WatchHooks};
use libtest_mimic::Failed;
use pollster::block_on;
use std::fmt::Debug;
use std::sync::{Arc, OnceLock};
use wgpu::util::DeviceExt;

/// A device of an instance.
pub struct Gpu {
    pub instance: wgpu::Instance,
    pub adapter: wgpu::Adapter,
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
}

impl std::ops::Deref for Gpu {
    type Target = wgpu::Device;

    fn deref(&self) -> &wgpu::Device {
        &self.device
    }
}

pub fn descriptor() -> wgpu::InstanceDescriptor {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::VULKAN;
    descriptor
}

/// Returns a wrapped instance without a watcher.
pub fn watched_by_nobody(descriptor: wgpu::InstanceDescriptor) -> wgpu::Instance {
    wrap_instance(wgpu::Instance::new(descriptor), Arc::new(NoHooks))
}

/// Returns hooks that check all dispatches and report only to standard error.
pub fn watching(settings: Settings) -> Arc<WatchHooks> {
    Arc::new(WatchHooks::new(Settings { device: Some("embedded".to_owned()), ..settings }))
}

pub fn plain() -> wgpu::Instance {
    // Some drivers can be loaded only a limited number of times, and are unloaded with the last instance.
    static KEPT: OnceLock<wgpu::Instance> = OnceLock::new();
    KEPT.get_or_init(|| wgpu::Instance::new(descriptor()));
    wgpu::Instance::new(descriptor())
}

/// Returns the first adapter that is not a CPU, or otherwise the first one.
fn choose(instance: &wgpu::Instance) -> Option<wgpu::Adapter> {
    let mut all = block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
    all.sort_by_key(|adapter| adapter.get_info().device_type == wgpu::DeviceType::Cpu);
    all.into_iter().next()
}

const ARRAYS: wgpu::Features =
    wgpu::Features::BUFFER_BINDING_ARRAY.union(wgpu::Features::TEXTURE_BINDING_ARRAY);

#[expect(unsafe_code, reason = "experimental features may misbehave, which is acceptable in tests")]
fn experimental() -> wgpu::ExperimentalFeatures {
    // SAFETY: the kernels that run are known and correct.
    unsafe { wgpu::ExperimentalFeatures::enabled() }
}

impl Gpu {
    pub fn of(instance: wgpu::Instance, features: wgpu::Features) -> Self {
        let adapter = choose(&instance).expect("there is an adapter");
        Self::on(instance, adapter, features)
    }

    fn on(instance: wgpu::Instance, adapter: wgpu::Adapter, features: wgpu::Features) -> Self {
        let mut limits = wgpu::Limits {
            max_immediate_size: adapter.limits().max_immediate_size.min(64),
            ..Default::default()
        };
        if features.contains(wgpu::Features::EXPERIMENTAL_RAY_QUERY) {
            limits = limits.using_minimum_supported_acceleration_structure_values();
        }
        if features.intersects(ARRAYS) {
            limits.max_binding_array_elements_per_shader_stage = 8;
        }
        let (device, queue) = block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("tested"),
            experimental_features: experimental(),
            required_features: features,
            required_limits: limits,
            ..Default::default()
        }))
        .expect("there is a device");
        Self { instance, adapter, device, queue }
    }

    pub fn plain(features: wgpu::Features) -> Self {
        Self::of(plain(), features)
    }

    pub fn wrapped(features: wgpu::Features) -> Self {
        Self::of(watched_by_nobody(descriptor()), features)
    }

    pub fn hooked(features: wgpu::Features, hooks: Arc<dyn Hooks>) -> Self {
        Self::of(wrap_instance(plain(), hooks), features)
    }

    /// Creates a buffer of words.
    pub fn words(&self, label: &str, words: &[u32], usage: wgpu::BufferUsages) -> wgpu::Buffer {
        self.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some(label),
            contents: bytemuck::cast_slice(words),
            usage: usage | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
        })
    }

    /// Creates a storage buffer of words.
    pub fn storage(&self, label: &str, words: &[u32]) -> wgpu::Buffer {
        self.words(label, words, wgpu::BufferUsages::STORAGE)
    }

    /// Returns the contents of a buffer, through a mapped copy.
    pub fn read(&self, buffer: &wgpu::Buffer) -> Vec<u32> {
        let mut encoder = self.create_command_encoder(&Default::default());
        let copy = self.create_buffer(&wgpu::BufferDescriptor {
            label: Some("read back"),
            size: buffer.size(),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        encoder.copy_buffer_to_buffer(buffer, 0, &copy, 0, buffer.size());
        self.queue.submit([encoder.finish()]);
        self.mapped(&copy)
    }

    /// Returns the contents of a mappable buffer.
    pub fn mapped(&self, buffer: &wgpu::Buffer) -> Vec<u32> {
        let (tell, heard) = std::sync::mpsc::channel();
        buffer.map_async(wgpu::MapMode::Read, .., move |result| {
            tell.send(result).expect("the receiver is alive");
        });
        self.poll(wgpu::PollType::wait_indefinitely()).expect("it ends");
        heard.recv().expect("it was called").expect("it is mapped");
        let words = bytemuck::pod_collect_to_vec(&buffer.get_mapped_range(..).expect("mapped"));
        buffer.unmap();
        words
    }

    pub fn wgsl(&self, text: &str) -> wgpu::ShaderModule {
        self.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("text"),
            source: wgpu::ShaderSource::Wgsl(text.into()),
        })
    }

    /// Creates a pipeline with an automatic layout.
    pub fn kernel(&self, text: &str) -> wgpu::ComputePipeline {
        self.pipeline(text, None, &[])
    }

    pub fn pipeline(
        &self,
        text: &str,
        layout: Option<&wgpu::PipelineLayout>,
        constants: &[(&str, f64)],
    ) -> wgpu::ComputePipeline {
        self.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("kernel"),
            layout,
            module: &self.wgsl(text),
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions {
                constants,
                ..Default::default()
            },
            cache: None,
        })
    }

    /// Creates a group of whole buffers, at bindings 0, 1 …
    pub fn group(
        &self,
        layout: &wgpu::BindGroupLayout,
        buffers: &[&wgpu::Buffer],
    ) -> wgpu::BindGroup {
        let mut entries = Vec::new();
        for (binding, buffer) in (0..).zip(buffers) {
            entries.push(wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() });
        }
        let label = Some("group");
        self.create_bind_group(&wgpu::BindGroupDescriptor { label, layout, entries: &entries })
    }

    /// Creates a layout of storage buffers.
    pub fn storage_layout(&self, dynamic: &[bool]) -> wgpu::BindGroupLayout {
        let entry = |(binding, &has_dynamic_offset)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage { read_only: false },
                has_dynamic_offset,
                min_binding_size: None,
            },
            count: None,
        };
        let entries: Vec<_> = (0..).zip(dynamic).map(entry).collect();
        self.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("storage"),
            entries: &entries,
        })
    }

    /// Records a compute pass and submits it.
    pub fn compute(&self, record: impl FnOnce(&mut wgpu::ComputePass<'_>)) {
        let mut encoder = self.create_command_encoder(&Default::default());
        let descriptor = wgpu::ComputePassDescriptor { label: Some("pass"), ..Default::default() };
        record(&mut encoder.begin_compute_pass(&descriptor));
        self.queue.submit([encoder.finish()]);
    }

    /// Returns the validation error that `act` causes.
    pub fn error(&self, act: impl FnOnce()) -> Option<String> {
        let scope = self.push_error_scope(wgpu::ErrorFilter::Validation);
        act();
        let error = block_on(scope.pop()).map(|error| error.to_string())?;
        // The watched device has one more bind group, which shows in its errors.
        Some(error.replace("`max_bind_groups` limit 5", "`max_bind_groups` limit 4"))
    }
}

/// Returns why there is no adapter with these features.
fn missing(features: wgpu::Features) -> Option<String> {
    static HAS: OnceLock<Option<wgpu::Features>> = OnceLock::new();
    let has = *HAS.get_or_init(|| choose(&plain()).map(|adapter| adapter.features()));
    match has {
        None => Some("there is no Vulkan driver here".to_owned()),
        Some(has) if !has.contains(features) => {
            Some(format!("the adapter has no {:?}", features.difference(has)))
        }
        Some(_) => None,
    }
}

/// Creates a trial that needs an adapter.
pub fn on_device(
    name: &str,
    features: wgpu::Features,
    test: impl FnOnce() -> Result<(), Failed> + Send + 'static,
) -> Trial {
    // Not every adapter has every feature, so only the adapter itself is required.
    let adapter = Need::new(Facility::Gpu, || missing(wgpu::Features::empty()));
    Trial::test(name, test).needs(adapter).needs(Need::new(None, move || missing(features)))
}

/// Creates a trial for a program that must have the same results on each instance.
pub fn same<T: Debug + PartialEq + 'static>(name: &str, program: fn(&Gpu) -> T) -> Trial {
    same_with(name, wgpu::Features::empty(), program)
}

/// Like `same`, for a program that needs features.
pub fn same_with<T: Debug + PartialEq + 'static>(
    name: &str,
    features: wgpu::Features,
    program: fn(&Gpu) -> T,
) -> Trial {
    on_device(name, features, move || on_drivers(features, program))
}

fn on_drivers<T: Debug + PartialEq>(
    features: wgpu::Features,
    program: fn(&Gpu) -> T,
) -> Result<(), Failed> {
    let plain = program(&Gpu::plain(features));
    let others = [
        ("wrapped", Gpu::wrapped(features)),
        ("watched", Gpu::hooked(features, Arc::new(Restless))),
        ("wrapped twice", Gpu::hooked_twice(features)),
    ];
    for (how, gpu) in others {
        let there = program(&gpu);
        if there != plain {
            return Err(format!("plain: {plain:#?}\n{how}: {there:#?}").into());
        }
    }
    let checked = program(&Gpu::hooked(features, watching(Settings::default())));
    match words(&checked) == words(&plain) {
        true => Ok(()),
        false => Err(format!("plain: {plain:#?}\nchecked: {checked:#?}").into()),
    }
}

/// Creates a trial for a compute program that must have the same results on the embedded device, too.
pub fn computes<T: Debug + PartialEq + 'static>(name: &str, program: fn(&Gpu) -> T) -> Trial {
    computes_with(name, wgpu::Features::empty(), program)
}

/// Like `computes`, for a program that needs features.
pub fn computes_with<T: Debug + PartialEq + 'static>(
    name: &str,
    features: wgpu::Features,
    program: fn(&Gpu) -> T,
) -> Trial {
    on_device(name, features, move || {
        on_drivers(features, program)?;
        let plain = program(&Gpu::plain(features));
        let embedded = program(&Gpu::embedded(features, Settings::default()));
        match words(&embedded) == words(&plain) {
            true => Ok(()),
            false => Err(format!("plain: {plain:#?}\nembedded: {embedded:#?}").into()),
        }
    })
}

/// Returns the results as text, without the differences that copies cause: errors list the additional usage, and may
/// refer to the copy instead of the dispatch.
fn words(left: &impl Debug) -> String {
    let left = format!("{left:?}");
    left.replace("COPY_SRC | ", "")
        .replace("COPY_DST | ", "")
        .replace("In a dispatch command, indirect:false\\n      ", "")
}

/// Creates a trial for a program on wgpu's no-op back end, which has all features. The calls and the error messages
/// must be the same on each instance.
pub fn same_idle<T: Debug + PartialEq + 'static>(
    name: &str,
    features: wgpu::Features,
    program: fn(&Gpu) -> T,
) -> Trial {
    Trial::test(format!("idle::{name}"), move || {
        let plain = program(&Gpu::idle(wgpu::Instance::new(idle_descriptor()), features));
        let once = || watched_by_nobody(idle_descriptor());
        let checked = wrap_instance(once(), watching(Settings::default()));
        for instance in [once(), wrap_instance(once(), Arc::new(Restless)), checked] {
            let there = program(&Gpu::idle(instance, features));
            if there != plain {
                return Err(format!("plain: {plain:#?}\nwrapped: {there:#?}").into());
            }
        }
        Ok(())
    })
}

pub fn idle_descriptor() -> wgpu::InstanceDescriptor {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::NOOP;
    descriptor.backend_options.noop = wgpu::NoopBackendOptions::enabled();
    descriptor
}

impl Gpu {
    /// Creates the embedded device.
    pub fn embedded(features: wgpu::Features, settings: Settings) -> Self {
        let settings = Settings { embedded: true, ..settings };
        let instance = hirace_wgpu::instance_with(descriptor(), settings);
        let adapter = block_on(instance.request_adapter(&Default::default())).expect("an adapter");
        Self::on(instance, adapter, features)
    }

    /// Creates a no-op device.
    pub fn idle(instance: wgpu::Instance, features: wgpu::Features) -> Self {
        let adapter = block_on(instance.request_adapter(&Default::default())).expect("an adapter");
        Self::on(instance, adapter, features)
    }

    /// Wraps a wrapped instance.
    fn hooked_twice(features: wgpu::Features) -> Self {
        let once = watched_by_nobody(descriptor());
        Self::of(wrap_instance(once, Arc::new(Restless)), features)
    }
}

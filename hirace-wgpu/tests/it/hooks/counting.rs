//! A watcher that adds a counter to each kernel and reads it after each submission, without changing the results of the
//! application. It shows that the hooks are sufficient.

use crate::support::{on_device, Gpu};
use hirace_testing::harness::Trial;
use hirace_wgpu::{
    CreatedPipeline, Dispatch, GroupLayout, Hooks, PipelineRequest, Record, Source, Submission,
    Watcher,
};
use libtest_mimic::Failed;
use std::sync::{Arc, Mutex};
use wgpu::{BufferUsages, Features};

pub fn trials() -> Vec<Trial> {
    vec![
        on_device("hooks::counters_in_a_group_of_their_own", Features::empty(), own_group),
        on_device("hooks::counters_with_an_automatic_layout", Features::empty(), automatic),
        on_device("hooks::counters_where_all_groups_are_in_use", Features::empty(), all_in_use),
    ]
}

#[derive(Debug, Default)]
struct Counts(Arc<Mutex<Vec<u32>>>);

impl Hooks for Counts {
    fn device(
        &self,
        device: &wgpu::Device,
        _queue: &wgpu::Queue,
        _asked: &wgpu::DeviceDescriptor<'_>,
    ) -> Option<Arc<dyn Watcher>> {
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[counter_entry(0)],
        });
        let max_bind_groups = device.limits().max_bind_groups;
        Some(Arc::new(Counting { counts: Arc::clone(&self.0), layout, max_bind_groups }))
    }
}

#[derive(Debug)]
struct Counting {
    counts: Arc<Mutex<Vec<u32>>>,
    /// The layout of the group with the counter.
    layout: wgpu::BindGroupLayout,
    max_bind_groups: u32,
}

/// The binding of a pipeline's counter.
#[derive(Debug)]
enum Place {
    Group(u32),
    /// In a group of the application, with an extended layout.
    Extended(wgpu::BindGroupLayout),
}

const EXTRA: u32 = 900;

fn counter_entry(binding: u32) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: false },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    }
}

impl Counting {
    /// Returns the kernel with a counter, which is incremented at its marked line.
    fn counted(text: &str, group: u32, binding: u32) -> String {
        let counter = format!(
            "@group({group}) @binding({binding}) var<storage, read_write> counter: atomic<u32>;\n"
        );
        counter + &text.replace("/* here */", "atomicAdd(&counter, 1u);")
    }

    /// Creates a pipeline of that kernel, with a layout of these groups.
    fn made(
        &self,
        request: &PipelineRequest<'_>,
        text: String,
        groups: &[Option<&wgpu::BindGroupLayout>],
        place: Place,
    ) -> CreatedPipeline {
        let module = request.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        let layout = request.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: groups,
            immediate_size: 0,
        });
        let pipeline = request.make_of(&module, Some(&layout));
        CreatedPipeline { pipeline, layouts_of: None, state: Some(Arc::new(place)) }
    }
}

impl Watcher for Counting {
    fn compute_pipeline(&self, request: &PipelineRequest<'_>) -> Option<CreatedPipeline> {
        let Source::Wgsl(text) = &request.module.source else { return None };
        let Some(layout) = request.layout else {
            // These kernels have at most one group, whose layout the plain pipeline has. Groups of that layout fit no
            // other pipeline, so each is created again with an extended layout.
            let extended =
                request.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                    label: None,
                    entries: &[counter_entry(0), counter_entry(EXTRA)],
                });
            let text = Self::counted(text, 0, EXTRA);
            let place = Place::Extended(extended.clone());
            let made = self.made(request, text, &[Some(&extended)], place);
            return Some(CreatedPipeline { layouts_of: Some(request.make()), ..made });
        };
        let inner = |layout: &Option<Arc<GroupLayout>>| layout.as_ref().map(|it| it.inner.clone());
        let mut groups: Vec<_> = layout.groups.iter().map(inner).collect();
        let index = groups.len() as u32;
        let place = if index < self.max_bind_groups {
            groups.push(Some(self.layout.clone()));
            Place::Group(index)
        } else {
            let first = layout.groups[0].as_ref()?;
            let mut entries = first.entries.clone()?;
            entries.push(counter_entry(EXTRA));
            let device = request.device;
            let extended = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: None,
                entries: &entries,
            });
            groups[0] = Some(extended.clone());
            Place::Extended(extended)
        };
        let text = match place {
            Place::Group(index) => Self::counted(text, index, 0),
            Place::Extended(_) => Self::counted(text, 0, EXTRA),
        };
        let groups: Vec<_> = groups.iter().map(Option::as_ref).collect();
        Some(self.made(request, text, &groups, place))
    }

    fn dispatch(&self, dispatch: &mut Dispatch<'_>, records: &mut Vec<Record>) {
        let pipeline = Arc::clone(dispatch.pipeline());
        let Some(place) = pipeline.state::<Place>() else { return dispatch.record() };
        let buffer = |usage| {
            dispatch.device().create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 4,
                usage,
                mapped_at_creation: false,
            })
        };
        let counter = buffer(BufferUsages::STORAGE | BufferUsages::COPY_SRC);
        let copy = buffer(BufferUsages::COPY_DST | BufferUsages::MAP_READ);
        let resource = counter.as_entire_binding();
        match place {
            Place::Group(index) => {
                let group = dispatch.device().create_bind_group(&wgpu::BindGroupDescriptor {
                    label: None,
                    layout: &self.layout,
                    entries: &[wgpu::BindGroupEntry { binding: 0, resource }],
                });
                dispatch.pass().set_bind_group(*index, &group, &[]);
            }
            Place::Extended(layout) => {
                let more = [wgpu::BindGroupEntry { binding: EXTRA, resource }];
                let bound = dispatch.groups()[0].clone().expect("the application has bound it");
                let group = bound.group.with(dispatch.device(), layout, &more);
                dispatch.pass().set_bind_group(0, &group, &bound.offsets);
            }
        }
        dispatch.record();
        dispatch.put_back();
        records.push(Box::new((counter, copy)));
    }

    fn finishing(&self, encoder: &mut wgpu::CommandEncoder, records: &mut Vec<Record>) {
        for record in records {
            let (counter, copy) = record.downcast_ref().expect("it is ours");
            encoder.copy_buffer_to_buffer(counter, 0, copy, 0, 4);
        }
    }

    fn submitted(&self, submission: Submission<'_>) {
        for record in submission.records {
            let pair = record.downcast::<(wgpu::Buffer, wgpu::Buffer)>().expect("it is ours");
            let (counts, copy) = (Arc::clone(&self.counts), pair.1.clone());
            pair.1.map_async(wgpu::MapMode::Read, .., move |result| {
                result.expect("it is mapped");
                let count = copy.get_mapped_range(..).expect("it is mapped");
                let count = u32::from_le_bytes(count[..].try_into().expect("a word"));
                counts.lock().expect("not poisoned").push(count);
            });
        }
    }
}

const KERNEL: &str = "
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x < arrayLength(&a) {
        a[id.x] += 2u;
        /* here */
    }
}";

/// Checks that a program has the same results on plain wgpu and with counters, and that the counts are as expected.
fn counted(program: fn(&Gpu) -> Vec<u32>, counts: &[u32]) -> Result<(), Failed> {
    let plain = program(&Gpu::plain(Features::empty()));
    let hooks = Counts::default();
    let seen = Arc::clone(&hooks.0);
    let watched = program(&Gpu::hooked(Features::empty(), Arc::new(hooks)));
    assert_eq!(plain, watched);
    let seen = seen.lock().expect("not poisoned");
    if *seen == counts {
        Ok(())
    } else {
        Err(format!("{seen:?}").into())
    }
}

fn run(gpu: &Gpu, pipeline: &wgpu::ComputePipeline, groups: &[wgpu::BindGroup]) {
    gpu.compute(|pass| {
        pass.set_pipeline(pipeline);
        for (index, group) in (0..).zip(groups) {
            pass.set_bind_group(index, group, &[]);
        }
        pass.dispatch_workgroups(1, 1, 1);
        pass.dispatch_workgroups(4, 1, 1);
    });
}

fn own_group() -> Result<(), Failed> {
    counted(
        |gpu| {
            let layout = gpu.storage_layout(&[false]);
            let pipelines = gpu.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: None,
                bind_group_layouts: &[Some(&layout)],
                immediate_size: 0,
            });
            let pipeline = gpu.pipeline(KERNEL, Some(&pipelines), &[]);
            let buffer = gpu.storage("a", &[1; 12]);
            run(gpu, &pipeline, &[gpu.group(&pipeline.get_bind_group_layout(0), &[&buffer])]);
            gpu.read(&buffer)
        },
        &[8, 12],
    )
}

fn automatic() -> Result<(), Failed> {
    counted(
        |gpu| {
            let pipeline = gpu.kernel(KERNEL);
            let buffer = gpu.storage("a", &[1; 12]);
            run(gpu, &pipeline, &[gpu.group(&pipeline.get_bind_group_layout(0), &[&buffer])]);
            gpu.read(&buffer)
        },
        &[8, 12],
    )
}

fn all_in_use() -> Result<(), Failed> {
    counted(
        |gpu| {
            let layout = gpu.storage_layout(&[false]);
            let groups = vec![Some(&layout); gpu.limits().max_bind_groups as usize];
            let pipelines = gpu.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: None,
                bind_group_layouts: &groups,
                immediate_size: 0,
            });
            let pipeline = gpu.pipeline(KERNEL, Some(&pipelines), &[]);
            let buffer = gpu.storage("a", &[1; 12]);
            let bound: Vec<_> = groups.iter().map(|_| gpu.group(&layout, &[&buffer])).collect();
            run(gpu, &pipeline, &bound);
            gpu.read(&buffer)
        },
        &[8, 12],
    )
}

//! A watcher that does as much as a watcher may without changing the results: hidden limits, another pipeline and
//! another group before each dispatch, split passes, copies before and after.

use hirace_wgpu::{
    CreatedPipeline, Dispatch, Hooks, PipelineRequest, Record, Submission, Watcher, Workgroups,
};
use std::sync::Arc;
use wgpu::BufferUsages as Usages;

#[derive(Debug)]
pub struct Restless;

impl Hooks for Restless {
    fn limits(&self, _adapter: &wgpu::Adapter, limits: wgpu::Limits) -> wgpu::Limits {
        let max_bind_groups = limits.max_bind_groups - 1;
        wgpu::Limits { max_bind_groups, ..limits }
    }

    fn requesting(&self, _adapter: &wgpu::Adapter, asked: &mut wgpu::DeviceDescriptor<'_>) {
        asked.required_limits.max_bind_groups += 1;
    }

    fn device(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        asked: &wgpu::DeviceDescriptor<'_>,
    ) -> Option<Arc<dyn Watcher>> {
        Some(Arc::new(Busy::new(device, queue, asked.required_limits.max_bind_groups)))
    }
}

#[derive(Debug)]
struct Busy {
    max_bind_groups: u32,
    count: wgpu::ComputePipeline,
    counter: wgpu::Buffer,
    copy: wgpu::Buffer,
    group: wgpu::BindGroup,
}

/// The record of a dispatch: the number of workgroups, if it is known.
#[derive(Debug)]
struct Mark(Option<u32>);

const COUNT: &str = "
@group(0) @binding(0) var<storage, read_write> counter: array<u32, 4>;
@compute @workgroup_size(1) fn main() { counter[0] += 1u; }
";

impl Busy {
    fn new(device: &wgpu::Device, _queue: &wgpu::Queue, max_bind_groups: u32) -> Self {
        let buffer = |usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("watcher's"),
                size: 16,
                usage,
                mapped_at_creation: false,
            })
        };
        let counter = buffer(Usages::STORAGE | Usages::COPY_SRC | Usages::COPY_DST);
        let copy = buffer(Usages::COPY_DST | Usages::COPY_SRC);
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(COUNT.into()),
        });
        let count = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            cache: None,
        });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &count.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: counter.as_entire_binding() }],
        });
        Self { max_bind_groups, count, counter, copy, group }
    }

    fn copy(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.copy_buffer_to_buffer(&self.counter, 0, &self.copy, 0, 16);
    }
}

impl Watcher for Busy {
    fn limits(&self, limits: wgpu::Limits) -> wgpu::Limits {
        assert_eq!(limits.max_bind_groups, self.max_bind_groups + 1);
        wgpu::Limits { max_bind_groups: self.max_bind_groups, ..limits }
    }

    fn compute_pipeline(&self, request: &PipelineRequest<'_>) -> Option<CreatedPipeline> {
        let state = request.label.unwrap_or_default().to_owned();
        Some(CreatedPipeline {
            pipeline: request.make(),
            layouts_of: None,
            state: Some(Arc::new(state)),
        })
    }

    fn pass_begins(&self, encoder: &mut wgpu::CommandEncoder, _records: &mut Vec<Record>) {
        encoder.clear_buffer(&self.counter, 0, None);
    }

    fn dispatch(&self, dispatch: &mut Dispatch<'_>, records: &mut Vec<Record>) {
        // If the pass cannot be split, everything else is done nevertheless.
        let parted = dispatch.split_with(|encoder| self.copy(encoder)).is_ok();
        let pass = dispatch.pass();
        pass.set_pipeline(&self.count);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
        dispatch.put_back();
        dispatch.record();
        if parted {
            dispatch.split_with(|encoder| self.copy(encoder)).expect("it could be split before");
        }
        let count = match dispatch.workgroups() {
            Workgroups::Direct(counts) => {
                Some(counts.iter().fold(1, |all, &n| n.wrapping_mul(all)))
            }
            Workgroups::Indirect { .. } => None,
        };
        records.push(Box::new(Mark(count)));
    }

    fn pass_ended(&self, encoder: &mut wgpu::CommandEncoder, _records: &mut Vec<Record>) {
        self.copy(encoder);
    }

    fn finishing(&self, encoder: &mut wgpu::CommandEncoder, _records: &mut Vec<Record>) {
        self.copy(encoder);
    }

    fn submitted(&self, submission: Submission<'_>) {
        for record in submission.records {
            let mark = record.downcast::<Mark>().expect("it is ours");
            assert_ne!(mark.0, Some(0));
        }
    }
}

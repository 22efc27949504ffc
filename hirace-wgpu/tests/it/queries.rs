//! Query sets: timestamps, pipeline statistics, occlusion.

use crate::support::{same_with, Gpu};
use hirace_testing::harness::Trial;
use wgpu::{BufferUsages as Usages, Features};

pub fn trials() -> Vec<Trial> {
    vec![
        same_with("queries::timestamps_of_a_pass", Features::TIMESTAMP_QUERY, of_a_pass),
        same_with(
            "queries::timestamps_in_an_encoder_and_a_pass",
            Features::TIMESTAMP_QUERY
                .union(Features::TIMESTAMP_QUERY_INSIDE_ENCODERS)
                .union(Features::TIMESTAMP_QUERY_INSIDE_PASSES),
            inside,
        ),
        same_with("queries::statistics", Features::PIPELINE_STATISTICS_QUERY, statistics),
        same_with("queries::what_is_refused", Features::TIMESTAMP_QUERY, refused),
    ]
}

const COUNT: &str = "
@group(0) @binding(0) var<storage, read_write> a: array<atomic<u32>>;
@compute @workgroup_size(8) fn main() { atomicAdd(&a[0], 1u); }";

fn set(gpu: &Gpu, ty: wgpu::QueryType, count: u32) -> wgpu::QuerySet {
    let set = gpu.create_query_set(&wgpu::QuerySetDescriptor { label: Some("set"), ty, count });
    assert_eq!(set.count(), count);
    set
}

fn resolved(gpu: &Gpu, set: &wgpu::QuerySet, mut encoder: wgpu::CommandEncoder) -> Vec<u64> {
    let count = set.count();
    let buffer = gpu.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 512 + u64::from(count) * 8,
        usage: Usages::QUERY_RESOLVE | Usages::COPY_SRC,
        mapped_at_creation: false,
    });
    encoder.resolve_query_set(set, 0..count, &buffer, 256);
    encoder.resolve_query_set(set, 1..count, &buffer, 512);
    gpu.queue.submit([encoder.finish()]);
    let words = gpu.read(&buffer);
    let at = |word: usize, count: u32| -> Vec<u64> {
        let pairs = words[word..].chunks_exact(2).take(count as usize);
        pairs.map(|pair| u64::from(pair[0]) | (u64::from(pair[1]) << 32)).collect()
    };
    let all = at(64, count);
    assert_eq!(at(128, count - 1), all[1..]);
    all
}

fn kernel(gpu: &Gpu) -> (wgpu::ComputePipeline, wgpu::BindGroup, wgpu::Buffer) {
    let pipeline = gpu.kernel(COUNT);
    let buffer = gpu.storage("counter", &[0]);
    let group = gpu.group(&pipeline.get_bind_group_layout(0), &[&buffer]);
    (pipeline, group, buffer)
}

fn of_a_pass(gpu: &Gpu) -> (Vec<u32>, bool) {
    let (pipeline, group, buffer) = kernel(gpu);
    let set = set(gpu, wgpu::QueryType::Timestamp, 2);
    let mut encoder = gpu.create_command_encoder(&Default::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes: Some(wgpu::ComputePassTimestampWrites {
                query_set: &set,
                beginning_of_pass_write_index: Some(0),
                end_of_pass_write_index: Some(1),
            }),
        });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(4, 1, 1);
    }
    let times = resolved(gpu, &set, encoder);
    assert!(times[0] > 0 && times[1] >= times[0], "{times:?}");
    (gpu.read(&buffer), times[1] >= times[0])
}

fn inside(gpu: &Gpu) -> (Vec<u32>, bool) {
    let (pipeline, group, buffer) = kernel(gpu);
    let set = set(gpu, wgpu::QueryType::Timestamp, 5);
    let mut encoder = gpu.create_command_encoder(&Default::default());
    encoder.write_timestamp(&set, 0);
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes: Some(wgpu::ComputePassTimestampWrites {
                query_set: &set,
                beginning_of_pass_write_index: Some(1),
                end_of_pass_write_index: None,
            }),
        });
        pass.write_timestamp(&set, 2);
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(4, 1, 1);
        pass.write_timestamp(&set, 3);
    }
    encoder.write_timestamp(&set, 4);
    let times = resolved(gpu, &set, encoder);
    assert!(times[0] > 0 && times.is_sorted(), "{times:?}");
    (gpu.read(&buffer), times.is_sorted())
}

fn statistics(gpu: &Gpu) -> (Vec<u32>, bool) {
    let (pipeline, group, buffer) = kernel(gpu);
    let types = wgpu::PipelineStatisticsTypes::COMPUTE_SHADER_INVOCATIONS;
    let set = set(gpu, wgpu::QueryType::PipelineStatistics(types), 2);
    let mut encoder = gpu.create_command_encoder(&Default::default());
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.begin_pipeline_statistics_query(&set, 0);
        pass.dispatch_workgroups(4, 1, 1);
        pass.end_pipeline_statistics_query();
        pass.begin_pipeline_statistics_query(&set, 1);
        pass.end_pipeline_statistics_query();
        pass.dispatch_workgroups(1, 1, 1);
    }
    // The dispatches that a watcher adds are counted as well.
    let counted = resolved(gpu, &set, encoder)[0];
    assert!(counted >= 32, "{counted}");
    (gpu.read(&buffer), counted >= 32)
}

fn refused(gpu: &Gpu) -> Vec<Option<String>> {
    let set = set(gpu, wgpu::QueryType::Timestamp, 2);
    let buffer = gpu.storage("not for queries", &[0; 8]);
    let resolve = |range: std::ops::Range<u32>| {
        gpu.error(|| {
            let mut encoder = gpu.create_command_encoder(&Default::default());
            encoder.resolve_query_set(&set, range, &buffer, 0);
            gpu.queue.submit([encoder.finish()]);
        })
    };
    let mut seen = vec![resolve(0..2), resolve(1..9)];
    seen.push(gpu.error(|| {
        let mut encoder = gpu.create_command_encoder(&Default::default());
        encoder.write_timestamp(&set, 0);
        gpu.queue.submit([encoder.finish()]);
    }));
    set.destroy();
    seen.push(resolve(0..1));
    assert!(seen.iter().all(Option::is_some), "{seen:#?}");
    seen
}

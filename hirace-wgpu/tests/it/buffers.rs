//! Buffers: writing, mapping, copying, clearing.

use crate::support::{computes, same, Gpu};
use hirace_testing::harness::Trial;
use std::num::NonZero;
use std::sync::mpsc;
use wgpu::BufferUsages as Usages;

pub fn trials() -> Vec<Trial> {
    vec![
        computes("buffers::write_buffer", write_buffer),
        computes("buffers::write_buffer_with", write_buffer_with),
        same("buffers::write_buffer_with_what_is_refused", refused_writes),
        computes("buffers::mapped_at_creation", mapped_at_creation),
        computes("buffers::mapped_for_writing", mapped_for_writing),
        computes("buffers::views_of_the_same_place", views),
        computes("buffers::what_is_not_mapped", not_mapped),
        computes("buffers::mapped_on_submit", mapped_on_submit),
        computes("buffers::copied_and_cleared", copied),
        computes("buffers::destroyed", destroyed),
        computes("buffers::size_and_usage", described),
    ]
}

fn buffer(gpu: &Gpu, usage: Usages, mapped_at_creation: bool) -> wgpu::Buffer {
    gpu.create_buffer(&wgpu::BufferDescriptor {
        label: Some("sixteen words"),
        size: 64,
        usage,
        mapped_at_creation,
    })
}

fn write_buffer(gpu: &Gpu) -> Vec<u32> {
    let buffer = gpu.storage("written", &[7; 8]);
    gpu.queue.write_buffer(&buffer, 8, bytemuck::cast_slice(&[1u32, 2, 3]));
    let words = gpu.read(&buffer);
    assert_eq!(words, [7, 7, 1, 2, 3, 7, 7, 7]);
    words
}

fn write_buffer_with(gpu: &Gpu) -> Vec<u32> {
    let buffer = gpu.storage("written", &[7; 8]);
    let size = NonZero::new(12).expect("not zero");
    {
        let mut view = gpu.queue.write_buffer_with(&buffer, 4, size).expect("it is in range");
        assert_eq!(view.len(), 12);
        view.copy_from_slice(bytemuck::cast_slice(&[4u32, 5, 6]));
        // A second view at the same time, on the same thread.
        let mut other = gpu.queue.write_buffer_with(&buffer, 20, size).expect("it is in range");
        other.slice(4..8).copy_from_slice(&[9, 0, 0, 0]);
        other.slice(0..4).copy_from_slice(&[8, 0, 0, 0]);
        other.slice(8..).fill(1);
    }
    let words = gpu.read(&buffer);
    assert_eq!(words, [7, 4, 5, 6, 7, 8, 9, 0x0101_0101]);
    words
}

fn refused_writes(gpu: &Gpu) -> Vec<(Option<String>, bool)> {
    let storage = gpu.storage("written", &[7; 8]);
    let unwritable = buffer(gpu, Usages::STORAGE, false);
    let mut seen = Vec::new();
    for (buffer, offset, size) in
        [(&storage, 30, 4), (&storage, 0, 3), (&storage, 24, 16), (&unwritable, 0, 4)]
    {
        let mut view = None;
        let size = NonZero::new(size).expect("not zero");
        let error = gpu.error(|| view = gpu.queue.write_buffer_with(buffer, offset, size));
        seen.push((error, view.is_some()));
        let error = gpu.error(|| {
            gpu.queue.write_buffer(buffer, offset, &vec![0; size.get() as usize]);
        });
        seen.push((error, false));
    }
    assert!(seen.iter().all(|(error, view)| error.is_some() && !view), "{seen:?}");
    seen
}

fn mapped_at_creation(gpu: &Gpu) -> Vec<u32> {
    let buffer = buffer(gpu, Usages::STORAGE | Usages::COPY_SRC, true);
    {
        let mut low = buffer.get_mapped_range_mut(0..8).expect("mapped");
        let mut high = buffer.get_mapped_range_mut(32..).expect("mapped");
        low.copy_from_slice(&[1; 8]);
        high.slice(..).fill(2);
    }
    let mut words: Vec<u32> =
        bytemuck::pod_collect_to_vec(&buffer.get_mapped_range(0..8).expect("mapped"));
    assert_eq!(words, [0x0101_0101; 2]);
    buffer.unmap();
    words.extend(gpu.read(&buffer));
    words
}

fn mapped_for_writing(gpu: &Gpu) -> Vec<u32> {
    let buffer = buffer(gpu, Usages::MAP_WRITE | Usages::COPY_SRC, false);
    let (tell, heard) = mpsc::channel();
    buffer.slice(16..48).map_async(wgpu::MapMode::Write, move |result| {
        tell.send(result).expect("the receiver is alive");
    });
    gpu.poll(wgpu::PollType::wait_indefinitely()).expect("it ends");
    assert_eq!(heard.recv(), Ok(Ok(())));
    buffer.get_mapped_range_mut(24..32).expect("mapped").copy_from_slice(&[5; 8]);
    buffer.unmap();
    let words = gpu.read(&buffer);
    assert_eq!(words[6..8], [0x0505_0505; 2]);
    words
}

fn views(gpu: &Gpu) -> Vec<String> {
    let buffer = buffer(gpu, Usages::COPY_DST, true);
    let mut seen = Vec::new();
    {
        let all = buffer.get_mapped_range(..).expect("mapped");
        let part = buffer.get_mapped_range(8..16).expect("two may read");
        assert_eq!(all[8..16], part[..]);
        let writing = buffer.get_mapped_range_mut(8..16);
        seen.push(writing.expect_err("it is mapped for reading").to_string());
    }
    let _writing = buffer.get_mapped_range_mut(0..16).expect("it is not mapped for reading");
    seen.push(buffer.get_mapped_range(8..24).expect_err("it is mapped for writing").to_string());
    seen.push(buffer.get_mapped_range(4..16).expect_err("it is not aligned").to_string());
    drop(_writing);
    buffer.unmap();
    seen
}

fn not_mapped(gpu: &Gpu) -> Vec<String> {
    let buffer = buffer(gpu, Usages::MAP_READ | Usages::COPY_DST, false);
    let mut seen = vec![buffer.get_mapped_range(..).expect_err("it is not mapped").to_string()];
    buffer.map_async(wgpu::MapMode::Read, 0..8, |_| {});
    let (tell, heard) = mpsc::channel();
    buffer.map_async(wgpu::MapMode::Read, 8..16, move |result| {
        tell.send(result).expect("the receiver is alive");
    });
    seen.push(format!("{:?}", heard.recv().expect("it is called at once")));
    gpu.poll(wgpu::PollType::wait_indefinitely()).expect("it ends");
    seen.push(buffer.get_mapped_range(0..16).expect_err("half of it is mapped").to_string());
    buffer.unmap();
    // A buffer that cannot be mapped.
    let storage = gpu.storage("not mapped", &[0]);
    let error = gpu.error(|| {
        storage.map_async(wgpu::MapMode::Read, .., |result| assert!(result.is_err()));
    });
    seen.push(error.expect("it cannot be mapped"));
    seen
}

fn mapped_on_submit(gpu: &Gpu) -> Vec<u32> {
    let source = gpu.storage("source", &(0..16).collect::<Vec<_>>());
    let copy = buffer(gpu, Usages::MAP_READ | Usages::COPY_DST, false);
    let mut encoder = gpu.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(&source, 0, &copy, 0, 64);
    let (tell, heard) = mpsc::channel();
    let done = tell.clone();
    encoder.map_buffer_on_submit(&copy, wgpu::MapMode::Read, .., move |result| {
        tell.send(result.is_ok()).expect("the receiver is alive");
    });
    encoder.on_submitted_work_done(move || done.send(true).expect("the receiver is alive"));
    gpu.queue.submit([encoder.finish()]);
    gpu.poll(wgpu::PollType::wait_indefinitely()).expect("it ends");
    assert_eq!((heard.recv(), heard.recv()), (Ok(true), Ok(true)));
    bytemuck::pod_collect_to_vec(&copy.get_mapped_range(..).expect("mapped"))
}

fn copied(gpu: &Gpu) -> (Vec<u32>, Option<String>) {
    let source = gpu.storage("source", &(0..16).collect::<Vec<_>>());
    let target = gpu.storage("target", &[99; 16]);
    let mut encoder = gpu.create_command_encoder(&Default::default());
    encoder.clear_buffer(&target, 0, Some(16));
    encoder.copy_buffer_to_buffer(&source, 40, &target, 8, 12);
    encoder.clear_buffer(&target, 48, None);
    encoder.insert_debug_marker("a marker");
    encoder.push_debug_group("a group");
    encoder.copy_buffer_to_buffer(&source, 0, &target, 32, 8);
    encoder.pop_debug_group();
    gpu.queue.submit([encoder.finish()]);
    let words = gpu.read(&target);
    assert_eq!(words[..5], [0, 0, 10, 11, 12]);
    // A copy past the end.
    let mut encoder =
        gpu.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("too far") });
    encoder.copy_buffer_to_buffer(&source, 0, &target, 60, 8);
    let mut commands = None;
    let finished = gpu.error(|| commands = Some(encoder.finish()));
    let submitted = gpu.error(|| {
        _ = gpu.queue.submit(commands);
    });
    assert!(finished.is_some());
    (words, finished.or(submitted))
}

fn destroyed(gpu: &Gpu) -> Vec<Option<String>> {
    let buffer = gpu.storage("destroyed", &[0; 4]);
    let pipeline = gpu.kernel(
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
         @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { a[i] = i; }",
    );
    let group = gpu.group(&pipeline.get_bind_group_layout(0), &[&buffer]);
    buffer.destroy();
    let run = || {
        gpu.compute(|pass| {
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(1, 1, 1);
        });
    };
    let errors = vec![
        gpu.error(run),
        gpu.error(|| gpu.queue.write_buffer(&buffer, 0, &[0; 4])),
        Some(buffer.get_mapped_range(..).expect_err("it is gone").to_string()),
    ];
    assert!(errors.iter().all(Option::is_some), "{errors:?}");
    errors
}

fn described(gpu: &Gpu) -> (u64, Usages) {
    let buffer = buffer(gpu, Usages::INDIRECT, false);
    (buffer.size(), buffer.usage())
}

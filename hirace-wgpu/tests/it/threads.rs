//! One device used by many threads.

use crate::support::{computes, Gpu};
use hirace_testing::harness::Trial;
use pollster::block_on;

pub fn trials() -> Vec<Trial> {
    vec![
        computes("threads::each_makes_and_runs_its_own", own),
        computes("threads::encoders_that_move", moved),
        computes("threads::requests_on_others", requests),
        computes("threads::views_of_one_buffer", views),
    ]
}

const ADD: &str = "
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { a[i] += i + 1u; }";

fn own(gpu: &Gpu) -> Vec<Vec<u32>> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6)
            .map(|number| {
                scope.spawn(move || {
                    let buffer = gpu.storage("own", &[number; 4]);
                    let pipeline = gpu.kernel(ADD);
                    let group = gpu.group(&pipeline.get_bind_group_layout(0), &[&buffer]);
                    for _ in 0..=number {
                        gpu.compute(|pass| {
                            pass.set_pipeline(&pipeline);
                            pass.set_bind_group(0, &group, &[]);
                            pass.dispatch_workgroups(1, 1, 1);
                        });
                    }
                    let wrong = gpu.error(|| gpu.queue.write_buffer(&buffer, 1, &[0; 4]));
                    assert!(wrong.is_some());
                    gpu.read(&buffer)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("it ends")).collect()
    })
}

fn moved(gpu: &Gpu) -> Vec<u32> {
    let buffer = gpu.storage("shared", &[0; 4]);
    let pipeline = gpu.kernel(ADD);
    let group = gpu.group(&pipeline.get_bind_group_layout(0), &[&buffer]);
    let commands: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut encoder = gpu.create_command_encoder(&Default::default());
                    {
                        let mut pass = encoder.begin_compute_pass(&Default::default());
                        pass.set_pipeline(&pipeline);
                        pass.set_bind_group(0, &group, &[]);
                        pass.dispatch_workgroups(1, 1, 1);
                    }
                    encoder
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("it ends").finish()).collect()
    });
    gpu.queue.submit(commands);
    let words = gpu.read(&buffer);
    assert_eq!(words, [4, 8, 12, 16]);
    words
}

fn requests(gpu: &Gpu) -> bool {
    let asked = gpu.adapter.request_device(&Default::default());
    let (device, queue) =
        std::thread::spawn(move || block_on(asked)).join().expect("it ends").expect("a device");
    let done = std::thread::spawn(move || {
        queue.submit([]);
        device.poll(wgpu::PollType::wait_indefinitely()).is_ok()
    });
    done.join().expect("it ends")
}

fn views(gpu: &Gpu) -> u32 {
    let buffer = gpu.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 4096,
        usage: wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: true,
    });
    buffer.get_mapped_range_mut(..).expect("mapped").slice(..).fill(1);
    let sum = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    for _ in 0..20_000 {
                        drop(buffer.get_mapped_range(..).expect("many may read"));
                    }
                    let view = buffer.get_mapped_range(..).expect("many may read");
                    view.iter().map(|&byte| u32::from(byte)).sum::<u32>()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("it ends")).sum()
    });
    buffer.unmap();
    assert_eq!(sum, 4 * 4096);
    sum
}

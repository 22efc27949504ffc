//! Waiting for work: polls, submissions, callbacks.

use crate::support::{computes, Gpu};
use hirace_testing::harness::Trial;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;
use std::time::Duration;
use wgpu::{PollError, PollStatus, PollType};

pub fn trials() -> Vec<Trial> {
    vec![
        computes("waiting::for_one_submission_of_many", one_of_many),
        computes("waiting::for_old_submissions", old),
        computes("waiting::for_another_devices_submission", another),
        computes("waiting::for_nothing", nothing),
        computes("waiting::with_a_time_limit", time_limit),
        computes("waiting::for_all_devices", all),
        computes("waiting::callbacks_in_order", callbacks),
        computes("waiting::a_callback_that_submits", submits),
    ]
}

fn submit(gpu: &Gpu, buffer: &wgpu::Buffer) -> wgpu::SubmissionIndex {
    let mut encoder = gpu.create_command_encoder(&Default::default());
    encoder.clear_buffer(buffer, 0, None);
    gpu.queue.submit([encoder.finish()])
}

fn wait(gpu: &Gpu, index: &wgpu::SubmissionIndex) -> Result<PollStatus, PollError> {
    gpu.poll(PollType::Wait { submission_index: Some(index.clone()), timeout: None })
}

fn ok(result: Result<PollStatus, PollError>) -> bool {
    result.is_ok_and(|status| status.wait_finished())
}

fn one_of_many(gpu: &Gpu) -> Vec<bool> {
    let buffer = gpu.storage("cleared", &[1; 4]);
    let indices: Vec<_> = (0..5).map(|_| submit(gpu, &buffer)).collect();
    let seen = [3, 0, 4, 4].map(|index: usize| ok(wait(gpu, &indices[index]))).to_vec();
    assert!(seen.iter().all(|&ok| ok));
    seen
}

fn old(gpu: &Gpu) -> Vec<bool> {
    let indices: Vec<_> = (0..2600).map(|_| gpu.queue.submit([])).collect();
    let picked = [0, 1, 1500, 1576, 1577, 2599];
    let seen = picked.map(|index: usize| ok(wait(gpu, &indices[index]))).to_vec();
    assert!(seen.iter().all(|&ok| ok));
    seen
}

fn another(gpu: &Gpu) -> String {
    let features = wgpu::Features::empty();
    let other = Gpu::plain(features);
    for _ in 0..100 {
        other.queue.submit([]);
    }
    let index = other.queue.submit([]);
    gpu.queue.submit([]);
    // Both plain wgpu and this crate number submissions. The request must be rejected in both cases.
    let error = wait(gpu, &index).expect_err("the index is out of range");
    assert!(matches!(error, PollError::WrongSubmissionIndex(..)));
    other.instance.poll_all(true);
    "refused".to_owned()
}

fn nothing(gpu: &Gpu) -> Vec<String> {
    let before = format!("{:?}", gpu.poll(PollType::Poll));
    let waited = format!("{:?}", gpu.poll(PollType::wait_indefinitely()).is_ok());
    vec![before, waited]
}

fn time_limit(gpu: &Gpu) -> bool {
    let buffer = gpu.storage("cleared", &[1; 4]);
    let submission_index = Some(submit(gpu, &buffer));
    let timeout = Some(Duration::from_secs(60));
    let ok = ok(gpu.poll(PollType::Wait { submission_index, timeout }));
    assert!(ok);
    ok
}

fn all(gpu: &Gpu) -> (u32, bool) {
    let buffer = gpu.storage("cleared", &[1; 4]);
    let called = Arc::new(AtomicU32::new(0));
    submit(gpu, &buffer);
    let count = Arc::clone(&called);
    gpu.queue.on_submitted_work_done(move || {
        count.fetch_add(1, Ordering::SeqCst);
    });
    let empty = gpu.instance.poll_all(true);
    (called.load(Ordering::SeqCst), empty)
}

fn callbacks(gpu: &Gpu) -> Vec<u32> {
    let buffer = gpu.storage("cleared", &[1; 4]);
    let (tell, heard) = std::sync::mpsc::channel();
    for number in 0..4 {
        submit(gpu, &buffer);
        let tell = tell.clone();
        gpu.queue.on_submitted_work_done(move || tell.send(number).expect("the receiver is alive"));
    }
    gpu.poll(PollType::wait_indefinitely()).expect("it ends");
    let seen: Vec<u32> = heard.try_iter().collect();
    assert_eq!(seen, [0, 1, 2, 3]);
    seen
}

fn submits(gpu: &Gpu) -> u32 {
    let buffer = gpu.storage("cleared", &[1; 4]);
    let called = Arc::new(AtomicU32::new(0));
    submit(gpu, &buffer);
    let (device, queue, count) = (gpu.device.clone(), gpu.queue.clone(), Arc::clone(&called));
    gpu.queue.on_submitted_work_done(move || {
        let mut encoder = device.create_command_encoder(&Default::default());
        encoder.clear_buffer(&buffer, 0, None);
        queue.submit([encoder.finish()]);
        count.fetch_add(1, Ordering::SeqCst);
    });
    // Polls without waiting, so that the callback runs during a submission or a poll.
    for _ in 0..100 {
        gpu.queue.submit([]);
        gpu.poll(PollType::Poll).expect("it is polled");
    }
    gpu.poll(PollType::wait_indefinitely()).expect("it ends");
    called.load(Ordering::SeqCst)
}

//! Tests of the lifetimes of devices, records and submissions.

use crate::support::{on_device, plain, Gpu};
use hirace_testing::harness::Trial;
use hirace_wgpu::{wrap_instance, Dispatch, Hooks, Record, Submission, Watcher};
use libtest_mimic::Failed;
use pollster::block_on;
use std::sync::{Arc, Mutex};
use wgpu::Features;

pub fn trials() -> Vec<Trial> {
    vec![
        on_device("hooks::what_is_asked_for_may_be_changed", Features::empty(), asked),
        on_device("hooks::records_come_with_their_submission", Features::empty(), submitted),
        on_device("hooks::records_of_what_does_not_run_are_dropped", Features::empty(), dropped),
        on_device("hooks::the_end_of_a_device", Features::empty(), closing),
        on_device("hooks::each_device_has_its_watcher", Features::empty(), devices),
        on_device("hooks::passes_that_cannot_be_parted", Features::TIMESTAMP_QUERY, whole),
    ]
}

type Lines = Arc<Mutex<Vec<String>>>;

#[derive(Debug, Default)]
struct Log {
    lines: Lines,
}

fn note(lines: &Lines, line: impl Into<String>) {
    lines.lock().expect("not poisoned").push(line.into());
}

fn take(lines: &Lines) -> Vec<String> {
    std::mem::take(&mut lines.lock().expect("not poisoned"))
}

impl Hooks for Log {
    fn limits(&self, _adapter: &wgpu::Adapter, limits: wgpu::Limits) -> wgpu::Limits {
        let fewer = limits.max_storage_buffers_per_shader_stage - 1;
        wgpu::Limits { max_storage_buffers_per_shader_stage: fewer, ..limits }
    }

    fn requesting(&self, adapter: &wgpu::Adapter, asked: &mut wgpu::DeviceDescriptor<'_>) {
        let most = adapter.limits().max_storage_buffers_per_shader_stage;
        let limit = &mut asked.required_limits.max_storage_buffers_per_shader_stage;
        *limit = (*limit + 1).min(most);
        asked.required_features |= adapter.features() & Features::SUBGROUP;
    }

    fn device(
        &self,
        device: &wgpu::Device,
        _queue: &wgpu::Queue,
        asked: &wgpu::DeviceDescriptor<'_>,
    ) -> Option<Arc<dyn Watcher>> {
        if asked.label == Some("not this one") {
            return None;
        }
        let asked_for = asked.required_limits.max_storage_buffers_per_shader_stage;
        let limits = device.limits().max_storage_buffers_per_shader_stage;
        note(&self.lines, format!("device {:?} {}", asked.label, limits - asked_for));
        Some(Arc::new(Logging {
            features: asked.required_features,
            limits: asked.required_limits.clone(),
            lines: Arc::clone(&self.lines),
        }))
    }
}

#[derive(Debug)]
struct Logging {
    features: Features,
    limits: wgpu::Limits,
    lines: Lines,
}

/// Logs a line when it is dropped.
struct Noted(String, Lines);

impl Drop for Noted {
    fn drop(&mut self) {
        note(&self.1, format!("dropped {}", self.0));
    }
}

impl Watcher for Logging {
    fn features(&self, features: Features) -> Features {
        features & self.features
    }

    fn limits(&self, limits: wgpu::Limits) -> wgpu::Limits {
        let max_storage_buffers_per_shader_stage = self.limits.max_storage_buffers_per_shader_stage;
        wgpu::Limits { max_storage_buffers_per_shader_stage, ..limits }
    }

    fn pass_begins(&self, _encoder: &mut wgpu::CommandEncoder, _records: &mut Vec<Record>) {
        note(&self.lines, "begins");
    }

    fn dispatch(&self, dispatch: &mut Dispatch<'_>, records: &mut Vec<Record>) {
        if let Err(why) = dispatch.split_with(|_| {}) {
            note(&self.lines, why);
        }
        dispatch.record();
        let label = dispatch.pass_label().unwrap_or("dispatch").to_owned();
        records.push(Box::new(Noted(label, Arc::clone(&self.lines))));
    }

    fn pass_ended(&self, _encoder: &mut wgpu::CommandEncoder, records: &mut Vec<Record>) {
        note(&self.lines, format!("ended {}", records.len()));
    }

    fn finishing(&self, _encoder: &mut wgpu::CommandEncoder, records: &mut Vec<Record>) {
        note(&self.lines, format!("finishing {}", records.len()));
    }

    fn submitted(&self, submission: Submission<'_>) {
        let waited = submission.device.poll(wgpu::PollType::Wait {
            submission_index: Some(submission.index.clone()),
            timeout: None,
        });
        assert!(waited.is_ok());
        for record in submission.records {
            let noted = record.downcast::<Noted>().expect("it is ours");
            note(&self.lines, format!("submitted {}", noted.0));
        }
    }

    fn closing(&self) {
        note(&self.lines, "closing");
    }
}

fn logged() -> (Gpu, Lines) {
    let log = Log::default();
    let lines = Arc::clone(&log.lines);
    let gpu = Gpu::hooked(Features::empty(), Arc::new(log));
    take(&lines);
    (gpu, lines)
}

fn expect(lines: &Lines, expected: &[&str]) -> Result<(), Failed> {
    let noted = take(lines);
    if noted == expected {
        Ok(())
    } else {
        Err(format!("{noted:#?}").into())
    }
}

fn asked() -> Result<(), Failed> {
    let log = Log::default();
    let lines = Arc::clone(&log.lines);
    let gpu = Gpu::hooked(Features::empty(), Arc::new(log));
    expect(&lines, &["device Some(\"tested\") 1"])?;
    let plain = Gpu::plain(Features::empty());
    assert_eq!(gpu.limits(), plain.limits());
    assert_eq!(gpu.features(), plain.features());
    // A request for all limits still leaves one storage buffer for the hooks.
    let (all, _queue) = block_on(gpu.adapter.request_device(&wgpu::DeviceDescriptor {
        label: Some("all"),
        required_limits: gpu.adapter.limits(),
        ..Default::default()
    }))?;
    expect(&lines, &["device Some(\"all\") 1"])?;
    let of = |limits: wgpu::Limits| limits.max_storage_buffers_per_shader_stage;
    assert_eq!(of(all.limits()), of(gpu.adapter.limits()));
    assert_eq!(of(gpu.adapter.limits()) + 1, of(plain.adapter.limits()));
    Ok(())
}

/// Returns an encoder with one pass per name, each with a dispatch.
fn encoder(gpu: &Gpu, passes: &[&str]) -> wgpu::CommandEncoder {
    let pipeline = gpu.kernel("@compute @workgroup_size(1) fn main() {}");
    let mut encoder = gpu.create_command_encoder(&Default::default());
    for &label in passes {
        let descriptor = wgpu::ComputePassDescriptor { label: Some(label), timestamp_writes: None };
        let mut pass = encoder.begin_compute_pass(&descriptor);
        pass.set_pipeline(&pipeline);
        pass.dispatch_workgroups(1, 1, 1);
    }
    encoder
}

fn submitted() -> Result<(), Failed> {
    let (gpu, lines) = logged();
    let one = encoder(&gpu, &["one", "two"]).finish();
    let two = encoder(&gpu, &["three"]).finish();
    let recorded = [
        "begins",
        "ended 1",
        "begins",
        "ended 2",
        "finishing 2",
        "begins",
        "ended 1",
        "finishing 1",
    ];
    expect(&lines, &recorded)?;
    gpu.queue.submit([two, one]);
    expect(
        &lines,
        &[
            "submitted three",
            "dropped three",
            "submitted one",
            "dropped one",
            "submitted two",
            "dropped two",
        ],
    )
}

fn dropped() -> Result<(), Failed> {
    let (gpu, lines) = logged();
    drop(encoder(&gpu, &["never finished"]));
    drop(encoder(&gpu, &["never submitted"]).finish());
    // This command buffer is invalid, so the submission fails and the valid one does not run either.
    let mut wrong = encoder(&gpu, &["wrong"]);
    wrong.pop_debug_group();
    let mut finished = None;
    assert!(gpu.error(|| finished = Some(wrong.finish())).is_some());
    let right = encoder(&gpu, &["right"]).finish();
    let error = gpu.error(|| {
        _ = gpu.queue.submit([right].into_iter().chain(finished));
    });
    assert!(error.is_some());
    let mut noted = take(&lines);
    noted.retain(|line| line.starts_with("dropped") || line.starts_with("submitted"));
    assert_eq!(
        noted,
        ["dropped never finished", "dropped never submitted", "dropped right", "dropped wrong"]
    );
    Ok(())
}

fn closing() -> Result<(), Failed> {
    let (gpu, lines) = logged();
    let clone = gpu.device.clone();
    let Gpu { device, queue, .. } = gpu;
    drop(device);
    expect(&lines, &[])?;
    drop(clone);
    expect(&lines, &["closing"])?;
    drop(queue);
    let (gpu, lines) = logged();
    gpu.destroy();
    expect(&lines, &["closing"])
}

fn devices() -> Result<(), Failed> {
    let log = Log::default();
    let lines = Arc::clone(&log.lines);
    let instance = wrap_instance(plain(), Arc::new(log));
    let adapter = block_on(instance.request_adapter(&Default::default()))?;
    let mut devices = Vec::new();
    for label in ["one", "not this one", "two"] {
        devices.push(block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some(label),
            ..Default::default()
        }))?);
    }
    drop(devices);
    let expected = ["device Some(\"one\") 1", "device Some(\"two\") 1", "closing", "closing"];
    expect(&lines, &expected)
}

fn whole() -> Result<(), Failed> {
    let log = Log::default();
    let lines = Arc::clone(&log.lines);
    let gpu = Gpu::hooked(Features::TIMESTAMP_QUERY, Arc::new(log));
    take(&lines);
    let pipeline = gpu.kernel("@compute @workgroup_size(1) fn main() {}");
    let query_set = gpu.create_query_set(&wgpu::QuerySetDescriptor {
        label: None,
        ty: wgpu::QueryType::Timestamp,
        count: 1,
    });
    let mut encoder = gpu.create_command_encoder(&Default::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes: Some(wgpu::ComputePassTimestampWrites {
                query_set: &query_set,
                beginning_of_pass_write_index: None,
                end_of_pass_write_index: Some(0),
            }),
        });
        pass.set_pipeline(&pipeline);
        pass.dispatch_workgroups(1, 1, 1);
    }
    let why = "the pass writes a timestamp at its end";
    expect(&lines, &["begins", why, "ended 1"])
}

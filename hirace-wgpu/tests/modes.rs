//! The effects of the modes on a process, on the embedded device. This is a separate test binary because coverage is
//! recorded for the whole process.

use hirace_adequacy::mutate::source::Source;
use hirace_core::cover::record;
use hirace_wgpu::{Mode, Settings};
use pollster::block_on;
use wgpu::util::DeviceExt;
use wgpu::BufferUsages as Usages;

const TEXT: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32) {
    if (lane < 4u) {
        data[lane] = lane + 1u;
    }
}";

/// Returns the results of the kernel under these settings.
fn run(settings: Settings) -> Vec<u32> {
    let settings = Settings { embedded: true, ..settings };
    let descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    let instance = hirace_wgpu::instance_with(descriptor, settings);
    let adapter = block_on(instance.request_adapter(&Default::default())).unwrap();
    let (device, queue) = block_on(adapter.request_device(&Default::default())).unwrap();
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("counting"),
        source: wgpu::ShaderSource::Wgsl(TEXT.into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: Default::default(),
        cache: None,
    });
    let data = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: None,
        contents: &[0; 16],
        usage: Usages::STORAGE | Usages::COPY_SRC,
    });
    let copy = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 16,
        usage: Usages::MAP_READ | Usages::COPY_DST,
        mapped_at_creation: false,
    });
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry { binding: 0, resource: data.as_entire_binding() }],
    });
    let mut encoder = device.create_command_encoder(&Default::default());
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    }
    encoder.copy_buffer_to_buffer(&data, 0, &copy, 0, 16);
    queue.submit([encoder.finish()]);
    copy.map_async(wgpu::MapMode::Read, .., Result::unwrap);
    device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let view = copy.slice(..).get_mapped_range().unwrap();
    bytemuck::cast_slice(&view).to_vec()
}

#[test]
fn a_mutant_runs_in_the_place_of_its_shader() {
    let mutants = Source::new("any.wgsl", TEXT).unwrap().mutants().unwrap();
    let of_sum = mutants
        .iter()
        .find(|candidate| candidate.mutant.line == 6 && candidate.mutant.replacement == "-");
    let id = of_sum.unwrap().mutant.id.clone();
    let mutant =
        |id: &str| run(Settings { mode: Mode::Mutant(id.to_owned()), ..Settings::default() });
    assert_eq!(mutant("none"), [1, 2, 3, 4]);
    assert_eq!(mutant(&id), [u32::MAX, 0, 1, 2]);
}

#[test]
fn coverage_is_recorded_in_a_folder_that_can_be_merged() {
    // Coverage is recorded until the end of the process.
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("modes");
    drop(std::fs::remove_dir_all(&folder));
    let coverage = folder.join("cover");
    let mode = Mode::Cover;
    let shaders = folder.join("shaders");
    let settings = Settings { mode, coverage: coverage.clone(), shaders, ..Settings::default() };
    assert_eq!(run(settings), [1, 2, 3, 4]);
    let recorded = record::read(&coverage).unwrap();
    let file = recorded.files.iter().find(|file| file.file.contains("counting")).unwrap();
    let counts: Vec<(u32, u64)> = file.lines.iter().map(|line| (line.line, line.count)).collect();
    assert!(counts.contains(&(6, 4)), "{counts:?}");
    // The source lines are available.
    assert_eq!(std::fs::read_to_string(&file.file).unwrap(), TEXT);
}

//! The effects of the modes on a process, on the embedded device. This is a separate test binary because coverage is
//! recorded for the whole process. Tests of the environment run it again with other variables.

use hirace_adequacy::mutate::source::Source;
use hirace_core::cover::record;
use hirace_core::process_request::{self, CoverageRequest, ProcessRequest, Role};
use hirace_wgpu::{Mode, Settings};
use pollster::block_on;
use std::path::{Path, PathBuf};
use std::process::Command;
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

#[test]
#[ignore = "other tests run it in a process of its own"]
fn with_settings_of_the_environment() {
    assert_eq!(run(Settings::of_environment().unwrap()), [1, 2, 3, 4]);
}

/// Runs the kernel in a process with these variables. Returns whether it succeeded, and what it printed.
fn process(variables: &[(&str, &str)]) -> (bool, String) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "with_settings_of_the_environment", "--ignored", "--nocapture"]);
    let scratch = scratch("shaders");
    command.env("HIRACE_SHADERS", scratch).envs(variables.iter().copied());
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}

/// Returns a path for a test that does not exist.
fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("modes-processes").join(name);
    drop(std::fs::remove_dir_all(&path));
    drop(std::fs::remove_file(&path));
    path
}

#[test]
fn a_folder_for_coverage_alone_changes_nothing() {
    let folder = scratch("unused");
    let shown = folder.display().to_string();
    for mode in ["check", ""] {
        let (succeeded, said) = process(&[("HIRACE", mode), ("HIRACE_COVER", &shown)]);
        assert!(succeeded && said.contains("1 of 1 dispatch checked"), "{said}");
        assert!(!folder.exists());
    }
}

#[test]
fn a_missing_folder_for_coverage_is_created() {
    let folder = scratch("created/deep");
    let shown = folder.display().to_string();
    let (succeeded, said) = process(&[("HIRACE", "cover"), ("HIRACE_COVER", &shown)]);
    assert!(succeeded && said.contains("1 of 1 dispatch checked"), "{said}");
    assert_eq!(record::read(&folder).unwrap().files.len(), 1);
}

#[test]
fn a_folder_for_coverage_that_cannot_be_created_is_an_error() {
    let file = scratch("file");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "").unwrap();
    for path in [file.clone(), file.join("below")] {
        let shown = path.display().to_string();
        let (succeeded, said) = process(&[("HIRACE", "cover"), ("HIRACE_COVER", &shown)]);
        assert!(!succeeded && said.contains("cannot record coverage in"), "{said}");
    }
}

#[test]
fn a_request_that_cannot_be_followed_is_an_error() {
    let newer = r#"{"version":1000,"request":{}}"#;
    let missing = r#"{"version":1,"request":{"role":{"mutated":{"mutant":{"original":"0","text":"missing"},"record":"r","schedule":0,"steps":null,"lenient":false,"unexplained":false}},"findings":null}}"#;
    for (request, error) in [
        ("target/cover", "is malformed"),
        ("{}", "is malformed"),
        (newer, "the request has version 1000"),
        (missing, "cannot read the mutant in missing"),
    ] {
        let (succeeded, said) = process(&[(process_request::VARIABLE, request)]);
        assert!(!succeeded && said.contains(error), "{request}: {said}");
    }
}

#[test]
fn a_selected_mutant_that_does_not_run_is_reported() {
    let (succeeded, said) = process(&[("HIRACE", "mutant=none")]);
    assert!(succeeded && said.contains("no shader in WGSL has a mutant none"), "{said}");
    let folder = scratch("suite");
    std::fs::create_dir_all(&folder).unwrap();
    let role = Some(Role::Covered(CoverageRequest { folder, hits: false }));
    let request = ProcessRequest { role, findings: None }.to_value().unwrap();
    let (succeeded, said) =
        process(&[("HIRACE", "mutant=none"), (process_request::VARIABLE, &request)]);
    assert!(!succeeded && said.contains("has no effect on the tests of a suite"), "{said}");
}

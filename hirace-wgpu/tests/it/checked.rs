//! Applications whose dispatches are checked: their findings, with the grid, memory and labels, and what is reported as
//! not watched.

use crate::support::{on_device, watching, Gpu};
use hirace_core::report::document::Report;
use hirace_testing::harness::Trial;
use hirace_wgpu::watch::{Counts, Form};
use hirace_wgpu::{Mode, Settings, WatchHooks};
use libtest_mimic::Failed;
use std::fmt::Debug;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;
use wgpu::util::DeviceExt;
use wgpu::{BufferUsages, Features};

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, test: fn() -> Result<(), Failed>| {
        on_device(&format!("checked::{name}"), Features::empty(), test)
    };
    vec![
        trial("a_race_is_found_at_its_lines_with_the_labels", a_race),
        trial("what_is_clean_is_clean", clean),
        trial("what_a_dispatch_reads_is_what_it_has_then", contents),
        trial("the_grid_of_an_indirect_dispatch", indirect),
        trial("constants_immediates_and_dynamic_offsets", parameters),
        trial("textures_and_samplers", textures),
        trial("a_module_of_nagas", of_naga),
        trial("what_is_alike_is_checked_once", alike),
        trial("patterns_and_every_so_many", chosen),
        trial("what_exceeds_the_budget_is_said", budget),
        trial("reports_are_files_and_texts_have_one", files),
        trial("a_finding_is_a_panic_if_that_is_wanted", panics),
        trial("two_devices_and_two_threads", threads),
        trial("what_is_never_submitted_is_not_checked", never_submitted),
        trial("a_device_that_is_lost_before_it_is_checked", lost),
        trial("names_that_naga_prints_otherwise", printed_names),
        trial("levels_of_one_texture_are_different_memory", levels),
        trial("the_same_bytes_otherwise_divided_are_not_alike", divided),
        trial("variables_that_share_memory_are_said_not_to_be_watched", aliased),
        on_device(
            "checked::a_pass_that_stays_whole_is_said_not_to_be_watched",
            Features::TIMESTAMP_QUERY,
            timed,
        ),
        Trial::test("embedded::a_race_is_found_with_no_driver", embedded_race),
        Trial::test("embedded::with_nothing_watched_it_computes", embedded_off),
        Trial::ci("embedded::a_long_dispatch_terminates", embedded_long),
        Trial::test("embedded::a_texture_is_refused_in_words", embedded_texture),
        Trial::test("embedded::what_cannot_run_is_an_error_in_words", embedded_aliased),
    ]
}

/// Reverses blocks of words in place, without the required barrier.
const RACY: &str = "
var<workgroup> tile: array<u32, 64>;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn reverse(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
    tile[lane] = data[id.x];
    data[id.x] = tile[63u - lane];
}";

const CLEAN: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn double(@builtin(global_invocation_id) id: vec3u) { data[id.x] *= 2u; }";

/// Stores at indices from another buffer.
const SCATTER: &str = "
@group(0) @binding(0) var<storage> to: array<u32>;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn scatter(@builtin(global_invocation_id) id: vec3u) { data[to[id.x]] = id.x; }";

fn pipeline(gpu: &Gpu, label: &str, text: &str) -> wgpu::ComputePipeline {
    let module = gpu.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("the module"),
        source: wgpu::ShaderSource::Wgsl(text.into()),
    });
    gpu.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(label),
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: Default::default(),
        cache: None,
    })
}

fn group(gpu: &Gpu, of: &wgpu::ComputePipeline, buffers: &[&wgpu::Buffer]) -> wgpu::BindGroup {
    gpu.group(&of.get_bind_group_layout(0), buffers)
}

/// Dispatches a pipeline with these buffers in its group, and submits the commands.
fn run(gpu: &Gpu, of: &wgpu::ComputePipeline, buffers: &[&wgpu::Buffer], workgroups: u32) {
    let group = group(gpu, of, buffers);
    let mut encoder = gpu.create_command_encoder(&Default::default());
    {
        let descriptor =
            wgpu::ComputePassDescriptor { label: Some("the pass"), timestamp_writes: None };
        let mut pass = encoder.begin_compute_pass(&descriptor);
        pass.set_pipeline(of);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(workgroups, 1, 1);
    }
    gpu.queue.submit([encoder.finish()]);
}

fn checked(settings: Settings) -> (Gpu, Arc<WatchHooks>) {
    let watching = watching(settings);
    let hooks = Arc::clone(&watching);
    (Gpu::hooked(Features::empty(), hooks), watching)
}

/// Returns the lines of each finding.
fn lines(report: &Report) -> Vec<Vec<u32>> {
    let findings = report.launches.iter().flat_map(|launch| &launch.findings);
    let lines = |finding: &hirace_core::report::document::Finding| {
        finding.accesses.iter().map(|access| access.line).collect()
    };
    findings.map(lines).collect()
}

fn equal<T: Debug + PartialEq>(there: T, expected: T) -> Result<(), Failed> {
    if there == expected {
        return Ok(());
    }
    Err(format!("there: {there:#?}\nexpected: {expected:#?}").into())
}

fn verdicts(watching: &WatchHooks) -> Vec<String> {
    let report = watching.report();
    report.launches.iter().map(|launch| format!("{:?}", launch.verdict)).collect()
}

fn a_race() -> Result<(), Failed> {
    let (gpu, watching) = checked(Settings::default());
    let of = pipeline(&gpu, "the reversal", RACY);
    let data = gpu.storage("data", &[7; 256]);
    run(&gpu, &of, &[&data], 4);
    let report = watching.report();
    equal(lines(&report), vec![vec![6, 7]])?;
    let launch = &report.launches[0];
    equal((launch.workgroups, launch.guessed), ([4, 1, 1], false))?;
    let host = launch.host.as_ref().map(|host| host.message.as_str());
    equal(
        host,
        Some(
            "dispatched by the application: number 1, pipeline \"the reversal\", pass \"the pass\"",
        ),
    )?;
    let finding = &launch.findings[0];
    equal(finding.notes.last().map(String::as_str), host)?;
    equal(format!("{:?}", finding.certainty), "Certain".to_owned())
}

fn clean() -> Result<(), Failed> {
    let (gpu, watching) = checked(Settings::default());
    let of = pipeline(&gpu, "doubled", CLEAN);
    let data = gpu.storage("data", &[7; 128]);
    run(&gpu, &of, &[&data], 2);
    equal(verdicts(&watching), vec!["Clean".to_owned()])?;
    equal(gpu.read(&data), vec![14; 128])
}

fn contents() -> Result<(), Failed> {
    let (gpu, watching) = checked(Settings::default());
    let of = pipeline(&gpu, "scatter", SCATTER);
    let apart: Vec<u32> = (0..64).rev().collect();
    let (to, data) = (gpu.storage("to", &apart), gpu.storage("data", &[0; 64]));
    run(&gpu, &of, &[&to, &data], 1);
    equal(lines(&watching.report()), vec![])?;
    // All stores go to one location. The indices are written by the queue between two submissions.
    gpu.queue.write_buffer(&to, 0, bytemuck::cast_slice(&[5u32; 64]));
    run(&gpu, &of, &[&to, &data], 1);
    equal(lines(&watching.report()), vec![vec![5, 5]])?;
    // The indices are written by an earlier dispatch in the same pass.
    let (gpu, watching) = checked(Settings::default());
    let fill = pipeline(&gpu, "fill", &CLEAN.replace("*= 2u", "= 9u"));
    let of = pipeline(&gpu, "scatter", SCATTER);
    let (to, data) = (gpu.storage("to", &apart), gpu.storage("data", &[0; 64]));
    let (filling, scattering) = (group(&gpu, &fill, &[&to]), group(&gpu, &of, &[&to, &data]));
    gpu.compute(|pass| {
        pass.set_pipeline(&fill);
        pass.set_bind_group(0, &filling, &[]);
        pass.dispatch_workgroups(1, 1, 1);
        pass.set_pipeline(&of);
        pass.set_bind_group(0, &scattering, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    });
    equal(lines(&watching.report()), vec![vec![5, 5]])?;
    equal(gpu.read(&to), vec![9; 64])
}

fn indirect() -> Result<(), Failed> {
    let (gpu, watching) = checked(Settings::default());
    let of = pipeline(&gpu, "doubled", CLEAN);
    let data = gpu.storage("data", &[1; 192]);
    let counts = gpu.words("counts", &[9, 3, 1, 1, 0, 70000, 1, 1], BufferUsages::INDIRECT);
    let bound = group(&gpu, &of, &[&data]);
    gpu.compute(|pass| {
        pass.set_pipeline(&of);
        pass.set_bind_group(0, &bound, &[]);
        pass.dispatch_workgroups_indirect(&counts, 4);
        pass.dispatch_workgroups_indirect(&counts, 16);
        // More workgroups than the device supports: wgpu skips the dispatch.
        pass.dispatch_workgroups_indirect(&counts, 20);
    });
    let grids: Vec<[u32; 3]> =
        watching.report().launches.iter().map(|launch| launch.workgroups).collect();
    equal(grids, vec![[3, 1, 1]])?;
    let expected = Counts { dispatches: 3, checked: 1, empty: 2, ..Counts::default() };
    equal(watching.counts(), expected)?;
    equal(gpu.read(&data), vec![2; 192])
}

/// Races for some values of the constant, the immediate and the data at the dynamic offset.
const PARAMETERS: &str = "
override stride: u32 = 1u;
var<immediate> shift: u32;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> mask: u32;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) { data[(lane * stride + shift) & mask] = lane; }";

fn parameters() -> Result<(), Failed> {
    // Each of the three parameters alone decides whether the locations are different or all the same.
    for (stride, shift, offset, races) in
        [(1.0, 0, 0, false), (0.0, 0, 0, true), (1.0, 3, 256, true), (1.0, 64, 0, false)]
    {
        let watching = watching(Settings::default());
        let hooks = Arc::clone(&watching);
        let gpu = Gpu::hooked(Features::IMMEDIATES, hooks);
        let module = gpu.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(PARAMETERS.into()),
        });
        let entry = |binding, ty, has_dynamic_offset| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None },
            count: None,
        };
        let layout = gpu.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[
                entry(0, wgpu::BufferBindingType::Storage { read_only: false }, false),
                entry(1, wgpu::BufferBindingType::Uniform, true),
            ],
        });
        let layouts = gpu.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 4,
        });
        let of = gpu.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&layouts),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &[("stride", stride)],
                ..Default::default()
            },
            cache: None,
        });
        let data = gpu.storage("data", &[0; 256]);
        let mut masks = vec![0; 65];
        (masks[0], masks[64]) = (127, 31);
        let masks = gpu.words("masks", &masks, BufferUsages::UNIFORM);
        let group = gpu.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: data.as_entire_binding() },
                wgpu::BindGroupEntry {
                    binding: 1,
                    resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                        buffer: &masks,
                        offset: 0,
                        size: wgpu::BufferSize::new(4),
                    }),
                },
            ],
        });
        gpu.compute(|pass| {
            pass.set_pipeline(&of);
            pass.set_bind_group(0, &group, &[offset]);
            pass.set_immediates(0, &u32::to_le_bytes(shift));
            pass.dispatch_workgroups(1, 1, 1);
        });
        let case = format!("stride {stride}, shift {shift}, offset {offset}");
        equal((case.clone(), watching.counts().checked), (case.clone(), 1))?;
        equal((case.clone(), lines(&watching.report()).len()), (case, usize::from(races)))?;
    }
    Ok(())
}

/// Stores at indices from the second level of a texture, and at indices that it samples.
const TEXTURES: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var places: texture_2d<f32>;
@group(0) @binding(2) var by: sampler;
@group(0) @binding(3) var out: texture_storage_2d<rgba8unorm, write>;
@compute @workgroup_size(2, 2)
fn main(@builtin(local_invocation_id) id: vec3u) {
    let loaded = textureLoad(places, id.xy, 1).r;
    let sampled = textureSampleLevel(places, by, (vec2f(id.xy) + 0.5) / 2.0, 1.0).g;
    data[u32(loaded * 255.0)] = 1u;
    data[u32(sampled * 255.0)] = 2u;
    textureStore(out, id.xy, vec4f(loaded));
}";

fn textures() -> Result<(), Failed> {
    // The indices that the four invocations load and sample, and the filter.
    let cases = [
        ([0, 1, 2, 3], [4, 5, 6, 7], wgpu::FilterMode::Nearest, vec![]),
        ([0, 1, 2, 2], [4, 5, 6, 7], wgpu::FilterMode::Nearest, vec![vec![10, 10]]),
        ([0, 1, 2, 3], [4, 5, 6, 3], wgpu::FilterMode::Nearest, vec![]),
        ([0, 1, 2, 3], [3, 5, 6, 7], wgpu::FilterMode::Nearest, vec![vec![11, 10]]),
    ];
    for (loaded, sampled, filter, expected) in cases {
        let (gpu, watching) = checked(Settings::default());
        let of = pipeline(&gpu, "textures", TEXTURES);
        let data = gpu.storage("data", &[0; 256]);
        let size = wgpu::Extent3d { width: 4, height: 4, depth_or_array_layers: 1 };
        let mut texels = vec![9u8; 4 * 16];
        for (red, green) in loaded.into_iter().zip(sampled) {
            texels.extend([red, green, 0, 0]);
        }
        let descriptor = wgpu::TextureDescriptor {
            label: None,
            size,
            mip_level_count: 2,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8Unorm,
            usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        };
        let order = wgpu::util::TextureDataOrder::LayerMajor;
        let places = gpu.create_texture_with_data(&gpu.queue, &descriptor, order, &texels);
        let out = gpu.create_texture(&wgpu::TextureDescriptor {
            mip_level_count: 1,
            usage: wgpu::TextureUsages::STORAGE_BINDING,
            ..descriptor
        });
        let by = gpu.create_sampler(&wgpu::SamplerDescriptor {
            mag_filter: filter,
            min_filter: filter,
            ..Default::default()
        });
        let (places, out) = [&places, &out].map(|t| t.create_view(&Default::default())).into();
        let group = gpu.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &of.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: data.as_entire_binding() },
                wgpu::BindGroupEntry {
                    binding: 1,
                    resource: wgpu::BindingResource::TextureView(&places),
                },
                wgpu::BindGroupEntry { binding: 2, resource: wgpu::BindingResource::Sampler(&by) },
                wgpu::BindGroupEntry {
                    binding: 3,
                    resource: wgpu::BindingResource::TextureView(&out),
                },
            ],
        });
        gpu.compute(|pass| {
            pass.set_pipeline(&of);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(1, 1, 1);
        });
        let case = format!("{loaded:?} {sampled:?}");
        equal((case.clone(), watching.counts().checked), (case.clone(), 1))?;
        let mut there = lines(&watching.report());
        there.iter_mut().for_each(|lines| lines.sort_unstable());
        let mut expected = expected;
        expected.iter_mut().for_each(|lines: &mut Vec<u32>| lines.sort_unstable());
        equal((case.clone(), there), (case, expected))?;
    }
    Ok(())
}

fn of_naga() -> Result<(), Failed> {
    let (gpu, watching) = checked(Settings::default());
    let module = wgpu::naga::front::wgsl::parse_str(RACY).map_err(|error| error.to_string())?;
    let module = gpu.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("from naga"),
        source: wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(module)),
    });
    let of = gpu.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: Default::default(),
        cache: None,
    });
    run(&gpu, &of, &[&gpu.storage("data", &[0; 64])], 1);
    let report = watching.report();
    let finding = report.launches.iter().flat_map(|launch| &launch.findings).next();
    let finding = finding.ok_or("no finding")?;
    let snippets: Vec<&str> = finding.accesses.iter().map(|a| a.snippet.as_str()).collect();
    let (one, other) = (snippets[0], snippets[1]);
    equal((one.contains("tile"), other.contains("tile")), (true, true))
}

fn alike() -> Result<(), Failed> {
    let (gpu, watching) = checked(Settings::default());
    let of = pipeline(&gpu, "filled", &CLEAN.replace("*= 2u", "= 9u"));
    let data = gpu.storage("data", &[7; 64]);
    for _ in 0..3 {
        run(&gpu, &of, &[&data], 1);
    }
    // The first dispatch starts from other memory contents than the following ones.
    let expected = Counts { dispatches: 3, checked: 2, repeated: 1, ..Counts::default() };
    equal(watching.counts(), expected)
}

fn chosen() -> Result<(), Failed> {
    let settings = Settings {
        only: vec!["rev*".to_owned(), "dou*".to_owned()],
        ignore: vec!["*led".to_owned()],
        every: 2,
        ..Settings::default()
    };
    let (gpu, watching) = checked(settings);
    let data = gpu.storage("data", &[7; 64]);
    let reversal = pipeline(&gpu, "reversal", RACY);
    for _ in 0..3 {
        run(&gpu, &reversal, &[&data], 1);
    }
    run(&gpu, &pipeline(&gpu, "doubled", CLEAN), &[&data], 1);
    run(&gpu, &pipeline(&gpu, "other", &CLEAN.replace("double", "halve")), &[&data], 1);
    let Counts { dispatches, checked, repeated: alike, passed_over, .. } = watching.counts();
    equal((dispatches, checked + alike, passed_over), (5, 2, 3))?;
    equal(lines(&watching.report()), vec![vec![6, 7]])
}

fn budget() -> Result<(), Failed> {
    let (gpu, watching) = checked(Settings { budget: 1024, ..Settings::default() });
    let of = pipeline(&gpu, "doubled", CLEAN);
    let (small, large) = (gpu.storage("small", &[7; 128]), gpu.storage("large", &[7; 512]));
    run(&gpu, &of, &[&large], 8);
    run(&gpu, &of, &[&small], 2);
    let expected = Counts { dispatches: 2, checked: 1, not_watched: 1, ..Counts::default() };
    equal(watching.counts(), expected)?;
    equal(gpu.read(&large), vec![14; 512])
}

fn files() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let (json, shaders) = (folder.path().join("report.json"), folder.path().join("shaders"));
    let settings = Settings {
        reports: vec![(Form::Json, json.clone())],
        shaders: shaders.clone(),
        ..Settings::default()
    };
    let (gpu, _watching) = checked(settings);
    let data = gpu.storage("data", &[7; 64]);
    run(&gpu, &pipeline(&gpu, "doubled", CLEAN), &[&data], 1);
    run(&gpu, &pipeline(&gpu, "reversal", RACY), &[&data], 1);
    let report: Report = serde_json::from_str(&std::fs::read_to_string(json)?)?;
    equal(lines(&report), vec![vec![6, 7]])?;
    // Only shaders with findings are written.
    let texts: Vec<_> = std::fs::read_dir(shaders)?.collect::<Result<_, _>>()?;
    equal(texts.len(), 1)?;
    equal(std::fs::read_to_string(texts[0].path())?, RACY.to_owned())?;
    let racy = report.launches.iter().find(|launch| !launch.findings.is_empty());
    let racy = racy.ok_or("no finding")?;
    equal(racy.source.clone(), texts[0].path().display().to_string())
}

fn panics() -> Result<(), Failed> {
    let (gpu, watching) = checked(Settings { panics: true, ..Settings::default() });
    let data = gpu.storage("data", &[7; 64]);
    run(&gpu, &pipeline(&gpu, "doubled", CLEAN), &[&data], 1);
    let racy = pipeline(&gpu, "reversal", RACY);
    let ended = catch_unwind(AssertUnwindSafe(|| run(&gpu, &racy, &[&data], 1)));
    equal(ended.is_err(), true)?;
    equal(lines(&watching.report()), vec![vec![6, 7]])?;
    // The finding is already known.
    run(&gpu, &racy, &[&data], 1);
    Ok(())
}

fn threads() -> Result<(), Failed> {
    let watching = watching(Settings::default());
    let gpus = [(), ()].map(|()| Gpu::hooked(Features::empty(), Arc::clone(&watching) as _));
    std::thread::scope(|scope| {
        for gpu in &gpus {
            for n in 0..4 {
                scope.spawn(move || {
                    let text = if n % 2 == 0 { RACY } else { CLEAN };
                    let of = pipeline(gpu, &format!("pipeline {n}"), text);
                    let data = gpu.storage("data", &[n; 128]);
                    run(gpu, &of, &[&data], 2);
                });
            }
        }
    });
    let Counts { dispatches, checked, not_watched, findings, .. } = watching.counts();
    equal((dispatches, checked, not_watched, findings), (8, 8, 0, 1))
}

fn never_submitted() -> Result<(), Failed> {
    let (gpu, watching) = checked(Settings::default());
    let of = pipeline(&gpu, "reversal", RACY);
    let data = gpu.storage("data", &[7; 64]);
    let bound = group(&gpu, &of, &[&data]);
    let mut encoder = gpu.create_command_encoder(&Default::default());
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&of);
        pass.set_bind_group(0, &bound, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    }
    drop(encoder.finish());
    equal(watching.counts(), Counts { dispatches: 1, ..Counts::default() })?;
    equal(lines(&watching.report()), vec![])
}

/// Stores to the first of two buffers, past its end if it is short.
const TWO: &str = "
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) { a[lane] = b[min(lane, arrayLength(&b) - 1u)]; }";

fn divided() -> Result<(), Failed> {
    let (gpu, watching) = checked(Settings::default());
    let of = pipeline(&gpu, "two", TWO);
    let buffers = |first: usize, second: usize| {
        [gpu.storage("first", &vec![0; first]), gpu.storage("second", &vec![0; second])]
    };
    let [first, second] = buffers(64, 64);
    run(&gpu, &of, &[&first, &second], 1);
    equal(lines(&watching.report()), vec![])?;
    let [first, second] = buffers(32, 96);
    run(&gpu, &of, &[&first, &second], 1);
    let Counts { checked, repeated: alike, .. } = watching.counts();
    equal((checked, alike), (2, 0))?;
    let kinds: Vec<String> = watching
        .report()
        .launches
        .iter()
        .flat_map(|launch| &launch.findings)
        .map(|finding| finding.rule.clone())
        .collect();
    equal(kinds.contains(&"HR003".to_owned()), true)
}

fn aliased() -> Result<(), Failed> {
    let (gpu, watching) = checked(Settings::default());
    let of = pipeline(&gpu, "two", TWO);
    let one = gpu.storage("one", &[7; 64]);
    run(&gpu, &of, &[&one, &one], 1);
    let expected = Counts { dispatches: 1, not_watched: 1, ..Counts::default() };
    equal(watching.counts(), expected)
}

fn timed() -> Result<(), Failed> {
    let watching = watching(Settings::default());
    let gpu = Gpu::hooked(Features::TIMESTAMP_QUERY, Arc::clone(&watching) as _);
    let of = pipeline(&gpu, "doubled", CLEAN);
    let data = gpu.storage("data", &[3; 64]);
    let bound = group(&gpu, &of, &[&data]);
    let set = gpu.create_query_set(&wgpu::QuerySetDescriptor {
        label: None,
        ty: wgpu::QueryType::Timestamp,
        count: 2,
    });
    let mut encoder = gpu.create_command_encoder(&Default::default());
    {
        let timestamp_writes = Some(wgpu::ComputePassTimestampWrites {
            query_set: &set,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        });
        let descriptor = wgpu::ComputePassDescriptor { label: None, timestamp_writes };
        let mut pass = encoder.begin_compute_pass(&descriptor);
        pass.set_pipeline(&of);
        pass.set_bind_group(0, &bound, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    }
    gpu.queue.submit([encoder.finish()]);
    let expected = Counts { dispatches: 1, not_watched: 1, ..Counts::default() };
    equal(watching.counts(), expected)?;
    equal(gpu.read(&data), vec![6; 64])
}

fn embedded_race() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let json = folder.path().join("report.json");
    let settings = Settings {
        reports: vec![(Form::Json, json.clone())],
        shaders: folder.path().join("shaders"),
        ..Settings::default()
    };
    let gpu = Gpu::embedded(Features::empty(), settings);
    equal(gpu.adapter.get_info().name, "hirace embedded".to_owned())?;
    let data = gpu.storage("data", &(0..128).collect::<Vec<_>>());
    run(&gpu, &pipeline(&gpu, "doubled", CLEAN), &[&data], 2);
    equal(gpu.read(&data), (0..128).map(|n| 2 * n).collect())?;
    run(&gpu, &pipeline(&gpu, "reversal", RACY), &[&data], 2);
    let report: Report = serde_json::from_str(&std::fs::read_to_string(json)?)?;
    equal(lines(&report), vec![vec![6, 7]])
}

fn embedded_off() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let json = folder.path().join("report.json");
    let reports = vec![(Form::Json, json.clone())];
    let settings = Settings { mode: Mode::Off, reports, ..Settings::default() };
    let gpu = Gpu::embedded(Features::empty(), settings);
    let data = gpu.storage("data", &[1; 64]);
    let racy = gpu.storage("racy", &[1; 64]);
    run(&gpu, &pipeline(&gpu, "reversal", RACY), &[&racy], 1);
    run(&gpu, &pipeline(&gpu, "doubled", CLEAN), &[&data], 1);
    equal(gpu.read(&data), vec![2; 64])?;
    equal(json.exists(), false)
}

fn embedded_texture() -> Result<(), Failed> {
    let gpu = Gpu::embedded(Features::empty(), Settings::default());
    let error = gpu.error(|| {
        drop(gpu.create_texture(&wgpu::TextureDescriptor {
            label: Some("picture"),
            size: wgpu::Extent3d { width: 4, height: 4, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8Unorm,
            usage: wgpu::TextureUsages::STORAGE_BINDING,
            view_formats: &[],
        }));
    });
    let said = error.unwrap_or_default();
    equal(said.contains("hirace's embedded device does not support textures"), true)
}

fn embedded_aliased() -> Result<(), Failed> {
    let gpu = Gpu::embedded(Features::empty(), Settings::default());
    let of = pipeline(&gpu, "two", TWO);
    let one = gpu.storage("one", &[7; 64]);
    let guard = gpu.push_error_scope(wgpu::ErrorFilter::Internal);
    run(&gpu, &of, &[&one, &one], 1);
    let error = pollster::block_on(guard.pop()).map(|error| error.to_string());
    let said = error.unwrap_or_default();
    equal(said.contains("`a` and `b` are bound to the same memory"), true)
}

fn lost() -> Result<(), Failed> {
    let (gpu, watching) = checked(Settings::default());
    let of = pipeline(&gpu, "doubled", CLEAN);
    let data = gpu.storage("data", &[3; 64]);
    let bound = group(&gpu, &of, &[&data]);
    let mut encoder = gpu.create_command_encoder(&Default::default());
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&of);
        pass.set_bind_group(0, &bound, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    }
    let commands = encoder.finish();
    gpu.destroy();
    // The lost device behaves as it does without a watcher: nothing is submitted, and nothing else happens.
    gpu.queue.submit([commands]);
    let Counts { dispatches, checked, .. } = watching.counts();
    equal((dispatches, checked), (1, 0))
}

fn printed_names() -> Result<(), Failed> {
    let text = "
        override N1: u32 = 1u;
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(1) fn pass1() { data[0] = 7u; }
        @compute @workgroup_size(64) fn pass2(@builtin(local_invocation_index) i: u32) { data[i * N1] = i; }";
    // All stores go to one location if the constant is 0, which is the given value and not the default.
    let (gpu, watching) = checked(Settings::default());
    let module = wgpu::naga::front::wgsl::parse_str(text).map_err(|error| error.to_string())?;
    let module = gpu.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(module)),
    });
    let of = gpu.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("pass2"),
        compilation_options: wgpu::PipelineCompilationOptions {
            constants: &[("N1", 0.0)],
            ..Default::default()
        },
        cache: None,
    });
    run(&gpu, &of, &[&gpu.storage("data", &[0; 64])], 1);
    equal(watching.counts().checked, 1)?;
    equal(lines(&watching.report()).len(), 1)
}

fn levels() -> Result<(), Failed> {
    let text = "
        @group(0) @binding(0) var larger: texture_2d<f32>;
        @group(0) @binding(1) var smaller: texture_storage_2d<rgba8unorm, write>;
        @compute @workgroup_size(2, 2) fn halve(@builtin(global_invocation_id) id: vec3u) {
            textureStore(smaller, id.xy, textureLoad(larger, id.xy * 2u, 0));
        }";
    let (gpu, watching) = checked(Settings::default());
    let of = pipeline(&gpu, "halve", text);
    let texture = gpu.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width: 4, height: 4, depth_or_array_layers: 1 },
        mip_level_count: 2,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8Unorm,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::STORAGE_BINDING,
        view_formats: &[],
    });
    let view = |level| {
        texture.create_view(&wgpu::TextureViewDescriptor {
            base_mip_level: level,
            mip_level_count: Some(1),
            ..Default::default()
        })
    };
    let (from, to) = (view(0), view(1));
    let entry = |binding, view| wgpu::BindGroupEntry {
        binding,
        resource: wgpu::BindingResource::TextureView(view),
    };
    let group = gpu.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &of.get_bind_group_layout(0),
        entries: &[entry(0, &from), entry(1, &to)],
    });
    gpu.compute(|pass| {
        pass.set_pipeline(&of);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    });
    equal(watching.counts(), Counts { dispatches: 1, checked: 1, ..Counts::default() })
}

fn embedded_long() -> Result<(), Failed> {
    let text = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(1) fn main() {
            var x = 1u;
            for (var i = 0u; i < 5000000u; i++) { x = x * 1664525u + 1013904223u; }
            data[0] = x;
        }";
    let timeout = std::time::Duration::from_secs(600);
    let gpu = Gpu::embedded(Features::empty(), Settings { timeout, ..Settings::default() });
    let data = gpu.storage("data", &[0]);
    run(&gpu, &pipeline(&gpu, "long", text), &[&data], 1);
    let expected =
        (0..5_000_000).fold(1u32, |x, _| x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    equal(gpu.read(&data), vec![expected])
}

//! Benchmarks the cost of running mutants: all mutants of a kernel in one pipeline, compared with one pipeline per
//! mutant. Runs ten kernels of `kernels/src` that have at least a hundred terminating mutants, each mutant once, on the
//! device that `HIRACE_DEVICE` names (default: the first): `MESA_SHADER_CACHE_DISABLE=true cargo bench -p hirace-cli
//! --bench mutate`. The outcome of a mutant must be the same in both.
//!
//! Then, on the embedded executor, a thousand mutants of a small kernel with five tests: a kernel that no schedule can
//! change, and one that a schedule may change.

use hirace_adequacy::mutate::judge::{Judge, Limits, MutantText};
use hirace_adequacy::mutate::launch_test::LaunchTest;
use hirace_adequacy::mutate::launches::Launches;
use hirace_adequacy::mutate::schema::{MAX_MUTANTS, Schema};
use hirace_adequacy::mutate::source::Source;
use hirace_core::check::Options;
use hirace_core::exec::embedded::Embedded;
use hirace_core::exec::{Executor, Watch};
use hirace_core::launch::Launch;
use hirace_core::launch::build::{self, Grown};
use hirace_core::launch::candidates::candidates;
use hirace_core::launch::spec::{Binding as Given, LaunchSpec};
use hirace_core::program::Program;
use hirace_core::vm::memory::Resource;
use hirace_gpu::wgpu::{BufferUsages, ComputePipeline};
use hirace_gpu::{Binding, Device, Job, OpenDevice, Shader, Source as Code, WaitLimit};
use naga::{AddressSpace, ResourceBinding};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The goal: how many times as many mutants run in the same time, in the median.
const GOAL: f64 = 30.0;

/// The step limit of a subgroup of a kernel or mutant. With long loops, running would dominate the time, not compiling.
const STEPS: u64 = 5_000;

/// The maximum time of a thousand mutants on the embedded executor.
const LONGEST: Duration = Duration::from_secs(20);

fn main() {
    // `cargo test --benches` passes `--test` for one quick run.
    let quick = std::env::args().any(|argument| argument == "--test");
    // Mesa keeps compiled shaders in a folder, which would make the second run faster.
    let is_cached = std::env::var("MESA_SHADER_CACHE_DISABLE").is_err();
    let steady = embedded("steady", STEADY, quick);
    let unsteady = embedded("not steady", UNSTEADY, quick);
    let ratio = match on_device(quick) {
        None => GOAL,
        Some(ratio) => ratio,
    };
    if is_cached {
        println!("MESA_SHADER_CACHE_DISABLE is not set: what a driver compiled before may count");
    }
    if !quick && (ratio < GOAL || steady > LONGEST || unsteady > LONGEST) {
        println!("the goals are {GOAL} times as many mutants, and {LONGEST:?} for a thousand");
        std::process::exit(1);
    }
}

/// A kernel, its launch, and its terminating mutants.
struct Subject {
    name: String,
    program: Program,
    entry: usize,
    launch: Launch,
    mutants: Vec<Program>,
    /// Whether each mutant has no findings, so that its output is deterministic.
    clean: Vec<bool>,
    /// The time to parse the mutants.
    reading: Duration,
}

fn search(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder is there").flatten() {
        let path = entry.path();
        match path.extension() {
            Some(extension) if extension == "rs" => files.push(path),
            None => search(&path, files),
            _ => {}
        }
    }
}

/// Returns the first kernel of a file, if it has at least `least` mutants.
fn subject(path: &Path, least: usize) -> Option<Subject> {
    let text = std::fs::read_to_string(path).ok()?;
    let name = path.file_stem()?.to_string_lossy().into_owned();
    let source = Source::new(&path.display().to_string(), &text)?;
    let parsed = source.programs(&text).ok()?;
    let none = BTreeMap::new();
    let program = Program::new(parsed.first()?, &none).ok()?;
    let (entry, _) = program.entries().next()?;
    let spec = LaunchSpec { workgroups: Some([4, 1, 1]), ..LaunchSpec::default() };
    let all = candidates(&program, &spec, entry).ok()?;
    let mut launch = build::launch(&program, &spec, &all[0], &Grown::new()).ok()?;
    launch.limits.steps = STEPS;
    launch.limits.total = 100 * STEPS;
    let ends = |program: &Program, launch: &Launch| {
        let ran = Embedded.run(program, launch, &Watch::default(), None);
        ran.is_ok_and(|ran| ran.dispatches.iter().all(|dispatched| dispatched.run.is_complete()))
    };
    // Kernels with textures are skipped: compiling is what is measured.
    let textures = launch.resources.by_global.iter().flatten();
    if textures.into_iter().any(|of| !matches!(of, Resource::Buffer(_))) || !ends(&program, &launch)
    {
        return None;
    }
    let found = source.mutants().ok()?;
    let start = Instant::now();
    let others = source
        .map_mutants(&found, parsed.len(), |parsed| Program::new(parsed.first()?, &none).ok());
    let reading = start.elapsed() / (found.len().max(1) as u32);
    let own = program.module.entry_points.get(entry)?.workgroup_size;
    let text_of = |program: &Program| format!("{:?}", program.module.entry_points);
    let original = text_of(&program);
    let mutants: Vec<Program> = others
        .into_iter()
        .flatten()
        .flatten()
        // Mutants of another kernel of the file change nothing here.
        .filter(|other| text_of(other) != original)
        .filter(|other| other.module.entry_points[entry].workgroup_size == own)
        .filter(|other| ends(other, &launch))
        .collect();
    let is_clean = |program: &Program| {
        let ran = Embedded.run(program, &launch, &Watch::default(), None);
        ran.is_ok_and(|ran| {
            let mut all = ran.dispatches.iter();
            all.all(|of| of.racy.is_empty() && of.run.out_of_bounds.is_empty())
        })
    };
    let clean = mutants.iter().map(is_clean).collect();
    let reading = reading * mutants.len() as u32;
    (mutants.len() >= least).then_some(Subject {
        name,
        program,
        entry,
        launch,
        mutants,
        clean,
        reading,
    })
}

/// Compiles the pipeline of a program.
fn compile(
    device: &OpenDevice,
    program: &Program,
    subject: &Subject,
) -> hirace_gpu::Result<ComputePipeline> {
    let module = &program.module;
    let entry = module.entry_points[subject.entry].name.as_str();
    device.compile(&Shader { source: Code::Naga(module), entry, constants: &[], layout: None })
}

/// Runs a program once and returns the contents of its buffers.
fn run(
    device: &OpenDevice,
    pipeline: &ComputePipeline,
    program: &Program,
    subject: &Subject,
    on: Option<u32>,
) -> hirace_gpu::Result<Vec<Vec<u8>>> {
    let module = &program.module;
    let count = subject.launch.resources.by_global.len();
    let used = program.info.get_entry_point(subject.entry);
    let (mut buffers, mut read) = (Vec::new(), Vec::new());
    for (handle, variable) in module.global_variables.iter() {
        let Some(ResourceBinding { group, binding }) = variable.binding else { continue };
        if used[handle].is_empty() {
            continue;
        }
        let is_uniform = variable.space == AddressSpace::Uniform;
        let usage = if is_uniform { BufferUsages::UNIFORM } else { BufferUsages::STORAGE };
        let mut bytes = match (&subject.launch.resources.by_global.get(handle.index()), on) {
            (Some(Some(Resource::Buffer(buffer))), _) => buffer.bytes(),
            (_, Some(on)) if handle.index() == count => on.to_le_bytes().to_vec(),
            _ => continue,
        };
        bytes.resize(bytes.len().next_multiple_of(16), 0);
        let usage = usage | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        buffers.push((group, binding, device.buffer("mutants", &bytes, usage)?));
        if !is_uniform && handle.index() != count {
            read.push(buffers.len() - 1);
        }
    }
    let bindings = buffers.iter().map(|(group, binding, buffer)| Binding {
        group: *group,
        binding: *binding,
        resource: buffer.as_entire_binding(),
    });
    let bindings = device.bind(pipeline, bindings)?;
    let workgroups = subject.launch.dispatches[0].workgroups;
    let job = Job::new().dispatch(pipeline, &bindings, workgroups);
    device.run(&job, WaitLimit::default())?;
    read.into_iter().map(|at| device.read(&buffers[at].2, 0..buffers[at].2.size())).collect()
}

/// Returns whether two outputs have the same bytes, or floats that are nearly equal: a driver may fuse a multiplication
/// and an addition in one shader but not in another.
fn are_close(a: &[u8], b: &[u8]) -> bool {
    let floats = |bytes: &[u8]| -> Vec<f32> {
        bytes
            .chunks_exact(4)
            .map(|word| f32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect()
    };
    let close = |a: f32, b: f32| {
        a.to_bits() == b.to_bits()
            || (a.is_nan() && b.is_nan())
            || (a - b).abs() <= 1e-4 * a.abs().max(b.abs())
    };
    a.len() == b.len() && floats(a).into_iter().zip(floats(b)).all(|(a, b)| close(a, b))
}

fn on_device(quick: bool) -> Option<f64> {
    let chosen = std::env::var("HIRACE_DEVICE").unwrap_or_default();
    let adapters = hirace_gpu::adapters();
    let adapter = adapters.iter().find(|of| of.about().name().contains(&chosen));
    let Some(adapter) = adapter else {
        println!("no device to measure");
        return None;
    };
    let device = Device::open(adapter, hirace_gpu::compute_features(), adapter.limits());
    let device = device.expect("the device opens");
    println!("{}: milliseconds for a mutant", adapter.about().name());
    println!(
        "{:<24} {:>8} {:>8} {:>10} {:>10} {:>8} {:>14}",
        "kernel", "mutants", "in", "each", "one", "ratio", "with reading"
    );
    let mut files = Vec::new();
    search(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels/src"), &mut files);
    files.sort();
    let subjects = files.iter().filter_map(|path| subject(path, 100));
    let mut ratios = Vec::new();
    for subject in subjects.take(if quick { 1 } else { 10 }) {
        let all = subject.mutants.iter().take(if quick { 10 } else { usize::MAX });
        let all: Vec<&Program> = all.collect();
        let measured: hirace_gpu::Result<(Duration, Duration, usize)> = device.hold(|device| {
            // Warm up, so that one-time work for the device is not measured.
            let pipeline = compile(device, &subject.program, &subject)?;
            run(device, &pipeline, &subject.program, &subject, None)?;
            let start = Instant::now();
            let mut schemas = Vec::new();
            for chunk in all.chunks(MAX_MUTANTS) {
                let others: Vec<Option<Program>> =
                    chunk.iter().map(|program| Some((*program).clone())).collect();
                schemas.push(Schema::of(&subject.program, &others).expect("there is a schema"));
            }
            let joining = start.elapsed();
            let mut compiling = Duration::ZERO;
            let mut left = Vec::new();
            for (schema, first) in schemas.iter().zip((0..).step_by(MAX_MUTANTS)) {
                let began = Instant::now();
                let pipeline = compile(device, &schema.program, &subject)?;
                compiling += began.elapsed();
                for (number, at) in schema.numbers.iter().zip(first..) {
                    if number.is_some() {
                        let of = run(device, &pipeline, &schema.program, &subject, *number)?;
                        left.push((at, of));
                    }
                }
            }
            let one = start.elapsed();
            println!(
                "  {}: joined in {joining:.2?}, compiled in {compiling:.2?} of {one:.2?}",
                subject.name
            );
            let start = Instant::now();
            let (mut rounded, mut others) = (0, 0);
            for (at, expected) in &left {
                let pipeline = compile(device, all[*at], &subject)?;
                let of = run(device, &pipeline, all[*at], &subject, None)?;
                if subject.clean[*at] && &of != expected {
                    let is_close = of.iter().zip(expected).all(|(a, b)| are_close(a, b));
                    *(if is_close { &mut rounded } else { &mut others }) += 1;
                }
            }
            let each = start.elapsed();
            if rounded + others > 0 {
                println!(
                    "{}: of mutants without findings {rounded} leave floats that are rounded otherwise, and {others} \
                     something else",
                    subject.name
                );
            }
            Ok((each, one, left.len()))
        });
        let (each, one, count) = match measured {
            Ok(measured) => measured,
            Err(error) => {
                println!("{:<24} {error}", subject.name);
                continue;
            }
        };
        let of = |time: Duration| time.as_secs_f64() * 1e3 / count as f64;
        let ratio = of(each) / of(one);
        let reading = of(subject.reading);
        let with = (of(each) + reading) / (of(one) + reading);
        println!(
            "{:<24} {:>8} {count:>8} {:>10.3} {:>10.3} {ratio:>8.1} {with:>14.1}",
            subject.name,
            all.len(),
            of(each),
            of(one)
        );
        ratios.push(ratio);
    }
    ratios.sort_by(f64::total_cmp);
    let median = *ratios.get(ratios.len() / 2)?;
    println!("median of {} kernels: {median:.1}", ratios.len());
    Some(median)
}

/// A kernel that no schedule can change.
const STEADY: &str = "
    @group(0) @binding(0) var<storage, read> a: array<u32>;
    @group(0) @binding(1) var<storage, read_write> out: array<u32>;
    @compute @workgroup_size(32)
    fn main(@builtin(global_invocation_id) id: vec3u) {
        let i = id.x;
        if (i >= arrayLength(&a)) { return; }
        var sum = 0u;
        for (var k = 0u; k < 4u; k++) { sum += a[i] * k + (a[i] >> k); }
        out[i] = (sum ^ (i << 2u)) % 251u + i / 3u;
    }";

/// A kernel in which the schedule may change the order of atomic additions.
const UNSTEADY: &str = "
    @group(0) @binding(0) var<storage, read> a: array<u32>;
    @group(0) @binding(1) var<storage, read_write> out: array<atomic<u32>>;
    @compute @workgroup_size(32)
    fn main(@builtin(global_invocation_id) id: vec3u) {
        let i = id.x;
        if (i >= arrayLength(&a)) { return; }
        var sum = 0u;
        for (var k = 0u; k < 4u; k++) { sum += a[i] * k + (a[i] >> k); }
        atomicAdd(&out[(sum ^ (i << 2u)) % 64u], i / 3u + 1u);
    }";

/// Returns the time to judge a thousand mutants.
fn embedded(name: &str, text: &str, quick: bool) -> Duration {
    let source = Source::new("small.wgsl", text).expect("it has a text");
    let sources = [source.clone()];
    let found = source.mutants().expect("it compiles");
    let tests = (0..5).map(|seed| {
        let bindings = [format!("a=random:64:{seed}"), "out=zeros:64".to_owned()];
        let bindings = bindings.iter().map(|binding| Given::parse(binding).expect("a binding"));
        let spec = LaunchSpec {
            workgroups: Some([2, 1, 1]),
            bindings: bindings.collect(),
            step_limit: Some(100_000),
            ..LaunchSpec::default()
        };
        let options = Options { launches: vec![spec], ..Options::default() };
        LaunchTest::launch(format!("test {seed}"), 0, options)
    });
    let launches = Launches::new(&Embedded, &sources, tests.collect(), None);
    let names: Vec<String> = launches.tests.iter().map(|test| test.name.clone()).collect();
    use hirace_adequacy::mutate::judge::{Attempt, TestRunner};
    for test in 0..5 {
        let limits = &Limits::NONE;
        let attempt = Attempt { mutant: None, schedule: 0, lenient: false, limits };
        launches.run(test, attempt).expect("it passes");
    }
    let limits = vec![Limits::NONE; names.len()];
    let judge = Judge { tests: &launches, names: &names, limits: &limits, repeats: 20 };
    let count = if quick { 10 } else { 1000 };
    let start = Instant::now();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let next = std::sync::atomic::AtomicUsize::new(0);
    let judged = std::sync::Mutex::new(&mut counts);
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if at >= count {
                        return;
                    }
                    let candidate = &found[at % found.len()];
                    let text = source.with(candidate);
                    let mutated = MutantText::new(&source, &candidate.edits, &text);
                    let of = judge.judge(mutated, &[0, 1, 2, 3, 4]).expect("it can be judged");
                    let status = format!("{:?}", of.expect("nothing stops it").status);
                    *judged.lock().expect("no thread panics").entry(status).or_default() += 1;
                }
            });
        }
    });
    let time = start.elapsed();
    println!("embedded, {name}: {count} mutants of {} in {time:.2?}: {counts:?}", found.len());
    time
}

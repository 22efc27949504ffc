//! A client of the device service (`hirace-gpu`) that does not depend on races: campaigns of a thousand small dispatches with
//! uniforms that change between them, as in litmus tests, and failures in such campaigns.
//!
//! Devices are chosen as in `device`. Without a device, these trials are ignored, with the reason.

use crate::device::{adapter, lock_for_long_test, need};
use hirace_gpu::wgpu::{self, Buffer, BufferUsages, ComputePipeline};
use hirace_gpu::{
    Binding, Bindings, Counts, Device, Error, Excess, Job, OpenDevice, Result, Shader, Source,
    WaitLimit, compute_features,
};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

type Test = fn() -> std::result::Result<(), Failed>;

pub fn trials() -> Vec<Trial> {
    let tests: [(&str, Test); 9] = [
        ("a_thousand_iterations_agree_with_the_cpu_and_compile_once", histogram),
        ("two_pipelines_run_in_order_in_one_submission", campaign),
        ("steps_of_a_job_take_effect_in_order", steps),
        ("bad_shaders_are_refused_with_what_is_wrong", bad_shaders),
        ("what_is_too_large_is_refused_before_memory_is_asked_for", too_large),
        ("a_job_that_takes_too_long_is_given_up", too_long),
        ("a_job_is_given_up_when_it_is_to_stop", stopped),
        ("a_lost_device_is_opened_anew", lost),
        ("a_device_of_an_application_is_used_as_it_is", of_application),
    ];
    let trial = |(name, test): (&str, Test)| {
        Trial::test(format!("extension_points::service::{name}"), test).needs(need())
    };
    tests.into_iter().map(trial).collect()
}

const STORAGE: BufferUsages =
    BufferUsages::STORAGE.union(BufferUsages::COPY_SRC).union(BufferUsages::COPY_DST);

/// Opens a separate device, so that only this test compiles on it.
fn open() -> std::result::Result<Device, Failed> {
    let adapter = adapter().as_ref()?;
    Ok(Device::open(adapter, compute_features(), adapter.limits())?)
}

fn wgsl(text: &str) -> Shader<'_> {
    Shader { source: Source::Wgsl(text), entry: "main", constants: &[], layout: None }
}

/// Binds buffers to the first bindings of group 0.
fn bind(device: &OpenDevice, pipeline: &ComputePipeline, buffers: &[&Buffer]) -> Result<Bindings> {
    let bindings = buffers.iter().zip(0..).map(|(buffer, binding)| Binding {
        group: 0,
        binding,
        resource: buffer.as_entire_binding(),
    });
    device.bind(pipeline, bindings)
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn words(device: &OpenDevice, buffer: &Buffer) -> Result<Vec<u32>> {
    device.read_words(buffer, 0..buffer.size() / 4)
}

fn same<T: PartialEq + std::fmt::Debug>(found: T, expected: T) -> std::result::Result<(), Failed> {
    match found == expected {
        true => Ok(()),
        false => Err(format!("{found:?}, not {expected:?}").into()),
    }
}

const ITERATIONS: u32 = 1000;
const BUCKETS: usize = 16;

const HISTOGRAM: &str = "
    struct Iteration { seed: u32, stride: u32 }
    @group(0) @binding(0) var<uniform> iteration: Iteration;
    @group(0) @binding(1) var<storage, read_write> buckets: array<atomic<u32>, 16>;
    @compute @workgroup_size(64)
    fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        var x = (id.x * iteration.stride + iteration.seed) * 747796405u + 2891336453u;
        x = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
        atomicAdd(&buckets[x >> 28u], 1u);
    }";

/// Computes the counts of the shader on the CPU.
fn histogram_here(invocations: u32) -> Vec<u32> {
    let mut buckets = vec![0; BUCKETS];
    for iteration in 0..ITERATIONS {
        let [seed, stride] = uniform_of(iteration);
        for id in 0..invocations {
            let x = id.wrapping_mul(stride).wrapping_add(seed);
            let x = x.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            let x = ((x >> ((x >> 28) + 4)) ^ x).wrapping_mul(277_803_737);
            buckets[(x >> 28) as usize] += 1;
        }
    }
    buckets
}

fn uniform_of(iteration: u32) -> [u32; 2] {
    [iteration.wrapping_mul(0x9e37_79b9), 1 + iteration % 7]
}

/// Changes a uniform before each iteration. The pipeline is requested each time, but compiled only once.
fn histogram() -> std::result::Result<(), Failed> {
    let (buckets, counts) = open()?.hold(|device| {
        let uniform = device.buffer("iteration", &[0; 8], BufferUsages::UNIFORM)?;
        let buckets = device.zeros("buckets", 4 * BUCKETS as u64, STORAGE)?;
        for iteration in 0..ITERATIONS {
            let pipeline = device.compile(&wgsl(HISTOGRAM))?;
            let bindings = bind(device, &pipeline, &[&uniform, &buckets])?;
            let job = Job::new().write(&uniform, 0, &bytes(&uniform_of(iteration))).dispatch(
                &pipeline,
                &bindings,
                [4, 1, 1],
            );
            device.run(&job, WaitLimit::default())?;
        }
        Ok::<_, Error>((words(device, &buckets)?, device.pipelines()))
    })?;
    same(buckets, histogram_here(4 * 64))?;
    same(counts, Counts { hits: u64::from(ITERATIONS) - 1, misses: 1 })
}

/// A kernel in which each instance is two invocations of two workgroups; in half of the iterations they swap roles.
const STORE_BUFFERING: &str = "
    @group(0) @binding(0) var<uniform> swapped: u32;
    @group(0) @binding(1) var<storage, read_write> locations: array<atomic<u32>>;
    @group(0) @binding(2) var<storage, read_write> results: array<u32>;
    @compute @workgroup_size(64)
    fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
        let instance = workgroup.x / 2u * 64u + lane;
        let side = (workgroup.x % 2u) ^ swapped;
        atomicStore(&locations[2u * instance + side], 1u);
        results[2u * instance + side] = atomicLoad(&locations[2u * instance + (1u - side)]);
    }";

/// A kernel that counts the outcome of each instance; the counts of all possible outcomes add up to the number of instances.
const OUTCOMES: &str = "
    @group(0) @binding(0) var<storage, read_write> results: array<u32>;
    @group(0) @binding(1) var<storage, read_write> buckets: array<atomic<u32>, 5>;
    @compute @workgroup_size(64)
    fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        let seen = vec2(results[2u * id.x], results[2u * id.x + 1u]);
        atomicAdd(&buckets[select(seen.x * 2u + seen.y, 4u, any(seen > vec2(1u)))], 1u);
        results[2u * id.x] = 9u;
        results[2u * id.x + 1u] = 9u;
    }";

/// Runs a litmus test and counts its outcomes, ten iterations per submission. Memory is cleared before each iteration.
fn campaign() -> std::result::Result<(), Failed> {
    const PAIRS: u32 = 4;
    let instances = PAIRS * 64;
    let device = open()?;
    let buckets = device.hold(|device| {
        let swapped = device.buffer("swapped", &[0; 4], BufferUsages::UNIFORM)?;
        let locations = device.zeros("locations", 8 * u64::from(instances), STORAGE)?;
        let results = device.zeros("results", 8 * u64::from(instances), STORAGE)?;
        let buckets = device.zeros("buckets", 4 * 5, STORAGE)?;
        let (test, outcomes) =
            (device.compile(&wgsl(STORE_BUFFERING))?, device.compile(&wgsl(OUTCOMES))?);
        let of_test = bind(device, &test, &[&swapped, &locations, &results])?;
        let of_outcomes = bind(device, &outcomes, &[&results, &buckets])?;
        for _ in 0..ITERATIONS / 10 {
            let mut job = Job::new();
            for iteration in 0..10 {
                job = job
                    .write(&swapped, 0, &bytes(&[iteration % 2]))
                    .clear(&locations)
                    .dispatch(&test, &of_test, [2 * PAIRS, 1, 1])
                    .dispatch(&outcomes, &of_outcomes, [PAIRS, 1, 1]);
            }
            device.run(&job, WaitLimit::default())?;
        }
        words(device, &buckets)
    })?;
    same(device.pipelines(), Counts { hits: 0, misses: 2 })?;
    // Whatever the device's memory model allows, each instance has exactly one outcome in every iteration.
    same((buckets.iter().sum(), buckets[4]), (instances * ITERATIONS, 0))
}

fn steps() -> std::result::Result<(), Failed> {
    let text = "@group(0) @binding(0) var<storage, read_write> data: array<u32, 4>;
        override factor: u32;
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { data[i] *= factor; }";
    let (kept, data) = open()?.hold(|device| {
        let data = device.buffer("data", &bytes(&[1, 2, 3, 4]), STORAGE)?;
        let kept = device.zeros("kept", 32, STORAGE)?;
        let times =
            |factor| device.compile(&Shader { constants: &[("factor", factor)], ..wgsl(text) });
        let (twice, thrice) = (times(2.0)?, times(3.0)?);
        let of_twice = bind(device, &twice, &[&data])?;
        let of_thrice = bind(device, &thrice, &[&data])?;
        let job = Job::new()
            .dispatch(&twice, &of_twice, [1; 3])
            .copy(&data, 0..16, &kept, 0)
            .write(&data, 4, &bytes(&[10]))
            .dispatch(&thrice, &of_thrice, [1; 3])
            .dispatch(&twice, &of_twice, [1; 3])
            .copy(&data, 0..16, &kept, 16)
            .clear(&data);
        device.run(&job, WaitLimit::default())?;
        Ok::<_, Error>((words(device, &kept)?, words(device, &data)?))
    })?;
    same(kept, vec![2, 4, 6, 8, 12, 60, 36, 48])?;
    same(data, vec![0; 4])
}

fn bad_shaders() -> std::result::Result<(), Failed> {
    let device = open()?;
    let refused = |shader: Shader<'_>| device.hold(|device| device.compile(&shader)).unwrap_err();
    match refused(wgsl("@compute @workgroup_size(1)\nfn main() { let x = nothing; }")) {
        Error::Wgsl { line: 2, column: 21, message } if message.contains("nothing") => {}
        other => return Err(format!("{other:?}").into()),
    }
    let good = "@compute @workgroup_size(1) fn main() {}";
    let at_random = "@compute @workgroup_size(1) fn main() { if true { return 1; } }";
    for invalid in [Shader { entry: "other", ..wgsl(good) }, wgsl(at_random)] {
        match refused(invalid) {
            Error::Invalid { reason } if !reason.is_empty() => {}
            other => return Err(format!("{other:?}").into()),
        }
    }
    let large = format!("@compute @workgroup_size({}) fn main() {{}}", u32::MAX / 2);
    match refused(wgsl(&large)) {
        Error::TooLarge(Excess::Workgroup(_)) => {}
        other => return Err(format!("{other:?}").into()),
    }
    // Failed shaders are not cached, and the device still works.
    device.hold(|device| device.compile(&wgsl(good)))?;
    same(device.pipelines(), Counts { hits: 0, misses: 5 })
}

fn too_large() -> std::result::Result<(), Failed> {
    let adapter = adapter().as_ref()?;
    let most = 1 << 20;
    let mut limits = adapter.limits();
    limits.max_buffer_size = most;
    let grid = limits.max_compute_workgroups_per_dimension;
    open_with(limits)?.hold(|device| {
        device.zeros("just so", most, STORAGE)?;
        for bytes in [most + 4, 1 << 60] {
            match device.zeros("large", bytes, STORAGE) {
                Err(Error::TooLarge(Excess::Buffer(excess))) => {
                    same((excess.bytes, excess.most, excess.can_be_created), (bytes, most, false))?;
                }
                other => return Err(format!("{other:?}").into()),
            }
        }
        let pipeline = device.compile(&wgsl("@compute @workgroup_size(1) fn main() {}"))?;
        let bindings = device.bind(&pipeline, [])?;
        let job = Job::new().dispatch(&pipeline, &bindings, [1, grid + 1, 1]);
        match device.run(&job, WaitLimit::default()) {
            Err(Error::TooLarge(Excess::Grid(_))) => Ok(()),
            other => Err(format!("{other:?}").into()),
        }
    })
}

fn open_with(limits: wgpu::Limits) -> std::result::Result<Device, Failed> {
    Ok(Device::open(adapter().as_ref()?, compute_features(), limits)?)
}

/// A kernel whose time grows with the number of workgroups, without a loop so long that a driver would end it.
const LONG: &str = "@group(0) @binding(0) var<storage, read_write> out: array<u32, 4096>;
    @compute @workgroup_size(256) fn main(@builtin(local_invocation_index) lane: u32) {
        var x = lane;
        for (var i = 0u; i < 20000u; i++) { x = x * 1664525u + out[(x >> 8u) % 4096u] + i; }
        out[x % 4096u] = x;
    }";

/// Runs a job that takes some seconds on a slow device, and less on a fast one.
fn run_long(device: &Device, until: WaitLimit<'_>) -> Result<()> {
    device.hold(|device| {
        let out = device.zeros("out", 4 * 4096, STORAGE)?;
        let pipeline = device.compile(&wgsl(LONG))?;
        let bindings = bind(device, &pipeline, &[&out])?;
        let mut workgroups = 1;
        loop {
            let job = Job::new().dispatch(&pipeline, &bindings, [workgroups, 1, 1]);
            let started = Instant::now();
            device.run(&job, WaitLimit::default())?;
            if started.elapsed() > Duration::from_millis(100) || workgroups > 1000 {
                break;
            }
            workgroups *= 2;
        }
        let job = Job::new().dispatch(&pipeline, &bindings, [workgroups, 40, 1]);
        device.run(&job, until)
    })
}

/// Runs a small job to the end.
fn run_short(device: &Device) -> std::result::Result<(), Failed> {
    let text = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { out[i] = i + 1u; }";
    let out = device.hold(|device| {
        let out = device.zeros("out", 16, STORAGE)?;
        let pipeline = device.compile(&wgsl(text))?;
        let bindings = bind(device, &pipeline, &[&out])?;
        device.run(&Job::new().dispatch(&pipeline, &bindings, [1; 3]), WaitLimit::default())?;
        words(device, &out)
    })?;
    same(out, vec![1, 2, 3, 4])
}

fn too_long() -> std::result::Result<(), Failed> {
    let _alone = lock_for_long_test();
    let device = open()?;
    let limit = Duration::from_millis(300);
    match run_long(&device, WaitLimit { limit, stop: None }) {
        Err(Error::TimedOut { limit: had }) => same(had, limit)?,
        other => return Err(format!("{other:?}").into()),
    }
    // The service abandons the device that still runs the job, and opens another one.
    run_short(&device)
}

fn stopped() -> std::result::Result<(), Failed> {
    let _alone = lock_for_long_test();
    let device = open()?;
    let stop = AtomicBool::new(true);
    let until = WaitLimit { stop: Some(&stop), ..WaitLimit::default() };
    match run_long(&device, until) {
        Err(Error::Stopped) => {}
        other => return Err(format!("{other:?}").into()),
    }
    stop.store(false, Ordering::Relaxed);
    run_short(&device)
}

fn lost() -> std::result::Result<(), Failed> {
    let device = open()?;
    run_short(&device)?;
    device.destroy();
    let kept = device.hold(|opened| {
        // The device is lost while it is held, so calls on it return errors.
        opened.device().destroy();
        match opened.compile(&wgsl("@compute @workgroup_size(1) fn main() {}")) {
            Err(Error::Lost { .. }) => Ok(opened.pipelines()),
            other => Err(other.map_or_else(|error| error, |_| Error::NotReadable)),
        }
    })?;
    same(kept, Counts { hits: 0, misses: 1 })?;
    run_short(&device)
}

/// The service uses the device of an application, which continues to use it too.
fn of_application() -> std::result::Result<(), Failed> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapters = ready(instance.enumerate_adapters(wgpu::Backends::all()))?;
    let name = adapter().as_ref()?.about().name();
    let chosen = adapters.into_iter().find(|adapter| adapter.get_info().name == name);
    let chosen = chosen.ok_or("the device was not found")?;
    let (device, queue) = ready(chosen.request_device(&Default::default()))??;
    let ours = Device::of_application(chosen, device.clone(), queue.clone())?;
    same(ours.limits().max_buffer_size, device.limits().max_buffer_size)?;
    run_short(&ours)?;
    let theirs = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 16,
        usage: STORAGE,
        mapped_at_creation: false,
    });
    queue.write_buffer(&theirs, 0, &bytes(&[5, 6, 7, 8]));
    same(ours.hold(|opened| words(opened, &theirs))?, vec![5, 6, 7, 8])?;
    // The application reports the loss, and the service does not open the device again.
    ours.mark_lost("unplugged");
    match ours.hold(|_| Ok::<_, Error>(())) {
        Err(Error::Lost { reason }) => same(reason.as_str(), "unplugged"),
        other => Err(format!("{other:?}").into()),
    }
}

/// Returns the result of a future that is ready at once, as those of wgpu are on native systems.
fn ready<T>(future: impl Future<Output = T>) -> std::result::Result<T, Failed> {
    match std::pin::pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Ok(value),
        Poll::Pending => Err("the future is not ready".into()),
    }
}

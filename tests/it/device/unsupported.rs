//! Tests of launches that a device cannot run: the message is hirace's own, at the source location that needs it, with exit
//! status 3; wgpu's own messages are never shown.
//!
//! A device that was opened with fewer features or lower limits than it has rejects what a less capable device would.

use super::{Case, adapter, device_name, error_text, given, launched, lock_for_long_test};
use crate::support::{hirace, run, scratch};
use hirace::facts::Flag;
use hirace::raw::check::source::check_launches;
use hirace::raw::check::{CheckOutcome, Options, Session};
use hirace::raw::exec::Executor;
use hirace::raw::exec::embedded::Embedded;
use hirace::raw::exec::wgpu::{Device, Features, Limits};
use hirace::raw::front::wgsl;
use hirace::raw::report::text::{self, Style};
use hirace::raw::shadow::plan::Table;
use hirace_gpu::wgpu::DeviceType;
use libtest_mimic::Failed;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A program, a launch, a device, and the expected message.
struct Refusal {
    name: &'static str,
    text: &'static str,
    flags: &'static str,
    /// The features that the device is opened without.
    without: Features,
    lower: fn(&mut Limits),
    /// The line of the reported location; 0 if there is none.
    line: u32,
    says: &'static str,
}

const OUT: &str = "@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { out[id.x] = 1.0; }";

/// Returns a rejection by any device as it is.
const fn of(
    name: &'static str,
    line: u32,
    says: &'static str,
    text: &'static str,
    flags: &'static str,
) -> Refusal {
    Refusal { name, text, flags, without: Features::empty(), lower: |_| {}, line, says }
}

/// Returns a rejection by a device without some features.
const fn without(
    features: Features,
    name: &'static str,
    line: u32,
    says: &'static str,
    text: &'static str,
) -> Refusal {
    Refusal { without: features, ..of(name, line, says, text, "--workgroups 2") }
}

/// Returns a rejection by a device with a lower limit.
const fn below(
    lower: fn(&mut Limits),
    name: &'static str,
    line: u32,
    says: &'static str,
    text: &'static str,
) -> Refusal {
    Refusal { lower, ..of(name, line, says, text, "--workgroups 2") }
}

const REFUSALS: &[Refusal] = &[
    without(
        Features::SHADER_F16,
        "floats of 16 bits",
        3,
        "`main` needs 16-bit floats, which the device does not support",
        "enable f16;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { out[i] = f32(f16(i)); }",
    ),
    without(
        Features::SHADER_F64,
        "floats of 64 bits",
        2,
        "`main` needs 64-bit floats, which the device does not support",
        "@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { out[i] = f32(f64(i) * 0.5lf); }",
    ),
    without(
        Features::SHADER_INT64,
        "integers of 64 bits",
        2,
        "`main` needs 64-bit integers, which the device does not support",
        "@group(0) @binding(0) var<storage, read_write> out: array<u64>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { out[i] = u64(i); }",
    ),
    without(
        Features::SHADER_INT64_ATOMIC_ALL_OPS.union(Features::SHADER_INT64_ATOMIC_MIN_MAX),
        "atomics of 64 bits",
        2,
        "`main` needs 64-bit atomics, which the device does not support",
        "@group(0) @binding(0) var<storage, read_write> out: array<atomic<u64>>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { atomicAdd(&out[i], 1lu); }",
    ),
    without(
        Features::SUBGROUP,
        "subgroup operations",
        2,
        "`main` needs subgroup operations, which the device does not support",
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { out[i] = subgroupAdd(i); }",
    ),
    without(
        Features::TEXTURE_ATOMIC,
        "atomics on textures",
        2,
        "`main` needs atomics on textures, which the device does not support",
        "@group(0) @binding(0) var t: texture_storage_2d<r32uint, atomic>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { textureAtomicAdd(t, vec2(i, 0u), 1u); }",
    ),
    without(
        Features::FLOAT32_FILTERABLE,
        "filters over floats of 32 bits",
        1,
        "`t` is sampled with a filter, but the device cannot filter textures of 32-bit floats",
        "@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = textureSampleLevel(t, s, vec2(0.5), 0.0).x;
}",
    ),
    without(
        Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES,
        "access to a storage texture",
        1,
        "`t` is a storage texture for reading and writing, which the device does not support for the format rgba8unorm",
        "@group(0) @binding(0) var t: texture_storage_2d<rgba8unorm, read_write>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    textureStore(t, vec2(i, 0u), textureLoad(t, vec2(i, 0u)));
}",
    ),
    without(
        Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES,
        "multisampled formats",
        1,
        "`t` is multisampled, in a format that the device cannot fill",
        "@group(0) @binding(0) var t: texture_multisampled_2d<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = textureLoad(t, vec2(i, 0u), 1).x;
}",
    ),
    without(
        Features::BGRA8UNORM_STORAGE.union(Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES),
        "formats of storage textures",
        1,
        "`t` is a storage texture for writing, which the device does not support for the format bgra8unorm",
        "@group(0) @binding(0) var t: texture_storage_2d<bgra8unorm, write>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    textureStore(t, vec2(i, 0u), vec4(1.0));
}",
    ),
    below(
        |limits| limits.max_compute_workgroups_per_dimension = 100,
        "a grid too large",
        0,
        "a grid of 101 workgroups exceeds the device's limit of 100 per dimension",
        OUT,
    ),
    of(
        "a workgroup too large",
        3,
        "the workgroups of `main` have 2048 invocations, but the device supports",
        "@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(64, 32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { out[id.x] = 1.0; }",
        "--workgroups 1",
    ),
    below(
        |limits| limits.max_compute_workgroup_size_y = 1,
        "a workgroup too high",
        2,
        "the workgroups of `main` have 2 invocations in y, but the device supports at most 1",
        "@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(2, 2) fn main() { out[0] = 1.0; }",
    ),
    below(
        |limits| limits.max_compute_workgroup_storage_size = 1 << 10,
        "workgroup memory",
        1,
        "`tile` takes 2048 bytes of workgroup memory, but the device has only 1024",
        "var<workgroup> tile: array<f32, 512>;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { tile[i] = 1.0; out[i] = tile[i]; }",
    ),
    below(
        |limits| limits.max_compute_workgroup_storage_size = 64,
        "workgroup memory of several",
        2,
        "2 variables take 80 bytes of workgroup memory, but the device has only 64",
        "var<workgroup> count: u32;
var<workgroup> tile: array<f32, 16>;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    if i == 0u { count = 1u; }
    tile[i] = 1.0;
    out[i] = tile[i];
}",
    ),
    below(
        |limits| limits.max_storage_buffer_binding_size = 1 << 20,
        "a buffer too long to bind",
        1,
        "`out` has 4000000 bytes, but the device can bind at most 1048576",
        OUT,
    ),
    below(
        |limits| limits.max_buffer_size = 1 << 20,
        "a buffer too long to hold",
        1,
        "`out` has 4000000 bytes, but the device can hold at most 1048576",
        OUT,
    ),
    of(
        "an empty buffer",
        1,
        "`out` has 0 bytes, but a device requires at least the size of its type, 4 bytes",
        OUT,
        "--workgroups 1 --buffer out=zeros:0",
    ),
    of(
        "uniform buffers",
        1,
        "`u` has 16000000 bytes, but the device can bind",
        "@group(0) @binding(0) var<uniform> u: array<vec4<f32>, 1000000>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() { out[0] = u[0].x; }",
        "--workgroups 1",
    ),
    of(
        "the size of a texture",
        1,
        "`t` has 40000x1x1 texels, but the device supports",
        "@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() { out[0] = textureLoad(t, vec2(0), 0).x; }",
        "--workgroups 1 --buffer t=zeros:40000x1",
    ),
    below(
        |limits| limits.max_storage_buffers_per_shader_stage = 2,
        "as many storage buffers",
        3,
        "`main` uses more storage buffers than the device's limit of 2: `c` is one too many",
        "@group(0) @binding(0) var<storage> a: array<f32>;
@group(0) @binding(1) var<storage> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { c[i] = a[i] + b[i]; }",
    ),
    below(
        |limits| limits.max_storage_buffers_per_shader_stage = 1,
        "no storage buffer for the monitor",
        0,
        "`main` uses all 1 storage buffers of the device, and the monitor needs one",
        // A kernel whose addresses do not depend on data would run without the monitor.
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { out[out[i] % 4u] = i; }",
    ),
    below(
        |limits| limits.max_uniform_buffers_per_shader_stage = 1,
        "as many uniform buffers",
        2,
        "`main` uses more uniform buffers than the device's limit of 1: `b` is one too many",
        "@group(0) @binding(0) var<uniform> a: f32;
@group(0) @binding(1) var<uniform> b: f32;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { out[i] = a + b; }",
    ),
    below(
        |limits| limits.max_storage_textures_per_shader_stage = 1,
        "as many storage textures",
        2,
        "`main` uses more storage textures than the device's limit of 1: `b` is one too many",
        "@group(0) @binding(0) var a: texture_storage_2d<r32float, write>;
@group(0) @binding(1) var b: texture_storage_2d<r32float, write>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    textureStore(a, vec2(i, 0u), vec4(1.0));
    textureStore(b, vec2(i, 0u), vec4(1.0));
}",
    ),
    below(
        |limits| limits.max_sampled_textures_per_shader_stage = 1,
        "as many textures",
        2,
        "`main` uses more sampled textures than the device's limit of 1: `b` is one too many",
        "@group(0) @binding(0) var a: texture_2d<f32>;
@group(0) @binding(1) var b: texture_2d<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = textureLoad(a, vec2(0), 0).x + textureLoad(b, vec2(0), 0).x;
}",
    ),
    of(
        "the number of a bind group",
        1,
        "`out` has number 99, but the device has only",
        "@group(99) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() { out[0] = 1.0; }",
        "--workgroups 1",
    ),
    of(
        "the number of a binding",
        1,
        "`out` has number 4000000000, but the device has only",
        "@group(0) @binding(4000000000) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() { out[0] = 1.0; }",
        "--workgroups 1",
    ),
    below(
        |limits| limits.max_immediate_size = 16,
        "immediate data",
        2,
        "`p` has 32 bytes, but the device can bind at most 16",
        "struct P { a: vec4<f32>, b: vec4<f32> }
var<immediate> p: P;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { out[i] = p.a.x + p.b.y; }",
    ),
    // naga writes SPIR-V for this that makes drivers fail.
    of(
        "a shader that the driver fails to compile",
        4,
        "failed to compile `main`",
        "struct Inner { m: mat4x2<f32> } struct Outer { inner: Inner }
@group(0) @binding(0) var<uniform> u: Outer;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() { out[0] = u.inner.m[0].x; }",
        "--workgroups 1",
    ),
];

pub fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = REFUSALS
        .iter()
        .map(|refusal| {
            Case::new(format!("refuses_{}", refusal.name.replace(' ', "_")), || refused(refusal))
        })
        .collect();
    cases.extend([
        Case::new("refuses_what_is_no_device", what_is_no_device as fn() -> Result<(), Failed>),
        Case::new("says_that_there_is_no_driver", no_driver),
        Case::new("says_what_the_command_line_could_not_run", on_the_command_line),
        Case::new("says_what_a_launch_ran_on", ran_on),
        Case::new("says_that_the_device_was_lost", lost),
        Case::new("keeps_what_was_done_before_a_refusal", kept),
        Case::new("goes_on_with_other_kernels_after_a_refusal", goes_on),
        Case::new("ends_what_takes_too_long", too_long),
        Case::new("ends_what_takes_too_long_on_the_embedded_executor", too_long_here),
        Case::new("ends_when_it_is_stopped", stopped),
    ]);
    // On other devices the memory of the process is not the limit.
    if cfg!(unix)
        && adapter().as_ref().is_ok_and(|adapter| adapter.about().kind() == DeviceType::Cpu)
    {
        cases.push(Case::new("says_that_memory_is_exhausted", exhausted));
    }
    cases
}

/// Texts that no user should see.
const RAW: [&str; 12] = [
    "panicked",
    "wgpu error",
    "Caused by",
    "RUST_BACKTRACE",
    "Validation Error",
    "ResourceBinding",
    "Limits::",
    "wgpu_core",
    "naga::",
    "src/",
    "Err(",
    "Some(",
];

fn checked(
    executor: &dyn Executor,
    text: &str,
    flags: &str,
    stop: &AtomicBool,
) -> Result<CheckOutcome, Failed> {
    let parsed = wgsl::parse("refused.wgsl", text).map_err(error_text)?;
    let options = Options { launches: vec![given(flags)?], ..Options::default() };
    let mut session = Session::new(executor).with_stop(Some(stop));
    Ok(check_launches(&parsed, &options, &mut session).map_err(error_text)?)
}

/// Returns the only failure, in the words that the user reads.
fn failure(checked: &CheckOutcome) -> Result<String, Failed> {
    let [failure] = checked.failures.as_slice() else {
        return Err(format!("{} failures instead of one", checked.failures.len()).into());
    };
    if !failure.is_of_device() {
        return Err(format!("{failure}: the input is blamed, not the device").into());
    }
    let said = text::diagnostic(failure, Style::default());
    match RAW.iter().find(|raw| said.contains(**raw)) {
        Some(raw) => Err(format!("`{raw}` in\n{said}").into()),
        None => Ok(said),
    }
}

fn expect(said: &str, what: &str) -> Result<(), Failed> {
    match said.contains(what) {
        true => Ok(()),
        false => Err(format!("expected `{what}` in\n{said}").into()),
    }
}

fn refused(refusal: &Refusal) -> Result<(), Failed> {
    let adapter = adapter().as_ref()?;
    let mut limits = adapter.limits();
    (refusal.lower)(&mut limits);
    let device =
        Device::with(adapter, Features::all() - refusal.without, limits).map_err(error_text)?;
    let flags = match refusal.name {
        "a grid too large" => "--workgroups 101",
        "a buffer too long to bind" | "a buffer too long to hold" => {
            "--workgroups 1 --buffer out=zeros:1000000"
        }
        _ => refusal.flags,
    };
    let checked = checked(&device, refusal.text, flags, &AtomicBool::new(false))?;
    let said = failure(&checked)?;
    expect(&said, refusal.says)?;
    expect(&said, "help: ")?;
    match refusal.line {
        0 => Ok(()),
        line => expect(&said, &format!("refused.wgsl:{line}:")),
    }
}

/// Runs `hirace check` on a file that contains `text`.
fn command(name: &str, text: &str, flags: &[&str], status: i32) -> Result<String, Failed> {
    let file = scratch("device").join(name);
    std::fs::write(&file, text)?;
    let mut arguments = vec!["check".to_owned(), file.display().to_string()];
    arguments.extend(flags.iter().map(|flag| (*flag).to_owned()));
    let ended = run(&mut hirace(&arguments), Duration::from_secs(120));
    let raw = RAW[..4].iter().find(|raw| ended.stderr.contains(**raw));
    match ended.status == Some(status) && raw.is_none() {
        true => Ok(ended.stderr + &ended.stdout),
        false => Err(format!("{flags:?}: {ended:#?}").into()),
    }
}

fn what_is_no_device() -> Result<(), Failed> {
    let mut there_are = String::new();
    for choice in ["no such device", "99", "-1"] {
        let device = format!("--device={choice}");
        let said = command("no_device.wgsl", OUT, &[&device], 2)?;
        expect(&said, &format!("there is no device `{choice}`"))?;
        expect(&said, &device_name())?;
        there_are = said;
    }
    expect(&there_are, "use the number or a part of the name of one of these devices")
}

/// A machine without drivers, and one whose driver cannot be loaded.
fn no_driver() -> Result<(), Failed> {
    let broken = scratch("device").join("broken_icd.json");
    let library = r#"{"file_format_version":"1.0.0","ICD":{"library_path":"/no/such.so","api_version":"1.3.0"}}"#;
    std::fs::write(&broken, library)?;
    for driver in ["/dev/null", &broken.display().to_string()] {
        let file = scratch("device").join("no_driver.wgsl");
        std::fs::write(&file, OUT)?;
        let file = file.display().to_string();
        let mut command = hirace(&["check", &file, "--device", "0"]);
        command.env("VK_ICD_FILENAMES", driver).env("VK_DRIVER_FILES", driver);
        let ended = run(&mut command, Duration::from_secs(60));
        if ended.status != Some(3) {
            return Err(format!("{ended:#?}").into());
        }
        expect(&ended.stderr, "no usable GPU driver was found")?;
        expect(&ended.stderr, "the embedded executor needs no driver")?;
    }
    Ok(())
}

/// A process with little memory. The amount depends on the machine.
fn exhausted() -> Result<(), Failed> {
    let mut text = String::new();
    let mut flags = format!("--device {} --workgroups 1", adapter().as_ref()?.index());
    for i in 0..8 {
        text += &format!("@group(0) @binding({i}) var<storage, read_write> b{i}: array<u32>;\n");
        flags += &format!(" --buffer b{i}=zeros:30000000");
    }
    text += "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        let i = id.x;
        b0[i] = b1[i] + b2[i] + b3[i] + b4[i] + b5[i] + b6[i] + b7[i];
    }";
    let file = scratch("device").join("exhausted.wgsl");
    std::fs::write(&file, text)?;
    let binary = env!("CARGO_BIN_EXE_hirace");
    let mut all = Vec::new();
    for kib in (2_500_000..8_000_000).step_by(500_000) {
        let script = format!("ulimit -v {kib}; exec {binary} check {} {flags}", file.display());
        let mut command = Command::new("sh");
        command.args(["-c", &script]).env("MALLOC_ARENA_MAX", "2");
        let ended = run(&mut command, Duration::from_secs(120));
        if ended.status == Some(3)
            && ended.stderr.contains("the device does not have enough memory to")
        {
            return Ok(());
        }
        all.push(ended);
    }
    Err(format!("{all:#?}").into())
}

/// Exit status 3, and a message at the line, on standard error.
fn on_the_command_line() -> Result<(), Failed> {
    let device = device_name();
    let flags = ["--device", &device, "--workgroups", "1", "--buffer", "out=zeros:50000000000"];
    let said = command("too_long.wgsl", OUT, &flags, 2)?;
    expect(&said, "out")?;
    let group = "@group(77) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() { out[0] = 1.0; }";
    let said = command("group.wgsl", group, &["--device", &device], 3)?;
    expect(&said, "group.wgsl:1:")?;
    expect(&said, "`out` has number 77")
}

/// A device that is lost during a dispatch, which is opened again for the next launch.
fn lost() -> Result<(), Failed> {
    let _alone = lock_for_long_test();
    let device = Device::open_adapter(adapter().as_ref()?).map_err(error_text)?;
    let flags = long(&device, 10)?;
    let run = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            device.destroy();
        });
        checked(&device, LONG, &flags, &AtomicBool::new(false))
    })?;
    expect(&failure(&run)?, "the device was lost")?;
    wait_until_idle()?;
    let next = checked(&device, OUT, "--workgroups 1", &AtomicBool::new(false))?;
    match (next.failures.as_slice(), next.launches.as_slice()) {
        ([], [_]) => Ok(()),
        _ => Err(format!("{next:#?}").into()),
    }
}

/// The report names the device, in text and in JSON, and how to run the launch there again.
fn ran_on() -> Result<(), Failed> {
    let device = device_name();
    let flags = ["--device", &device, "--workgroups", "2", "--subgroup-size", "64", "--oracle"];
    let racy = OUT.replace("out[id.x] = 1.0", "out[id.x / 2u] = f32(id.x)");
    // A dispatch that is decided without running the kernel has no shadow on the device.
    let watched = [&flags[..], &["--shortcuts", "none"]].concat();
    expect(&command("ran_on.wgsl", &racy, &watched, 1)?, "= shadow: ")?;
    let said = command("ran_on.wgsl", &racy, &flags, 1)?;
    expect(&said, &format!(", on {device}, "))?;
    expect(&said, "the device decides the subgroup size")?;
    expect(&said, "the oracle was not used")?;
    let replay = said.lines().find(|line| line.contains("= replay: ")).unwrap_or_default();
    expect(replay, "--device ")?;
    let said = command(
        "ran_on.wgsl",
        OUT,
        &["--device", &device, "--workgroups", "2", "--shortcuts", "none", "--format", "json"],
        0,
    )?;
    let json = &said[said.find('{').unwrap_or(0)..];
    let report: serde_json::Value = serde_json::from_str(json)?;
    let launch = &report["launches"][0];
    let device = &launch["device"];
    for key in ["name", "kind", "backend", "driver"] {
        if device[key].as_str().is_none_or(str::is_empty) {
            return Err(format!("no {key} in {device}").into());
        }
    }
    let is_complete = device["subgroup_size"].as_u64() > Some(0)
        && device["shadow"].as_array().is_some_and(|layouts| !layouts.is_empty())
        && launch["unwatched"].as_array().is_some_and(Vec::is_empty);
    if is_complete { Ok(()) } else { Err(format!("{device}").into()) }
}

/// The first of two dispatches runs, the second cannot: the findings of the first are reported.
fn kept() -> Result<(), Failed> {
    let text = "@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4) fn racy() { out[0] += 1.0; }
@compute @workgroup_size(64, 64) fn large() { out[0] = 1.0; }";
    let device = super::device().as_ref()?;
    let flags = "--dispatch racy:1 --dispatch large:1 --buffer out=zeros:4";
    let checked = checked(device, text, flags, &AtomicBool::new(false))?;
    let said = failure(&checked)?;
    expect(&said, "the workgroups of `large` have 4096 invocations")?;
    let [launch] = checked.launches.as_slice() else { return Err("no report was kept".into()) };
    let findings = &launch.findings;
    if findings.is_empty() || !launch.stats.cut_short || findings[0].places().len() < 2 {
        return Err(format!("{launch:#?}").into());
    }
    let mut flags = findings[0].replay.iter().flat_map(|replay| &replay.flags);
    match flags.any(|flag| *flag == Flag::Device(device_name())) {
        true => Ok(()),
        false => Err(format!("{:?}", findings[0].replay).into()),
    }
}

/// One of two entry points cannot run: the other is checked.
fn goes_on() -> Result<(), Failed> {
    let text = "@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(64, 64) fn large() { out[0] = 1.0; }
@compute @workgroup_size(4) fn fine(@builtin(global_invocation_id) id: vec3<u32>) { out[id.x] = 1.0; }";
    let device = super::device().as_ref()?;
    let checked = checked(device, text, "--workgroups 1", &AtomicBool::new(false))?;
    failure(&checked)?;
    let entries: Vec<&str> =
        checked.launches.iter().flat_map(|launch| &launch.entries).map(String::as_str).collect();
    if entries != ["fine"] {
        return Err(format!("{entries:?} were checked").into());
    }
    Ok(())
}

/// A kernel whose time grows with the number of workgroups, without a loop of many iterations.
pub const LONG: &str = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(256) fn long(@builtin(global_invocation_id) id: vec3<u32>) {
    var x = id.x;
    for (var i = 0u; i < 20000u; i++) { x = x * 1664525u + out[(x >> 8u) % 4096u] + i; }
    out[id.x % 4096u] = x;
}
@compute @workgroup_size(4) fn racy() { out[0] += 1u; }";

/// Waits until the device has finished the abandoned work.
pub fn wait_until_idle() -> Result<(), Failed> {
    let (program, launch) = launched("settle.wgsl", OUT, "--workgroups 1")?;
    super::device().as_ref()?.time(&program, &launch, None).map_err(error_text)?;
    Ok(())
}

/// Returns the flags of a launch that takes `times` thirds of a second on this device, or the longest possible.
pub fn long(device: &Device, times: u32) -> Result<String, Failed> {
    let mut workgroups = 4u32;
    while workgroups < 60_000 {
        let flags = format!("--dispatch long:{workgroups} --buffer out=zeros:4096");
        let (program, launch) = launched("long.wgsl", LONG, &flags)?;
        if device.time(&program, &launch, Some(Table::default())).map_err(error_text)?
            > Duration::from_millis(300)
        {
            break;
        }
        workgroups *= 2;
    }
    let workgroups = workgroups.saturating_mul(times).min(65_535);
    Ok(format!("--dispatch racy:1 --dispatch long:{workgroups} --buffer out=zeros:4096"))
}

fn too_long() -> Result<(), Failed> {
    let _alone = lock_for_long_test();
    let device = Device::open_adapter(adapter().as_ref()?).map_err(error_text)?;
    let flags = format!("{} --timeout 5", long(&device, 40)?);
    let started = Instant::now();
    let checked = checked(&device, LONG, &flags, &AtomicBool::new(false))?;
    let said = failure(&checked)?;
    expect(&said, "a dispatch was not done after 5 seconds")?;
    let [launch] = checked.launches.as_slice() else { return Err("the report is missing".into()) };
    if launch.findings.first().is_none_or(|race| race.places().len() < 2) {
        return Err(format!("{launch:#?}").into());
    }
    // The abandoned work is not waited for at the end either.
    drop(device);
    let elapsed = started.elapsed();
    wait_until_idle()?;
    match elapsed < Duration::from_secs(60) {
        true => Ok(()),
        false => Err(format!("it took {elapsed:?}").into()),
    }
}

/// The timeout applies on the embedded executor too, which reports what it found until then.
fn too_long_here() -> Result<(), Failed> {
    let flags = "--dispatch racy:1 --dispatch long:60000 --buffer out=zeros:4096 --timeout 0.5";
    let checked = checked(&Embedded, LONG, flags, &AtomicBool::new(false))?;
    expect(&failure(&checked)?, "a dispatch was not done after 0.5 seconds")?;
    match checked.launches.as_slice() {
        [launch] if !launch.findings.is_empty() && launch.stats.cut_short => Ok(()),
        other => Err(format!("{other:#?}").into()),
    }
}

fn stopped() -> Result<(), Failed> {
    let _alone = lock_for_long_test();
    let device = Device::open_adapter(adapter().as_ref()?).map_err(error_text)?;
    let stop = AtomicBool::new(false);
    let flags = long(&device, 10)?;
    let checked = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(500));
            stop.store(true, Ordering::Relaxed);
        });
        checked(&device, LONG, &flags, &stop)
    })?;
    wait_until_idle()?;
    match checked.launches.as_slice() {
        [launch] if launch.stats.cut_short && checked.failures.is_empty() => Ok(()),
        _ => Err(format!("{checked:#?}").into()),
    }
}

//! Tests of large launches: the device is exact, or the report states what was not checked.

use super::{Case, adapter, device, error_text, launched};
use hirace::raw::exec::embedded::Embedded;
use hirace::raw::exec::wgpu::{Device, Features};
use hirace::raw::exec::{Executor, Shortcuts, Watch};
use hirace::raw::report::words::warning;
use libtest_mimic::Failed;
use std::collections::BTreeSet;

/// A kernel in which every thousandth invocation also writes its neighbor's element.
const WIDE: &str = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let n = id.x + id.y * groups.x * 256u;
    out[n] = n;
    storageBarrier();
    if n % 1000u == 7u { out[n + 1u] = 0u; }
}";

/// A kernel that writes distant elements, up to the last of the buffer, where there is one race.
const LONG: &str = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let step = (arrayLength(&out) - 1u) / (groups.x * 64u - 1u);
    out[id.x * step] += id.x;
    if id.x < 2u { out[arrayLength(&out) - 1u] = id.x; }
}";

/// A kernel with a thousand iterations, each with a barrier, that races only in the last one: a value is read in the iteration
/// that writes it.
const TURNS: &str = "var<workgroup> tile: array<u32, 64>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var turn = 0u; turn < 1000u; turn++) {
        let other = (lane + turn) % 64u;
        tile[other] = turn;
        out[id.x - lane + other] = turn;
        if turn == 999u { tile[(other + 1u) % 64u] += 1u; }
        workgroupBarrier();
        storageBarrier();
    }
}";

const SOLID: &str = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> seen: array<u32, 16>;
@compute @workgroup_size(4, 2, 2)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    seen[lane] = lane;
    workgroupBarrier();
    let size = groups * vec3(4u, 2u, 2u);
    let n = (id.z * size.y + id.y) * size.x + id.x;
    out[n] = seen[lane ^ 3u];
    if all(id == size - 1u) { out[0] = 1u; }
    if lane == 0u { seen[(group.x + group.y + group.z) % 16u] = 1u; }
}";

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("agrees_on_65536_invocations", || {
            exact(WIDE, "--workgroups 256 --buffer out=zeros:65537")
        }),
        Case::new("agrees_on_3d_grids", || {
            exact(SOLID, "--workgroups 5,4,3 --buffer out=zeros:960")
        }),
        Case::new("agrees_on_1000_barriers", || {
            says(device().as_ref()?, TURNS, "--workgroups 3 --buffer out=zeros:192")
        }),
        Case::new("agrees_on_a_buffer_as_long_as_can_be_bound", binding),
        Case::new("names_what_has_no_room_for_its_shadow", no_room),
        Case::full("agrees_on_1048576_invocations", || {
            says(device().as_ref()?, WIDE, "--workgroups 4096 --buffer out=zeros:1048577")
        }),
        Case::full("agrees_on_16776960_invocations_in_2d", || {
            says(device().as_ref()?, WIDE, "--workgroups 65535 --buffer out=zeros:16777217")
        }),
        Case::full("agrees_on_a_large_3d_grid", || {
            says(device().as_ref()?, SOLID, "--workgroups 40,40,40 --buffer out=zeros:1024000")
        }),
        Case::full("agrees_on_1000_barriers_of_many_workgroups", || {
            says(device().as_ref()?, TURNS, "--workgroups 1000 --buffer out=zeros:64000")
        }),
        Case::full("agrees_on_the_longest_buffer_of_the_device", || {
            let limits = adapter().as_ref()?.limits();
            let most = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
            // No launch can bind more than this here.
            let elements = most.min(1 << 28) / 4;
            exact(LONG, &format!("--workgroups 512 --buffer out=zeros:{elements}"))
        }),
    ]
}

/// Compares the racy words of the device and the embedded executor; there may be fewer only if the report states what was not
/// checked.
fn says(device: &Device, text: &str, flags: &str) -> Result<(), Failed> {
    compared(device, text, flags).map(|_| ())
}

/// Compares the racy words, and fails if anything was not checked.
fn exact(text: &str, flags: &str) -> Result<(), Failed> {
    match compared(device().as_ref()?, text, flags)?.as_slice() {
        [] => Ok(()),
        given_up => Err(format!("{given_up:?}").into()),
    }
}

/// Compares the racy words, and returns what was not checked.
fn compared(device: &Device, text: &str, flags: &str) -> Result<Vec<String>, Failed> {
    let (program, launch) = launched("sizes.wgsl", text, flags)?;
    // A dispatch that is decided without running the kernel has no shadow on the device.
    let watch = Watch { shortcuts: Shortcuts::NONE, ..Watch::default() };
    let there = device.run(&program, &launch, &watch, None).map_err(error_text)?;
    let here = Embedded.run(&program, &launch, &Watch::default(), None).map_err(error_text)?;
    let mut given_up = Vec::new();
    for (there, here) in there.dispatches.iter().zip(&here.dispatches) {
        given_up.extend(there.warnings.iter().map(|given_up| warning(&program.source, given_up)));
        let unwatched = there.unwatched.iter();
        given_up.extend(unwatched.map(|left| format!("{} {:?}", left.name, left.reason)));
        let [there, here] =
            [&there.racy, &here.racy].map(|racy| racy.keys().copied().collect::<BTreeSet<_>>());
        if here.is_empty() {
            return Err("the launch does not race, but should".into());
        }
        if let Some(more) = there.difference(&here).next() {
            return Err(format!("{more:?} races on the device only").into());
        }
        if let Some(less) = here.difference(&there).next()
            && given_up.is_empty()
        {
            let (there, here) = (there.len(), here.len());
            return Err(format!(
                "{there} racy words of {here}, {less:?} is missing without a warning"
            )
            .into());
        }
    }
    Ok(given_up)
}

/// A device that binds no more than the launch needs: its shadow, with the log, is spread over two bindings.
fn binding() -> Result<(), Failed> {
    let adapter = adapter().as_ref()?;
    let mut limits = adapter.limits();
    limits.max_storage_buffer_binding_size = 1 << 20;
    let device = Device::with(adapter, Features::all(), limits).map_err(error_text)?;
    match compared(&device, LONG, "--workgroups 16 --buffer out=zeros:262144")?.as_slice() {
        [] => Ok(()),
        given_up => Err(format!("{given_up:?}").into()),
    }
}

/// With less shadow than a buffer needs, the report names that buffer, and the others are watched.
fn no_room() -> Result<(), Failed> {
    let text = "@group(0) @binding(0) var<storage, read_write> long: array<u32>;
@group(0) @binding(1) var<storage, read_write> short: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) lane: u32) {
    long[lane / 2u] = lane;
    short[lane / 2u] = lane;
}";
    let flags = "--workgroups 1 --buffer long=zeros:4000000 --buffer short=zeros:64";
    let (program, launch) = launched("no_room.wgsl", text, flags)?;
    let watch = Watch { shadow_bytes: Some(1 << 20), ..Watch::default() };
    let device = device().as_ref()?;
    let outcome = device.run(&program, &launch, &watch, None).map_err(error_text)?;
    let dispatched = &outcome.dispatches[0];
    let names: Vec<&str> = dispatched.unwatched.iter().map(|left| &*left.name).collect();
    match (names.as_slice(), dispatched.racy.len()) {
        (["long"], 32) => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

//! Tests that the racy words are the same with every fallback for limited shadow memory: few bits for clocks, no 64-bit atomics,
//! small bindings, few of them.

use super::agree::{assert_agreement, compare_random_kernels};
use super::{Case, adapter, device_name, error_text, launched};
use crate::support::{hirace, run, scratch};
use hirace::raw::exec::embedded::Embedded;
use hirace::raw::exec::wgpu::Device;
use hirace::raw::exec::{Executor, Shortcuts, Watch};
use hirace::raw::facts::Shadow;
use hirace::raw::shadow::layout::Limits;
use libtest_mimic::Failed;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;
use std::time::Duration;

/// The number of random kernels on which each fallback has to agree.
const SAMPLE: u64 = 30;
/// The same number in the full run.
const FULL: u64 = 1_000;

/// Returns the tests of this module.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, limits) in ways() {
        let sample = move || random(limits, 0..SAMPLE);
        cases.push(Case::new(format!("{name}_agrees_on_random_kernels"), sample));
        let all = move || random(limits, 0..FULL);
        cases.push(Case::full(format!("{name}_agrees_on_random_kernels"), all));
        // The log of these races does not fit in a small binding.
        if limits.binding_words > 1 << 20 {
            let many = move || agrees_on_many_barriers(limits, 500);
            cases.push(Case::new(format!("{name}_agrees_after_hundreds_of_barriers"), many));
        }
    }
    let many = || agrees_on_many_barriers(Limits::default(), 1000);
    cases.push(Case::new("agrees_after_a_thousand_barriers", many));
    cases.push(Case::new("runs_programs_with_odd_bindings", runs_programs_with_odd_bindings));
    let left = makes_do_with_the_storage_buffers_that_are_left;
    cases.push(Case::new("makes_do_with_the_storage_buffers_that_are_left", left));
    cases.push(Case::new("spreads_a_shadow_over_bindings", spreads_a_shadow_over_bindings));
    let tiles = agrees_on_the_memory_of_65000_workgroups;
    cases.push(Case::new("agrees_on_the_memory_of_65000_workgroups", tiles));
    cases
}

/// Returns a watch without shortcuts: a dispatch that is decided without running the kernel has no shadow on the device.
fn watch_all() -> Watch {
    Watch { shortcuts: Shortcuts::NONE, ..Watch::default() }
}

/// Returns limits below those of the device: clocks that restart all the time, 64-bit words as if the words of storage memory
/// must not be swept, shadows of workgroup memory for a few workgroups at a time, and a shadow over many bindings.
fn ways() -> [(&'static str, Limits); 4] {
    let all = Limits::default();
    // As many as llvmpipe runs at once, because it ends loops that wait for long.
    let slots = std::thread::available_parallelism().map_or(2, |n| n.get() as u32);
    let few_bits = Limits { clock_bits: 2, ..all };
    [
        ("a_sweep", Limits { wide: false, ..few_bits }),
        ("wide_words", Limits { sweep: 1, ..few_bits }),
        ("shared_slots", Limits { workgroup_memory: 0, slots, ..all }),
        ("small_bindings", Limits { binding_words: 1 << 12, log_entries: 1 << 9, ..few_bits }),
    ]
}

/// Opens the tested device again, with these limits.
fn opened(limits: Limits) -> Result<Device, String> {
    Ok(Device::open_adapter(adapter().as_ref()?).map_err(error_text)?.with_shadow(limits))
}

fn random(limits: Limits, seeds: Range<u64>) -> Result<(), Failed> {
    compare_random_kernels(&opened(limits)?, seeds)
}

/// What a round reads was written in the previous one. Two words are written by two invocations each, in rounds with hundreds of
/// barriers or none between them.
fn agrees_on_many_barriers(limits: Limits, rounds: u32) -> Result<(), Failed> {
    let device = opened(limits)?;
    for (earlier, later) in [(3, rounds - 3), (rounds - 3, rounds - 3), (4, 4)] {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
            @group(0) @binding(1) var t: texture_storage_1d<r32uint, read_write>;
            var<workgroup> w: array<u32, 64>;
            @compute @workgroup_size(64) fn main(
                @builtin(local_invocation_index) l: u32, @builtin(workgroup_id) g: vec3<u32>
            ) {{
                let own = 64u * (1u + g.x);
                for (var i = 0u; i < {rounds}u; i++) {{
                    a[own + (l + i) % 64u] += 1u;
                    w[(l + i) % 64u] += 1u;
                    textureStore(t, own + (l * 3u + i) % 64u, vec4(i));
                    if i == {earlier}u && l == 3u {{ a[g.x] = 1u; textureStore(t, g.x, vec4(0u)); }}
                    if i == {later}u && l == 4u {{ a[g.x] = 1u; w[5] = 0u; textureStore(t, g.x, vec4(0u)); }}
                    storageBarrier();
                    workgroupBarrier();
                    textureBarrier();
                    if i % 3u == 1u {{
                        w[l ^ 8u] = l;
                        subgroupBarrier();
                        w[l ^ 9u] = l;
                        workgroupBarrier();
                    }}
                }}
            }}"
        );
        let flags = "--workgroups 2 --buffer a=zeros:200 --buffer t=zeros:200";
        let (program, launch) = launched("test.wgsl", &text, flags)?;
        assert_agreement(&device, &program, &launch)?;
    }
    Ok(())
}

/// Gaps in the numbers of groups and bindings, numbers above WebGPU's four groups, immediates, names like those of the monitor,
/// and helper functions.
fn runs_programs_with_odd_bindings() -> Result<(), Failed> {
    let device = opened(Limits::default())?;
    let odd = "
        struct Pushed { first: u32, second: u32 }
        @group(1) @binding(700) var<storage, read_write> hirace_shadow: array<u32>;
        @group(3) @binding(2) var<storage, read_write> hirace_enter: array<atomic<u32>>;
        @group(3) @binding(0) var<uniform> RACE: vec4<u32>;
        var<immediate> pushed: Pushed;
        var<workgroup> hirace_workgroup_shadow: array<u32, 64>;
        fn hirace_report(at: u32) -> u32 { return hirace_helper(at) + hirace_shadow[at]; }
        fn hirace_helper(at: u32) -> u32 {
            hirace_workgroup_shadow[at] += RACE.x;
            return atomicAdd(&hirace_enter[at], pushed.second);
        }
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            hirace_shadow[l] = hirace_report(l ^ 1u);
            workgroupBarrier();
            storageBarrier();
            if l == 5u { hirace_shadow[9] = hirace_helper(pushed.first); }
        }";
    // All groups are used, and the lowest binding numbers in each of them.
    let crowded = "
        @group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @group(1) @binding(0) var<storage, read_write> b: array<u32>;
        @group(2) @binding(0) var<storage, read_write> c: array<u32>;
        @group(3) @binding(0) var<storage, read_write> d: array<u32>;
        @group(0) @binding(2) var<storage, read_write> e: array<u32>;
        @group(0) @binding(999) var<storage, read_write> f: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            a[l] = b[l ^ 1u]; b[l] = c[l]; c[l] = d[l]; d[l] = e[l]; e[f[l] & 15u] = l; f[l] = l;
        }";
    // A group above the four that WebGPU guarantees.
    let high = "
        @group(6) @binding(1) var<storage, read_write> a: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) { a[l / 2u] = l; }";
    for (text, flags) in [
        (
            odd,
            "--workgroups 2 --buffer hirace_shadow=zeros:64 --buffer hirace_enter=zeros:64 --buffer RACE=1,2,3,4 --buffer pushed=7,1",
        ),
        (
            crowded,
            "--workgroups 2 --buffer a=zeros:64 --buffer b=zeros:64 --buffer c=zeros:64 --buffer d=zeros:64 --buffer e=zeros:64 --buffer f=iota:64",
        ),
        (high, "--workgroups 1 --buffer a=zeros:64"),
    ] {
        let (program, launch) = launched("test.wgsl", text, flags)?;
        let racy = Embedded.run(&program, &launch, &Watch::default(), None).map_err(error_text)?;
        if racy.dispatches[0].racy.is_empty() {
            return Err(format!("nothing races in {text}").into());
        }
        assert_agreement(&device, &program, &launch)?;
    }
    Ok(())
}

/// Returns a kernel that writes `count` storage buffers, two words of each racy, and its flags.
fn of_buffers(count: u32) -> (String, String) {
    let (mut text, mut body, mut flags) = (String::new(), String::new(), String::new());
    for n in 0..count {
        let _ = writeln!(
            text,
            "@group({}) @binding({n}) var<storage, read_write> b{n}: array<u32>;",
            n % 2
        );
        let _ = writeln!(body, "b{n}[l / 2u] = l;");
        let _ = write!(flags, "--buffer b{n}=zeros:8 ");
    }
    let main = "@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) l: u32)";
    (format!("{text}{main} {{\n{body}}}\n"), format!("--workgroups 1 {flags}"))
}

/// Kernels with WebGPU's eight storage buffers, with two fewer than the device has, with one fewer, and with all.
fn makes_do_with_the_storage_buffers_that_are_left() -> Result<(), Failed> {
    let device = opened(Limits::default())?;
    let there = device.storage_buffers();
    for count in [8, there.saturating_sub(2), there.saturating_sub(1)] {
        let (text, flags) = of_buffers(count);
        let (program, launch) = launched("test.wgsl", &text, &flags)?;
        assert_agreement(&device, &program, &launch)
            .map_err(|error| format!("{count} buffers: {error}"))?;
    }
    // As on a device that has eight.
    for (bindings, says) in [(1, None), (0, Some("uses all"))] {
        let device = opened(Limits { bindings, ..Limits::default() })?;
        let (text, flags) = of_buffers(8);
        let (program, launch) = launched("test.wgsl", &text, &flags)?;
        let ran = device.run(&program, &launch, &watch_all(), None);
        match (ran, says) {
            (Ok(outcome), None) if outcome.dispatches[0].racy.len() == 16 => {}
            (Err(error), Some(says)) if error.is_of_device() && error.message.contains(says) => {}
            (ran, _) => return Err(format!("{bindings} left: {ran:?}").into()),
        }
    }
    let (text, _) = of_buffers(there);
    let file = scratch("device").join("all_buffers.wgsl");
    std::fs::write(&file, text)?;
    let arguments =
        ["check", &file.display().to_string(), "--device", &device_name(), "--shortcuts", "none"];
    let ended = run(&mut hirace(&arguments), Duration::from_secs(120));
    let says = format!("`main` uses all {there} storage buffers of the device");
    if ended.status != Some(3) || !ended.stderr.contains(&says) {
        return Err(format!("{ended:#?}").into());
    }
    Ok(())
}

/// Two of very many workgroups race in their workgroup memory, which is so large that not each of them can have a shadow in
/// storage.
fn agrees_on_the_memory_of_65000_workgroups() -> Result<(), Failed> {
    let text = "
        var<workgroup> tile: array<u32, 4000>;
        @compute @workgroup_size(2) fn main(
            @builtin(local_invocation_index) l: u32, @builtin(workgroup_id) g: vec3<u32>
        ) {
            tile[l * 3999u] = g.x;
            workgroupBarrier();
            if g.x % 64998u == 1u { tile[l * 3999u] += tile[3999u * (1u - l)]; }
        }";
    let (program, launch) = launched("tiles.wgsl", text, "--workgroups 65000")?;
    for limits in [Limits::default(), Limits { workgroup_memory: 0, ..Limits::default() }] {
        let device = opened(limits)?;
        assert_agreement(&device, &program, &launch)?;
        let ran = device.run(&program, &launch, &watch_all(), None).map_err(error_text)?;
        let shadow = ran.dispatches[0].shadow.as_ref();
        let shares = matches!(shadow, Some(Shadow::Words(words)) if words.slots.is_some());
        let racy = ran.dispatches[0].racy.len();
        if racy == 0 || shares != (limits.workgroup_memory == 0) {
            return Err(format!("{racy} racy words, {shadow:?}").into());
        }
    }
    Ok(())
}

/// Several variables, one of which spans three bindings; with a log that is full at once.
fn spreads_a_shadow_over_bindings() -> Result<(), Failed> {
    let text = "
        @group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @group(0) @binding(1) var<storage, read_write> b: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3<u32>) {
            for (var i = g.x / 2u; i < arrayLength(&a); i += 64u) { a[i] = i; }
            b[g.x] = 1u;
            storageBarrier();
            b[g.x ^ 64u] = 1u;
        }";
    for (binding_words, log_entries) in [(1 << 12, 8), (3001, 400)] {
        for wide in [false, true] {
            let clock_bits = if wide { 0 } else { 32 };
            let limits = Limits { binding_words, log_entries, clock_bits, ..Limits::default() };
            let device = opened(limits)?;
            let flags = "--workgroups 2 --buffer a=zeros:9000 --buffer b=zeros:128";
            let (program, launch) = launched("test.wgsl", text, flags)?;
            let here =
                Embedded.run(&program, &launch, &Watch::default(), None).map_err(error_text)?;
            let there = device.run(&program, &launch, &watch_all(), None).map_err(error_text)?;
            let [here, there] = [here, there]
                .map(|outcome| outcome.dispatches[0].racy.keys().copied().collect::<BTreeSet<_>>());
            if here != there || here.len() < 9000 {
                let case = format!("{} here, {} there", here.len(), there.len());
                return Err(format!("{limits:?}: {case}").into());
            }
        }
    }
    Ok(())
}

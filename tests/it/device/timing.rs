//! Tests of timing launches on the device: a launch is compiled once, it is monitored in the same way as in a check, and it is
//! compiled again after the caches are cleared.

use super::{Case, adapter, device, error_text, launched};
use hirace::raw::exec::wgpu::Device;
use hirace::raw::exec::{Executor, Shortcuts, Watch};
use libtest_mimic::Failed;
use std::fmt::Debug;

/// A kernel that does not terminate if it runs with the contents of a previous run.
const ONCE: &str = "
    @group(0) @binding(0) var<storage, read_write> out: array<u32>;
    @group(0) @binding(1) var<storage, read_write> next: atomic<u32>;
    @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
        while out[(id.x * 5u) % 12u] != 0u {}
        out[(id.x * 5u) % 12u] = atomicAdd(&next, 1u) + 1u;
    }";
const FLAGS: &str = "--workgroups 3 --buffer out=zeros:12 --buffer next=zeros:1";

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("timing_compiles_once_and_starts_from_the_same", runs),
        Case::new("timing_watches_what_a_check_does", watches),
        Case::new("timing_forgets_what_was_compiled", forgets),
    ]
}

fn same<T: PartialEq + Debug>(what: &str, is: &T, expected: &T) -> Result<(), Failed> {
    if is == expected { Ok(()) } else { Err(format!("{what}: {is:?}, not {expected:?}").into()) }
}

/// Returns the number of pipelines that were compiled so far.
fn compiled(device: &Device) -> Result<u64, Failed> {
    let counts: hirace_gpu::Result<_> = device.service().hold(|opened| Ok(opened.pipelines()));
    Ok(counts?.misses)
}

fn runs() -> Result<(), Failed> {
    let device = Device::open_adapter(adapter().as_ref()?).map_err(error_text)?;
    let (program, launch) = launched("once.wgsl", ONCE, FLAGS)?;
    let watch = Watch::default();
    for watch in [None, Some(&watch)] {
        let before = compiled(&device)?;
        let ready = device.stopwatch(&program, &launch, watch, None).map_err(error_text)?;
        let mut ready = ready.ok_or("preparing was stopped")?;
        for _ in 0..3 {
            ready.time().map_err(error_text)?.ok_or("timing was stopped")?;
        }
        same("pipelines", &(compiled(&device)? - before), &1)?;
    }
    Ok(())
}

fn watches() -> Result<(), Failed> {
    let device = device().as_ref()?;
    let (program, launch) = launched("once.wgsl", ONCE, FLAGS)?;
    let watch = Watch { shortcuts: Shortcuts::NONE, ..Watch::default() };
    let ready = device.stopwatch(&program, &launch, Some(&watch), None).map_err(error_text)?;
    let watched = ready.ok_or("preparing was stopped")?.watched().clone();
    // `next` is accessed only by atomics.
    same("sites and words", &(watched.sites.len(), watched.words), &(2, 12))?;
    same("bytes of shadow", &watched.shadow_bytes, &(12 * 4))
}

fn forgets() -> Result<(), Failed> {
    let device = Device::open_adapter(adapter().as_ref()?).map_err(error_text)?;
    let (program, launch) = launched("once.wgsl", ONCE, FLAGS)?;
    let run =
        || device.run_unwatched(&program, &launch, None, None).map(|_| ()).map_err(error_text);
    run()?;
    run()?;
    same("pipelines of two runs", &compiled(&device)?, &1)?;
    device.forget();
    run()?;
    same("pipelines of another", &compiled(&device)?, &2)
}

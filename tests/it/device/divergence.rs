//! Tests of barriers that not all invocations reach: the device reports the workgroups, and the report names the barrier and the
//! invocations.
//!
//! `agree` compares reports on the kernels of `kernels/rules`; this module tests random kernels, and what a device cannot tell.

use super::{Case, adapter, device, device_name, error_text, launched};
use crate::random::divergent::{self, reported_divergence};
use crate::support::{hirace, run, scratch};
use hirace::facts::UncheckedBarriersReason;
use hirace::facts::Warning;
use hirace::raw::exec::embedded::Embedded;
use hirace::raw::exec::wgpu::Device;
use hirace::raw::exec::{Executor, Outcome, Watch};
use hirace::raw::shadow::layout::Limits;
use libtest_mimic::Failed;
use std::collections::BTreeSet;
use std::time::Duration;

/// The number of random kernels that a default run compares.
const SAMPLE: u64 = 40;
/// The number of random kernels that a full run compares.
const FULL: u64 = 500;

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("divergence_agrees_on_random_kernels", || random(0..SAMPLE)),
        Case::full("divergence_agrees_on_random_kernels", || random(SAMPLE..FULL)),
        Case::new("divergence_that_the_device_alone_shows_has_no_guess", alone),
        Case::new("divergence_without_room_is_not_clean", without_room),
        Case::new("divergence_behind_a_loop_that_was_ended_is_not_judged", behind_a_loop),
        Case::new("divergence_that_is_ruled_out_costs_nothing", ruled_out),
    ]
}

/// The device and the embedded executor report the same divergent workgroups and barriers.
fn random(seeds: std::ops::Range<u64>) -> Result<(), Failed> {
    let device = device().as_ref()?;
    for seed in seeds {
        let kernel = divergent::launched(seed, device.subgroup_size())?;
        let Some((text, program, launch)) = kernel else { continue };
        let [there, here] = [device as &dyn Executor, &Embedded].map(|executor| {
            let outcome = executor.run(&program, &launch, &Watch::default(), None);
            let outcome = outcome.map_err(|error| format!("{}\n{text}", error_text(error)))?;
            outcome.dispatches.into_iter().next().ok_or("nothing ran".to_owned())
        });
        let (there, here) = (there?, here?);
        let sites = |dispatched: &hirace::raw::exec::DispatchOutcome| -> BTreeSet<_> {
            dispatched.run.divergences.iter().map(|found| (found.site, found.workgroup)).collect()
        };
        let [a, b] = [&there, &here].map(|ran| (reported_divergence(ran), sites(ran)));
        if a != b || !there.diverged.is_empty() {
            let file = scratch("device").join(format!("divergent_{seed}.wgsl"));
            std::fs::write(&file, &text)?;
            return Err(format!("kernel {seed}: device {a:?}, here {b:?}\n{text}").into());
        }
    }
    Ok(())
}

/// A kernel that diverges only if a subgroup has more than one lane, so that the embedded executor need not reproduce it.
const BY_SUBGROUPS: &str = "
    @group(0) @binding(0) var<storage, read_write> out: array<u32>;
    @compute @workgroup_size(16)
    fn main(@builtin(local_invocation_index) lane: u32, @builtin(subgroup_size) size: u32) {
        if size > 1u && lane < 3u { workgroupBarrier(); }
        out[lane] = 1u;
    }";

/// A launch whose subgroups have one lane according to the launch, but not on the device.
fn alone() -> Result<(), Failed> {
    let device = device().as_ref()?;
    if device.subgroup_size() == Some(1) {
        return Ok(());
    }
    let (program, mut launch) =
        launched("alone.wgsl", BY_SUBGROUPS, "--workgroups 2 --buffer out=zeros:16")?;
    launch.subgroup_size = 1;
    let outcome = device.run(&program, &launch, &Watch::default(), None).map_err(error_text)?;
    let ran = &outcome.dispatches[0];
    match (&ran.diverged[..], &ran.run.divergences[..]) {
        ([0, 1], []) => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

fn unjudged(outcome: &Outcome) -> Vec<UncheckedBarriersReason> {
    let warnings = outcome.dispatches.iter().flat_map(|dispatched| &dispatched.warnings);
    let unjudged = warnings.filter_map(|warning| match warning {
        Warning::BarriersNotChecked { why, barriers } if barriers.len() == 1 => Some(*why),
        _ => None,
    });
    unjudged.collect()
}

const LATE: &str = "
    @group(0) @binding(0) var<storage, read_write> out: array<u32>;
    @compute @workgroup_size(16)
    fn main(@builtin(local_invocation_index) lane: u32) {
        var i = 0u;
        while out[16u + lane] == 1u || i < 10u { i++; }
        if lane < 3u { workgroupBarrier(); }
        out[lane] = i;
    }";

/// If the trails of all workgroups do not fit in memory, no divergence is reported, and the outcome states that.
fn without_room() -> Result<(), Failed> {
    let small = Limits { words: 300, ..Limits::default() };
    let device = Device::of(adapter().as_ref()?).map_err(error_text)?;
    let device = device.with_shadow(Limits { binding_words: small.words as u32, ..small });
    let (program, launch) = launched("late.wgsl", LATE, "--workgroups 40 --buffer out=zeros:32")?;
    let outcome = device.run(&program, &launch, &Watch::default(), None).map_err(error_text)?;
    match &unjudged(&outcome)[..] {
        [UncheckedBarriersReason::NoRoom] => {}
        other => return Err(format!("{other:?}").into()),
    }
    // As a user can cause it: with a bound on the shadow memory in MiB, and many workgroups.
    let folder = scratch("device_without_room");
    std::fs::write(folder.join("late.wgsl"), LATE)?;
    std::fs::write(folder.join("hirace.toml"), "[shadow]\nmax-mib = 1\n")?;
    let file = folder.join("late.wgsl").display().to_string();
    let name = device_name();
    let flags = ["--workgroups", "30000", "--buffer", "out=zeros:32", "--device", &name];
    let arguments = [&["check", &file], &flags[..]].concat();
    let arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
    let ended = run(&mut hirace(&arguments), Duration::from_secs(60));
    let said = ended.stdout.contains("late.wgsl:7:24 was not checked");
    match (ended.status, said) {
        // All workgroups write the same words, which is found nevertheless.
        (Some(1 | 4), true) => Ok(()),
        _ => Err(format!("{:?}\n{}{}", ended.status, ended.stdout, ended.stderr).into()),
    }
}

fn behind_a_loop() -> Result<(), Failed> {
    let device = device().as_ref()?;
    let flags = "--workgroups 1 --max-steps 1000 --buffer out=fill:32:1";
    let (program, launch) = launched("late.wgsl", LATE, flags)?;
    let outcome = device.run(&program, &launch, &Watch::default(), None).map_err(error_text)?;
    match (&unjudged(&outcome)[..], outcome.dispatches[0].run.no_progress.is_some()) {
        ([UncheckedBarriersReason::LoopsEnded], true) => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

/// If the text shows that all invocations reach the barrier, nothing is recorded, and there is no warning.
fn ruled_out() -> Result<(), Failed> {
    let device = device().as_ref()?;
    let text = LATE.replace("if lane < 3u", "if arrayLength(&out) > 3u");
    let (program, launch) = launched("sure.wgsl", &text, "--workgroups 1 --buffer out=zeros:32")?;
    let outcome = device.run(&program, &launch, &Watch::default(), None).map_err(error_text)?;
    match &outcome.dispatches[0].warnings[..] {
        [] => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

//! Tests that the device and the embedded executor find the same racy words, pairs of sites and other findings, and that
//! launches without races leave the same memory contents.

use super::contents::same_memory;
use super::{Case, device, device_name, error_text, launched};
use crate::random::divergent::launch_of;
use crate::random::engine::LoadedKernel;
use crate::random::kernel::Kernel;
use crate::random::shrink::shrink;
use crate::random::{generate, print};
use crate::rules;
use crate::support::{root, scratch};
use hirace::facts::{Kind, Warning};
use hirace::raw::check::{Follower, Options, Session};
use hirace::raw::exec::embedded::Embedded;
use hirace::raw::exec::wgpu::Device;
use hirace::raw::exec::{DispatchOutcome, Executor, Outcome, Shortcuts, Watch};
use hirace::raw::front::rust;
use hirace::raw::ir::sites::SiteId;
use hirace::raw::launch::Launch;
use hirace::raw::launch::spec::LaunchSpec;
use hirace::raw::observe::history::{SiteActionPair, site_action_pair};
use hirace::raw::observe::trace::{Trace, all_site_pairs};
use hirace::raw::observe::{Granule, RacyGranules};
use hirace::raw::program::Program;
use hirace::raw::vm::run::Run;
use hirace::raw::vm::schedule::Schedule;
use libtest_mimic::Failed;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::{Path, PathBuf};

/// The number of random kernels that a default run compares.
const SAMPLE: u64 = 100;
/// The number of random kernels per trial.
const PART: u64 = 50;
/// The number of random kernels that a full run compares.
const FULL: u64 = 2_000;

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for path in kernels() {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let same = path.clone();
        cases.push(Case::new(format!("agrees_on_{name}"), move || written(&same)));
        if path.starts_with(root().join("kernels/rules")) {
            let report = move || rules::check(&path, &["--device", &device_name()]);
            cases.push(Case::new(format!("reports_what_is_in_{name}"), report));
        }
    }
    let folder = root().join("kernels/src");
    for path in in_rust(&folder) {
        let name = path.strip_prefix(&folder).unwrap_or(&path).with_extension("");
        let name = name.to_string_lossy().replace(['/', '\\'], "_");
        let name = format!("agrees_on_kernels_in_Rust_{name}");
        cases.push(Case::new(name, move || twins(&path)).drawn_from(12));
    }
    for first in (0..FULL).step_by(PART as usize) {
        let name = format!("agrees_on_random_kernels_from_{first}");
        let test = move || random(first..first + PART);
        let case = match first < SAMPLE {
            true => Case::new(name, test).drawn_from(2),
            false => Case::full(name, test),
        };
        cases.push(case);
    }
    cases.push(Case::new("ends_what_takes_too_many_turns", ends_what_takes_too_many_turns));
    cases
}

/// Returns the written kernels whose findings do not depend on timing.
fn kernels() -> Vec<PathBuf> {
    let folders = ["kernels/rules", "kernels/examples"].map(|folder| root().join(folder));
    let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "wgsl"))
        .filter(|path| !depends_on_data(path))
        .collect();
    paths.sort();
    paths
}

/// Returns whether the path of a kernel depends on a racy value, or the kernel asserts a value that atomics read, so that it may
/// be clean in one run and not in the next.
fn depends_on_data(path: &Path) -> bool {
    let by_chance = ["flag_does_not_publish.racy.wgsl", "load_buffers.rs"];
    path.file_name().is_some_and(|name| by_chance.iter().any(|known| name == *known))
}

fn written(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let flags = text.lines().next().and_then(|line| line.strip_prefix("// check: "));
    let name = path.display().to_string();
    let (program, launch) = launched(&name, &text, flags.unwrap_or("--workgroups 2"))?;
    let device = device().as_ref()?;
    if path.file_name().is_some_and(|name| WAITS.iter().any(|waits| name == *waits)) {
        return waits(device, &program, &launch);
    }
    Ok(assert_agreement(device, &program, &launch)?)
}

/// Checks a kernel without faults in which a workgroup waits for another: no findings, whether it ran on the device or, because
/// that took too long, on the embedded executor.
fn waits(device: &Device, program: &Program, launch: &Launch) -> Result<(), Failed> {
    let outcome = device.run(program, launch, &Watch::default(), None).map_err(error_text)?;
    let [dispatched] = &outcome.dispatches[..] else {
        return Err(format!("{} dispatches", outcome.dispatches.len()).into());
    };
    let ran_here = |warning: &Warning| matches!(warning, Warning::RanEmbedded { .. });
    if let Some(warning) = dispatched.warnings.iter().find(|warning| !ran_here(warning)) {
        return Err(format!("{warning:?}").into());
    }
    if dispatched.run.no_progress.is_some() || !dispatched.racy.is_empty() {
        return Err(format!("{:?}", dispatched.run).into());
    }
    let all: BTreeSet<SiteId> = program.sites.accesses().map(|(site, _, _)| site).collect();
    let ran = |site: &SiteId| {
        dispatched.run.executed.get(site.0 as usize).is_some_and(|site| site.count > 0)
    };
    Ok(same("sites that ran", &all.iter().copied().filter(ran).collect(), &all)?)
}

/// Kernels in which a workgroup waits for another. On a busy device the wait may exceed the device's limit on loops, and then
/// the launch runs on the embedded executor.
const WAITS: &[&str] = &["unbounded_loop.clean.wgsl"];

/// Runs a launch on the device and under the oracle on the embedded executor: with every access watched, and with all shortcuts
/// as in checks.
pub fn assert_agreement(device: &Device, program: &Program, launch: &Launch) -> Result<(), String> {
    agree_with(device, program, launch, Shortcuts::NONE)?;
    agree_with(device, program, launch, Shortcuts::ALL)
}

fn agree_with(
    device: &Device,
    program: &Program,
    launch: &Launch,
    shortcuts: Shortcuts,
) -> Result<(), String> {
    let watch = Watch { shortcuts, ..Watch::default() };
    let with_oracle = Watch { oracle: true, ..watch.clone() };
    let here = Embedded.run(program, launch, &with_oracle, None).map_err(error_text)?;
    let there = device.run(program, launch, &watch, None).map_err(error_text)?;
    if here.dispatches.len() != there.dispatches.len() {
        return Err("not all dispatches ran".into());
    }
    for (index, (here, there)) in here.dispatches.iter().zip(&there.dispatches).enumerate() {
        let oracle = here.oracle.as_ref().ok_or("no oracle ran")?;
        let granules = |racy: &RacyGranules| racy.keys().copied().collect::<BTreeSet<Granule>>();
        let racy = granules(&here.racy);
        same("racy words of the embedded executor and the oracle", &racy, &granules(oracle))?;
        same("racy words of the device and the embedded executor", &granules(&there.racy), &racy)?;
        let is_said_here = |warning: &Warning| here.warnings.contains(warning);
        let is_complete = there.warnings.iter().all(is_said_here) && there.unwatched.is_empty();
        if here.run.no_progress.is_none() && !is_complete {
            return Err(format!("{:?} {:?}", there.warnings, there.unwatched));
        }
        if is_complete && there.checked > 0 {
            return Err(format!("{} accesses were counted on a device", there.checked));
        }
        same("sites that ran", &by_two(program, &there.run), &by_two(program, &here.run))?;
        let outside = |run: &Run| -> BTreeSet<_> {
            run.out_of_bounds.iter().map(|found| (found.site, found.length)).collect()
        };
        same("sites out of bounds", &outside(&there.run), &outside(&here.run))?;
        let divergent = |run: &Run| -> BTreeSet<_> {
            run.divergences.iter().map(|found| (found.site, found.workgroup)).collect()
        };
        same("barriers not reached by all", &divergent(&there.run), &divergent(&here.run))?;
        let racy: Vec<Granule> = racy.into_iter().collect();
        let [there, here] = [device as &dyn Executor, &Embedded].map(|executor| {
            executor.trace(program, launch, index, &racy, None).map_err(error_text)
        });
        let (there, here) = (there?, here?);
        let (mut all_here, all_there) = (pairs(&here), pairs(&there));
        // The entries of a full log are correct, and it has some.
        if there.dropped > 0 && !all_there.is_empty() {
            all_here.retain(|pair| all_there.contains(pair));
        }
        same("pairs of sites", &all_there, &all_here)?;
    }
    if is_deterministic(program, launch, &here)? {
        same_memory(program, &here.resources, &there.resources)?;
    }
    Ok(())
}

/// Returns whether the contents after a launch, which are in `outcome`, do not depend on the order of invocations: it has no
/// findings, and other schedules leave the same contents, with subgroups of one lane, which may run in any order.
pub fn is_deterministic(
    program: &Program,
    launch: &Launch,
    outcome: &Outcome,
) -> Result<bool, String> {
    let is_sound = |dispatched: &DispatchOutcome| {
        let run = &dispatched.run;
        let reached = run.divergences.is_empty() && run.no_progress.is_none();
        dispatched.racy.is_empty() && run.out_of_bounds.is_empty() && reached
    };
    if !outcome.dispatches.iter().all(is_sound) {
        return Ok(false);
    }
    for schedule in other_orders(program) {
        let launch = Launch { schedule, subgroup_size: 1, ..launch.clone() };
        let other = Embedded.run(program, &launch, &Watch::default(), None).map_err(error_text)?;
        if same_memory(program, &outcome.resources, &other.resources).is_err() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the orders to try for a launch without races. There are more if atomics may observe the order, including each of two
/// workgroups first, because a few seeds may agree by chance.
fn other_orders(program: &Program) -> Vec<Schedule> {
    let is_ordered = program.sites.accesses().any(|(_, _, access)| access.action.is_atomic());
    let (seeds, targets) = if is_ordered { (8, 2) } else { (2, 0) };
    let seeded = (1..=seeds).map(Schedule::seeded);
    seeded.chain((0..targets).map(Schedule::target_first)).collect()
}

/// Returns the accesses that ran in at least two invocations.
fn by_two(program: &Program, run: &Run) -> BTreeSet<SiteId> {
    let ran = |site: &SiteId| {
        run.executed.get(site.0 as usize).is_some_and(|site| site.by_several_invocations)
    };
    program.sites.accesses().map(|(site, _, _)| site).filter(ran).collect()
}

/// Returns the pairs of sites that race, by granule.
fn pairs(trace: &Trace) -> BTreeSet<(Granule, SiteActionPair)> {
    let pairs = all_site_pairs(trace).pairs.into_iter();
    pairs
        .map(|pair| {
            (
                pair.later.granule,
                site_action_pair(pair.earlier.site_action(), pair.later.site_action()),
            )
        })
        .collect()
}

/// Fails with the differences between `there`, the result of the device, and the result of the embedded executor.
pub fn same<T: Ord + Debug>(
    what: &str,
    there: &BTreeSet<T>,
    here: &BTreeSet<T>,
) -> Result<(), String> {
    let [more, less] =
        [(there, here), (here, there)].map(|(a, b)| a.difference(b).take(8).collect::<Vec<_>>());
    match more.is_empty() && less.is_empty() {
        true => Ok(()),
        false => Err(format!("{what} differ: only device: {more:?}, only embedded: {less:?}")),
    }
}

/// A loop that exceeds the step limit is ended on the device too, with a finding, and the rest of the dispatch completes.
fn ends_what_takes_too_many_turns() -> Result<(), Failed> {
    let device = device().as_ref()?;
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(8)
        fn main(@builtin(local_invocation_index) lane: u32) {
            var i = 0u;
            while lane == 3u || i < 10u { i++; }
            out[lane] = i;
        }";
    let flags = "--workgroups 1 --max-steps 1000 --buffer out=zeros:8";
    let (program, launch) = launched("endless.wgsl", text, flags)?;
    let outcome = device.run(&program, &launch, &Watch::default(), None).map_err(error_text)?;
    let found = outcome.dispatches[0].run.no_progress.as_ref().ok_or("nothing was found")?;
    if (found.stuck.0.local, found.unfinished, found.steps) != (3, 1, 1000) {
        return Err(format!("{found:?}").into());
    }
    Ok(())
}

fn random(seeds: std::ops::Range<u64>) -> Result<(), Failed> {
    compare_random_kernels(device().as_ref()?, seeds)
}

/// Compares random kernels on `device` and on the embedded executor.
pub fn compare_random_kernels(device: &Device, seeds: std::ops::Range<u64>) -> Result<(), Failed> {
    let differs = |kernel: &Kernel| random_agrees(device, kernel).err();
    for seed in seeds {
        let mut kernel = generate::kernel(seed);
        // The subgroup size is that of the device.
        kernel.grid.subgroup_size = device.subgroup_size().unwrap_or(1);
        if kernel.depends_on_data() {
            continue;
        }
        let Some(error) = differs(&kernel) else { continue };
        let smallest = shrink(kernel, |kernel| differs(kernel).is_some());
        let error = differs(&smallest).unwrap_or(error);
        let text = print::print(&smallest).wgsl;
        let file = scratch("device").join(format!("{seed}.wgsl"));
        std::fs::write(&file, format!("// {smallest:?}\n{text}"))?;
        return Err(format!("kernel {seed}, in {}: {error}\n{text}", file.display()).into());
    }
    Ok(())
}

fn random_agrees(device: &Device, kernel: &Kernel) -> Result<(), String> {
    let loaded = LoadedKernel::new(kernel)?;
    let launch = launch_of(kernel, loaded.resources_of(&loaded.program));
    assert_agreement(device, &loaded.program, &launch)
}

/// Returns the files of kernels in Rust in `folder` and its subfolders, including racy twins.
fn in_rust(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder of kernels exists");
    // A file may contain only helpers of other kernels, or kernels that depend on another crate.
    let has_kernels = |path: &Path| {
        std::fs::read_to_string(path).is_ok_and(|text| {
            let name = path.display().to_string();
            text.contains("#[hirace::monitor")
                && !rust::parse_file(&name, &text)
                    .is_err_and(|error| error.cause == hirace::raw::diagnostic::Cause::NoKernel)
        })
    };
    let mut paths = Vec::new();
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            paths.extend(in_rust(&path));
        } else if has_kernels(&path) && !depends_on_data(&path) {
            paths.push(path);
        }
    }
    paths.sort();
    paths
}

/// A follower that ignores the launches of a session.
struct IgnoringFollower;

impl Follower for IgnoringFollower {
    fn ran(
        &mut self,
        _: &Program,
        _: &Launch,
        _: &dyn Executor,
    ) -> hirace::raw::diagnostic::Result<()> {
        Ok(())
    }
}

/// Compares the findings in a file of kernels on the device and on the embedded executor.
fn twins(path: &Path) -> Result<(), Failed> {
    let device = device().as_ref()?;
    let text = std::fs::read_to_string(path)?;
    let file = rust::parse_file(&path.display().to_string(), &text).map_err(error_text)?;
    let spec = LaunchSpec {
        workgroups: Some([2, 1, 1]),
        subgroup_size: device.subgroup_size(),
        ..LaunchSpec::default()
    };
    let options = Options { launches: vec![spec], ..Options::default() };
    let found = |executor: &dyn Executor| -> Result<BTreeSet<_>, Failed> {
        // With a follower no launches are searched for, which a device cannot do, so both executors run the same launches.
        let mut follows = IgnoringFollower;
        let mut session = Session::new(executor).with_follower(Some(&mut follows));
        let checked = hirace::raw::check::file::check_file(&file, &options, &mut session)
            .map_err(error_text)?;
        if let Some(failure) = checked.failures.into_iter().next() {
            return Err(error_text(Box::new(failure)).into());
        }
        let mut found = BTreeSet::new();
        for launch in &checked.launches {
            let entry = launch.entries.join(",");
            // After a divergence, other findings may differ.
            if launch.findings.iter().any(|finding| finding.kind() == Kind::BarrierDivergence) {
                found.insert(format!("{entry}: divergence"));
                continue;
            }
            found.extend(launch.findings.iter().map(|finding| {
                let (kind, certainty) = (finding.kind().code(), finding.certainty());
                format!("{entry}: {kind} {certainty:?} {:?}", finding.lines())
            }));
        }
        Ok(found)
    };
    let (there, here) = (found(device)?, found(&Embedded)?);
    Ok(same("findings of the device and the embedded executor", &there, &here)?)
}

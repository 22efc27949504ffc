//! Benchmarks the cost of coverage over the kernels in `kernels/src`: guessed launches of 64 workgroups, with and
//! without counting. Run with `cargo bench -p hirace-cli --bench cover`; `HIRACE_DEVICE` names a device to measure in
//! addition.

use hirace::raw::exec::embedded::Embedded;
use hirace::raw::exec::{Executor, Watch};
use hirace::raw::front::rust;
use hirace::raw::launch::Launch;
use hirace::raw::launch::build::{self, Grown};
use hirace::raw::launch::candidates::{candidates, find_entry};
use hirace::raw::launch::spec::LaunchSpec;
use hirace::raw::observe::counting::Counting;
use hirace::raw::points::Points;
use hirace::raw::program::Program;
use hirace::raw::vm::driver::run;
use hirace::raw::vm::lower;
use hirace::raw::vm::observer::NoObserver;
use hirace::raw::vm::run::Options;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The goal: the median ratio of a counting run's time to a plain run's time.
const GOAL: f64 = 1.3;

/// Shorter runs give no reliable ratio.
const LEAST: Duration = Duration::from_micros(100);

fn main() {
    // `cargo test --benches` passes `--test` for one quick run.
    let quick = std::env::args().any(|argument| argument == "--test");
    let mut files = Vec::new();
    search(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels/src"), &mut files);
    files.sort();
    let mut ratios = Vec::new();
    for path in files.iter().take(if quick { 3 } else { usize::MAX }) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        for (kernel, program, launch) in launches(path) {
            let Some([plain, counted]) = embedded(&program, &launch, if quick { 1 } else { 7 })
            else {
                continue;
            };
            if plain < LEAST && !quick {
                continue;
            }
            let ratio = counted.as_secs_f64() / plain.as_secs_f64();
            println!(
                "{:<36} {plain:>12.2?} {counted:>12.2?} {ratio:>6.2}",
                format!("{name}::{kernel}")
            );
            ratios.push(ratio);
        }
    }
    let middle = median(ratios);
    println!("median {middle:.2}");
    #[cfg(feature = "gpu")]
    on_device(&files);
    if middle > GOAL && !quick {
        println!("the goal is a median of {GOAL}");
        std::process::exit(1);
    }
}

fn median(mut ratios: Vec<f64>) -> f64 {
    ratios.sort_by(f64::total_cmp);
    println!("{} kernels", ratios.len());
    ratios.get(ratios.len() / 2).copied().unwrap_or_default()
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

/// Returns the kernels of a file, except racy twins, each with a launch.
fn launches(path: &Path) -> Vec<(String, Program, Launch)> {
    let text = std::fs::read_to_string(path).expect("the file is there");
    let Ok(file) = rust::parse_file(&path.display().to_string(), &text) else { return Vec::new() };
    let mut launches = Vec::new();
    for parsed in file.items.iter().flatten() {
        let Ok(program) = Program::new(parsed, &BTreeMap::new()) else { continue };
        let names: Vec<String> = program.entries().map(|(_, name)| name.to_owned()).collect();
        for name in names.into_iter().filter(|name| name != "racy") {
            let spec = LaunchSpec { workgroups: Some([64, 1, 1]), ..LaunchSpec::default() };
            let launch = find_entry(&program, &name).and_then(|entry| {
                let all = candidates(&program, &spec, entry)?;
                build::launch(&program, &spec, &all[0], &Grown::new())
            });
            // A guessed launch may access memory out of bounds or loop: it would measure something else.
            let Ok(launch) = launch else { continue };
            let ran = Embedded.run(&program, &launch, &Watch::default(), None);
            let is_sound = ran.is_ok_and(|ran| {
                ran.dispatches
                    .iter()
                    .all(|d| d.run.is_complete() && d.run.wanted_lengths.is_empty())
            });
            if is_sound {
                launches.push((name, program.clone(), launch));
            }
        }
    }
    launches
}

/// Returns the best time of several runs without counting, and of as many with counting.
fn embedded(program: &Program, launch: &Launch, repeats: u32) -> Option<[Duration; 2]> {
    let dispatch = &launch.dispatches[0];
    let points = Points::of(program);
    let plain = lower::lower(program, dispatch.entry).ok()?;
    let counting = lower::lower_counting(program, dispatch.entry, &points).ok()?;
    let options = Options {
        workgroups: dispatch.workgroups,
        subgroup_size: launch.subgroup_size,
        schedule: launch.schedule,
        limits: launch.limits,
        parallel: false,
        stop: None,
    };
    let mut best = [Duration::MAX; 2];
    for _ in 0..repeats {
        let resources = launch.resources.clone();
        let start = Instant::now();
        run(&plain, &resources, &options, &NoObserver).ok()?;
        best[0] = best[0].min(start.elapsed());
        let resources = launch.resources.clone();
        let observer = Counting::new(&points, plain.invocations());
        let start = Instant::now();
        run(&counting, &resources, &options, &observer).ok()?;
        best[1] = best[1].min(start.elapsed());
    }
    Some(best)
}

/// Measures the same on the device that `HIRACE_DEVICE` names.
#[cfg(feature = "gpu")]
fn on_device(files: &[PathBuf]) {
    use hirace::raw::exec::wgpu::Device;
    let Ok(name) = std::env::var("HIRACE_DEVICE") else { return };
    let device = Device::open(&name).expect("the device opens");
    let mut ratios = Vec::new();
    for path in files {
        for (kernel, program, launch) in launches(path) {
            let times = device.time(&program, &launch, None).and_then(|mut bare| {
                let mut counting = device.time_counting(&program, &launch)?;
                for _ in 0..4 {
                    bare = bare.min(device.time(&program, &launch, None)?);
                    counting = counting.min(device.time_counting(&program, &launch)?);
                }
                Ok([bare, counting])
            });
            if let Ok([bare, counting]) = times {
                let ratio = counting.as_secs_f64() / bare.as_secs_f64();
                println!("{kernel:<36} {bare:>12.2?} {counting:>12.2?} {ratio:>6.2}");
                ratios.push(ratio);
            }
        }
    }
    println!("median on {name} {:.2}", median(ratios));
}

//! Benchmarks the two reference kernels (`kernels/bench/`), plain and checked, and compares with Oclgrind on the same
//! kernels in OpenCL if it is installed: `cargo bench`.
//!
//! Shortcuts are off: every access is checked, and the benchmark fails otherwise.

mod floor;

use hirace::raw::front::wgsl;
use hirace::raw::ir::layout;
use hirace::raw::observe::fsm::Fsm;
use hirace::raw::observe::width::OrderedClasses;
use hirace::raw::observe::{Layout, MemoryLayout, Shape};
use hirace::raw::program::Program;
use hirace::raw::vm::driver::run;
use hirace::raw::vm::memory::{Buffer, Resource, Resources};
use hirace::raw::vm::observer::{self, NoObserver, Observer};
use hirace::raw::vm::run::Options;
use hirace::raw::vm::schedule::{Limits, Schedule};
use hirace::raw::vm::{Code, lower};
use hirace::raw::watch::{WatchOptions, WatchPlan};
use naga::{AddressSpace, StorageAccess};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A kernel of `kernels/bench/`, run by 65,536 invocations in workgroups of 64.
struct Reference {
    name: &'static str,
    /// Words of each buffer, in the order of its bindings. The first holds 0, 1, 2, …
    buffers: &'static [u32],
    accesses: u64,
}

const INVOCATIONS: u32 = 65_536;
const WORKGROUP_SIZE: u32 = 64;

const KERNELS: [Reference; 2] = [
    Reference { name: "gather", buffers: &[65_536, 65_536], accesses: 65 * 65_536 },
    Reference { name: "scatter_add", buffers: &[1 << 22], accesses: 128 * 65_536 },
];

/// The goal: how many times as fast as Oclgrind's `--data-races` a checked run is.
const GOAL: f64 = 50.0;

/// The goal for the time of `hirace check` on a file of 30 lines.
const ANSWER: Duration = Duration::from_millis(100);

fn main() {
    // `cargo test --benches` passes `--test` for one quick run.
    let quick = std::env::args().any(|argument| argument == "--test");
    let mut short = false;
    println!("{:<12} {:<26} {:>12} {:>14} {:>10}", "kernel", "", "time", "per access", "ratio");
    for kernel in &KERNELS {
        let bench = Bench::new(kernel);
        let repeats = if quick { 1 } else { 9 };
        let plain = bench.time(repeats, |_| NoObserver);
        line(kernel, "plain", plain, plain);
        let checked = bench.time(repeats, |bench| Fsm::new(bench.layout.clone(), SHAPE));
        line(kernel, "checked", checked, plain);
        bench.every_access_is_checked();
        if kernel.name == "scatter_add" {
            let [bare, shadowed] = floor::floor(repeats);
            line(kernel, "a loop in Rust", bare, plain);
            line(kernel, "with shadow words", shadowed, plain);
        }
        if quick {
            continue;
        }
        let Some([oclgrind, races]) = oclgrind(kernel) else {
            println!("{:<12} Oclgrind is not installed (apt-get install oclgrind)", "");
            continue;
        };
        line(kernel, "Oclgrind", oclgrind, plain);
        line(kernel, "Oclgrind --data-races", races, plain);
        let ratio = races.as_secs_f64() / checked.as_secs_f64();
        println!("{:<12} checked runs are {ratio:.0} times as fast as Oclgrind's", "");
        short |= ratio < GOAL;
    }
    let answer = answer();
    println!("{:<12} {:<26} {answer:>12.2?}", "hirace check", "a file of 30 lines");
    if short || answer > ANSWER {
        println!("the goals are {GOAL} times as fast as Oclgrind, and an answer in {ANSWER:?}");
        std::process::exit(1);
    }
}

/// Measures the time of `hirace check` on a small file, from start to end of the process.
fn answer() -> Duration {
    let file = folder().join("../examples/block_sum.wgsl");
    let times = (0..5).map(|_| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hirace"));
        command.arg("check").arg(&file).stdout(Stdio::null()).stderr(Stdio::null());
        let start = Instant::now();
        command.status().expect("the binary runs");
        start.elapsed()
    });
    times.min().unwrap_or_default()
}

fn line(kernel: &Reference, what: &str, time: Duration, plain: Duration) {
    let access = time.as_nanos() as f64 / kernel.accesses as f64;
    let ratio = time.as_secs_f64() / plain.as_secs_f64();
    println!("{:<12} {what:<26} {time:>12.2?} {access:>11.2} ns {ratio:>10.2}", kernel.name);
}

const SHAPE: Shape = Shape {
    workgroups: INVOCATIONS / WORKGROUP_SIZE,
    workgroup_size: WORKGROUP_SIZE,
    subgroup_size: 32,
};

struct Bench {
    code: Code,
    resources: Resources,
    layout: Layout,
    accesses: u64,
}

impl Bench {
    fn new(kernel: &Reference) -> Self {
        let path = folder().join(kernel.name).with_extension("wgsl");
        let text = std::fs::read_to_string(&path).expect("the kernel is there");
        let parsed = wgsl::parse(kernel.name, &text).expect("the kernel is good WGSL");
        let program = Program::new(&parsed, &BTreeMap::new()).expect("it has no overrides");
        let code = lower::lower(&program, 0).expect("it has an entry point");
        let mut words = kernel.buffers.iter();
        let (mut by_global, mut memories) = (Vec::new(), Vec::new());
        for (handle, global) in program.module.global_variables.iter() {
            let AddressSpace::Storage { access } = global.space else {
                by_global.push(None);
                memories.push(None);
                continue;
            };
            let words = *words.next().expect("a size for each buffer");
            let contents: Vec<u8> = (0..words).flat_map(u32::to_le_bytes).collect();
            by_global.push(Some(Resource::Buffer(Buffer::new(&contents))));
            assert!(access.contains(StorageAccess::LOAD));
            memories.push(Some(MemoryLayout {
                space: observer::Space::Storage,
                granule_shift: layout::granule_shift(
                    &program.module,
                    program.module.global_variables[handle].ty,
                ),
                bytes: words * 4,
            }));
        }
        let (in_workgroup, in_subgroup) =
            WatchPlan::of_all(&program, &WatchOptions::default()).ordered();
        let layout =
            Layout::of(memories).with_ordered(OrderedClasses { in_workgroup, in_subgroup });
        Self { code, resources: Resources { by_global }, layout, accesses: kernel.accesses }
    }

    fn run(&self, observer: &impl Observer) -> Duration {
        let options = Options {
            workgroups: [SHAPE.workgroups, 1, 1],
            subgroup_size: SHAPE.subgroup_size,
            schedule: Schedule::default(),
            limits: Limits::default(),
            parallel: true,
            stop: None,
        };
        let start = Instant::now();
        run(&self.code, &self.resources, &options, observer).expect("the kernel runs");
        start.elapsed()
    }

    /// Returns the fastest of some runs, since other load on the machine only adds time. Creating the observer is
    /// included: its shadow memory is part of the cost of a check.
    fn time<O: Observer>(&self, repeats: usize, observer: impl Fn(&Self) -> O) -> Duration {
        let times = (0..repeats).map(|_| {
            let start = Instant::now();
            let observer = observer(self);
            start.elapsed() + self.run(&observer)
        });
        times.min().unwrap_or_default()
    }

    fn every_access_is_checked(&self) {
        let fsm = Fsm::new(self.layout.clone(), SHAPE);
        self.run(&fsm);
        assert!(fsm.racy().is_empty(), "the kernel is free of races");
        assert!(fsm.checked() >= self.accesses, "{} accesses are checked", fsm.checked());
    }
}

/// Times Oclgrind on the kernel, without and with race detection. Returns `None` if it is not installed.
fn oclgrind(kernel: &Reference) -> Option<[Duration; 2]> {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source = folder().join(kernel.name).with_extension("cl");
    std::fs::copy(source, scratch.join(kernel.name).with_extension("cl")).ok()?;
    let mut description =
        format!("{0}.cl\n{0}\n{INVOCATIONS} 1 1\n{WORKGROUP_SIZE} 1 1\n\n", kernel.name);
    for words in kernel.buffers {
        let _ = writeln!(description, "<size={} uint range=0:1:{}>", words * 4, words - 1);
    }
    let simfile = scratch.join(kernel.name).with_extension("sim");
    std::fs::write(&simfile, description).ok()?;
    let time = |flags: &[&str]| -> Option<Duration> {
        let mut command = Command::new("oclgrind-kernel");
        command.args(flags).arg(&simfile).current_dir(scratch).stdout(Stdio::null());
        let run = || {
            let start = Instant::now();
            command.status().ok()?.success().then(|| start.elapsed())
        };
        // The fastest of fewer runs, since Oclgrind is slow.
        std::iter::repeat_with(run).take(2).collect::<Option<Vec<_>>>()?.into_iter().min()
    };
    Some([time(&[])?, time(&["--data-races"])?])
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels/bench")
}

//! Benchmarks the cost of monitoring on a device: the reference kernels (`kernels/bench/`) and one with workgroup
//! memory, bare and instrumented, with the automaton's transition table in each storage location: `cargo bench -p
//! hirace-cli --bench device [-- DEVICE]`. Ratios are to the bare kernel of the same run.

use hirace::raw::exec::wgpu::Device;
use hirace::raw::front::wgsl;
use hirace::raw::launch::Launch;
use hirace::raw::launch::build::{self, Grown};
use hirace::raw::launch::candidates::candidates;
use hirace::raw::launch::spec::{Binding, LaunchSpec};
use hirace::raw::program::Program;
use hirace::raw::shadow::plan::Table;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// A kernel with its number of workgroups and its buffers.
struct Reference {
    name: &'static str,
    workgroups: u32,
    buffers: &'static [&'static str],
    accesses: u64,
}

const KERNELS: [Reference; 3] = [
    Reference {
        name: "gather",
        workgroups: 1024,
        buffers: &["input=iota:65536", "output=zeros:65536"],
        accesses: 65 * 65_536,
    },
    Reference {
        name: "scatter_add",
        workgroups: 1024,
        buffers: &["data=iota:4194304"],
        accesses: 128 * 65_536,
    },
    Reference {
        name: "tile_scan",
        workgroups: 1024,
        buffers: &["data=iota:65536"],
        accesses: 132 * 65_536,
    },
];

/// The number of runs of each variant; the best time counts.
const REPEATS: usize = 5;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let quick = arguments.iter().any(|argument| argument == "--test");
    let chosen = arguments.iter().find(|argument| !argument.starts_with("--"));
    let device = match Device::open(chosen.map_or("0", String::as_str)) {
        Ok(device) => device,
        Err(error) => return println!("no device to measure: {error}"),
    };
    println!("{:<12} {:<20} {:>12} {:>14} {:>8}", "kernel", "table", "time", "per access", "ratio");
    for kernel in &KERNELS {
        let (program, launch) = load(kernel, &device);
        let tables = [
            None,
            Some(Table::Buffer),
            Some(Table::Private),
            Some(Table::Constant),
            Some(Table::Computed),
        ];
        let mut best = [Duration::MAX; 5];
        // Variants alternate, so that other load on the machine affects all of them.
        for round in 0..if quick { 1 } else { REPEATS } {
            for (best, table) in best.iter_mut().zip(tables) {
                // The constant table is so slow that one run suffices.
                if table != Some(Table::Constant) || round == 0 {
                    let time = device.time(&program, &launch, table).expect("the kernel runs");
                    *best = time.min(*best);
                }
            }
        }
        for (time, table) in best.into_iter().zip(tables) {
            let place = table.map_or("not watched".to_owned(), |table| format!("{table:?}"));
            line(kernel, &place, time, best[0]);
        }
    }
}

fn line(kernel: &Reference, what: &str, time: Duration, bare: Duration) {
    let access = time.as_nanos() as f64 / kernel.accesses as f64;
    let ratio = time.as_secs_f64() / bare.as_secs_f64();
    println!("{:<12} {what:<20} {time:>12.2?} {access:>11.2} ns {ratio:>8.2}", kernel.name);
}

fn load(kernel: &Reference, device: &Device) -> (Program, Launch) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../kernels/bench");
    let path = folder.join(kernel.name).with_extension("wgsl");
    let text = std::fs::read_to_string(path).expect("the kernel is there");
    let parsed = wgsl::parse(kernel.name, &text).expect("the kernel is good WGSL");
    let program = Program::new(&parsed, &BTreeMap::new()).expect("it has no overrides");
    let bindings = kernel.buffers.iter().map(|buffer| Binding::parse(buffer).expect("a buffer"));
    let spec = LaunchSpec {
        workgroups: Some([kernel.workgroups, 1, 1]),
        bindings: bindings.collect(),
        subgroup_size: hirace::raw::exec::Executor::subgroup_size(device),
        ..LaunchSpec::default()
    };
    let candidates = candidates(&program, &spec, 0).expect("it can be launched");
    let launch =
        build::launch(&program, &spec, &candidates[0], &Grown::new()).expect("it has buffers");
    (program, launch)
}

//! Measures the cost of watching on the device: the time of dispatches under the monitor divided by that of the bare kernel,
//! both in one run.

use super::{Case, device, error_text, given, launched};
use crate::support::{root, scratch};
use hirace::raw::check::file::single_program;
use hirace::raw::exec::Executor;
use hirace::raw::front::rust;
use hirace::raw::launch::Launch;
use hirace::raw::launch::build::{self, Grown};
use hirace::raw::launch::candidates::candidates;
use hirace::raw::program::Program;
use hirace::raw::shadow::plan::Table;
use libtest_mimic::Failed;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// Kernels and launches: WGSL files, or Rust files, of which the first kernel runs.
const KERNELS: &[(&str, &str)] = &[
    ("kernels/bench/gather.wgsl", "--workgroups 1024"),
    ("kernels/bench/scatter_add.wgsl", "--workgroups 256 --buffer data=iota:4194304"),
    ("kernels/src/tree_sum.rs", "--workgroups 1024"),
    ("kernels/src/scan_hillis_steele.rs", "--workgroups 512"),
    ("kernels/src/matrix_product.rs", "--workgroups 16,16"),
    ("kernels/src/histogram_in_tiles.rs", "--workgroups 256"),
    ("kernels/src/saxpy.rs", "--workgroups 2048"),
];

/// The number of runs of each; the minimum time counts.
const RUNS: usize = 9;

pub fn cases() -> Vec<Case> {
    vec![Case::full("tells_the_slowdown", tells)]
}

fn tells() -> Result<(), Failed> {
    let device = device().as_ref()?;
    let about = device.device();
    std::fs::write(scratch("device").join("device.txt"), format!("{about}\n"))?;
    std::fs::write(scratch("device").join("name.txt"), about.name)?;
    let mut table =
        String::from("| kernel | launch | bare | watched | slowdown |\n|---|---|---:|---:|---:|\n");
    for (path, flags) in KERNELS {
        let (program, launch) = of(path, flags)?;
        let time = |table| -> Result<Duration, Failed> {
            let mut least = Duration::MAX;
            for _ in 0..RUNS {
                least = least.min(device.time(&program, &launch, table).map_err(error_text)?);
            }
            Ok(least)
        };
        let (bare, watched) = (time(None)?, time(Some(Table::default()))?);
        let ratio = watched.as_secs_f64() / bare.as_secs_f64().max(f64::MIN_POSITIVE);
        let ms = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
        let _ = writeln!(
            table,
            "| `{path}` | `{flags}` | {} | {} | {ratio:.1} |",
            ms(bare),
            ms(watched)
        );
        if ratio < 0.5 {
            return Err(format!("{path} is faster when it is watched: {ratio}").into());
        }
    }
    std::fs::write(scratch("device").join("slowdown.md"), table)?;
    Ok(())
}

fn of(path: &str, flags: &str) -> Result<(Program, Launch), Failed> {
    let text = std::fs::read_to_string(root().join(path))?;
    if path.ends_with(".wgsl") {
        return launched(path, &text, flags);
    }
    let file = rust::parse_file(path, &text).map_err(error_text)?;
    let first = file.kernels().next().ok_or("the file has no kernel")?;
    let (parsed, _) = single_program(&file, &[first], &[]).map_err(error_text)?;
    let program = Program::new(&parsed, &BTreeMap::new()).map_err(error_text)?;
    let mut spec = given(flags)?;
    spec.subgroup_size = device().as_ref()?.subgroup_size();
    let candidates = candidates(&program, &spec, 0).map_err(error_text)?;
    let launch =
        build::launch(&program, &spec, &candidates[0], &Grown::new()).map_err(error_text)?;
    Ok((program, launch))
}

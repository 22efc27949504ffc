//! Address slices: they find what raced in the kernel itself, in every memory that they decide.

use super::divergent::launch_of;
use super::engine::Loaded;
use super::shrink::shrink;
use super::{generate, kernel::Kernel, print};
use crate::support::scratch;
use hirace::raw::exec::embedded::Embedded;
use hirace::raw::exec::sliced::{decide, of_entry};
use hirace::raw::exec::{Executor, Watch};
use hirace::raw::observe::Granule;
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeSet;

/// How many kernels a run without further ado compares.
const SAMPLE: u64 = 1_000;
/// How many the full run compares.
const FULL: u64 = 20_000;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("random::slices_find_what_the_kernel_does", || agree(0..SAMPLE)),
        Trial::test("random::full_slices_find_what_the_kernel_does", || agree(0..FULL))
            .with_ignored_flag(true),
    ]
}

/// What slices there were.
#[derive(Default)]
struct Seen {
    kernels: u64,
    /// Those that decide every memory.
    whole: u64,
    /// Those that decide some.
    in_part: u64,
    /// Those that decide a memory that races.
    racy: u64,
}

fn agree(seeds: std::ops::Range<u64>) -> Result<(), Failed> {
    let mut seen = Seen::default();
    for seed in seeds {
        let kernel = generate::kernel(seed);
        let Err(error) = compare(&kernel, &mut seen) else { continue };
        let fails = |kernel: &Kernel| compare(kernel, &mut Seen::default());
        let smallest = shrink(kernel, |kernel| fails(kernel).is_err());
        let error = fails(&smallest).err().unwrap_or(error);
        let text = print::print(&smallest).wgsl;
        let file = scratch("random").join(format!("slice-{seed}.wgsl"));
        std::fs::write(&file, format!("// {smallest:?}\n{text}"))?;
        return Err(format!("kernel {seed}, in {}: {error}\n{text}", file.display()).into());
    }
    let Seen { kernels, whole, in_part, racy } = seen;
    let seen =
        format!("of {kernels} kernels, {whole} are sliced, {in_part} in part; {racy} race there");
    if whole < kernels / 20 || in_part < kernels / 20 || racy < kernels / 20 {
        return Err(format!("these kernels test too little: {seen}").into());
    }
    println!("{seen}");
    Ok(())
}

fn compare(kernel: &Kernel, seen: &mut Seen) -> Result<(), String> {
    seen.kernels += 1;
    let loaded = Loaded::new(kernel)?;
    let Some(slice) = of_entry(&loaded.program, 0) else { return Ok(()) };
    let launch = launch_of(kernel, loaded.resources_of(&loaded.program));
    let watch = Watch { oracle: true, ..Watch::default() };
    let sliced = decide(&loaded.program, &slice, &launch, 0, &watch, u64::MAX, None);
    let sliced = sliced.ok_or("the slice did not come to its end")?;
    let outcome = Embedded.run(&loaded.program, &launch, &watch, None);
    let outcome = outcome.map_err(|error| error.to_string())?;
    let [run] = &outcome.dispatches[..] else { return Err("no dispatch ran".to_owned()) };
    let is_decided = |granule: &&Granule| !slice.undecided.contains(&granule.memory);
    let oracle = run.oracle.as_ref().ok_or("nobody asked the oracle")?;
    let wanted: BTreeSet<Granule> = oracle.keys().filter(is_decided).copied().collect();
    let found: BTreeSet<Granule> = sliced.dispatched.racy.keys().copied().collect();
    if found != wanted {
        let missed: Vec<_> = wanted.difference(&found).collect();
        let added: Vec<_> = found.difference(&wanted).collect();
        return Err(format!("the slice misses {missed:?} and adds {added:?}"));
    }
    let watched = loaded.program.sites.accesses();
    for (site, _, access) in watched {
        let at = |run: &[hirace::raw::vm::run::Executed]| run.get(site.0 as usize).copied();
        let memory = hirace::raw::exec::sliced::id_of(access.global);
        let (here, there) = (at(&sliced.dispatched.run.executed), at(&run.run.executed));
        if !slice.undecided.contains(&memory) && here != there {
            return Err(format!("at {site:?} the slice has {here:?}, the kernel {there:?}"));
        }
    }
    let whole = slice.undecided.is_empty();
    seen.whole += u64::from(whole);
    seen.in_part += u64::from(!whole);
    seen.racy += u64::from(!found.is_empty());
    Ok(())
}

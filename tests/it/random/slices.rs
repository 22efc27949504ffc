//! Tests of address slices: they find the races of the kernel itself, in every memory that they decide.

use super::divergent::launch_of;
use super::engine::LoadedKernel;
use super::kernel::Kernel;
use super::shrink::shrink;
use super::{Random, generate, print};
use crate::support::scratch;
use hirace::raw::diagnostic::Diagnostic;
use hirace::raw::exec::embedded::Embedded;
use hirace::raw::exec::sliced::{decide, of_entry};
use hirace::raw::exec::{DispatchContext, Executor, Watch};
use hirace::raw::front::wgsl;
use hirace::raw::launch::Launch;
use hirace::raw::observe::Granule;
use hirace::raw::program::Program;
use hirace::raw::vm::slice::Slices;
use hirace_testing::harness::Trial;
use hirace_testing::seeds;
use libtest_mimic::Failed;
use std::collections::{BTreeMap, BTreeSet};

/// The number of kernels that the quick tier compares, and the full one.
const SAMPLE: [u64; 2] = [200, 4_000];
/// The number of kernels that the run by name compares.
const FULL: u64 = 20_000;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("random::slices_find_what_the_kernel_does", || {
            agree(seeds(SAMPLE[0], SAMPLE[1]))
        }),
        Trial::test("random::full_slices_find_what_the_kernel_does", || agree(0..FULL))
            .only_by_name(),
    ]
}

/// The numbers of slices by kind.
#[derive(Default)]
struct SliceCounts {
    kernels: u64,
    /// Slices that decide every memory.
    whole: u64,
    /// Slices that decide some memory.
    in_part: u64,
    /// Slices that decide a memory that races.
    racy: u64,
    /// Slices that may do more than the kernel, and show that some memory has no race.
    loose: u64,
}

fn agree(seeds: std::ops::Range<u64>) -> Result<(), Failed> {
    let mut seen = SliceCounts::default();
    for seed in seeds {
        let kernel = generate::kernel(seed);
        let Err(error) = compare(&kernel, seed, &mut seen) else { continue };
        let fails = |kernel: &Kernel| compare(kernel, seed, &mut SliceCounts::default());
        let smallest = shrink(kernel, |kernel| fails(kernel).is_err());
        let error = fails(&smallest).err().unwrap_or(error);
        let text = text_of(&smallest, seed);
        let file = scratch("random").join(format!("slice-{seed}.wgsl"));
        std::fs::write(&file, format!("// {smallest:?}\n{text}"))?;
        return Err(format!("kernel {seed}, in {}: {error}\n{text}", file.display()).into());
    }
    let SliceCounts { kernels, whole, in_part, racy, loose } = seen;
    let seen = format!(
        "of {kernels} kernels, {whole} are sliced as a whole, {in_part} in part and {loose} loosely; {racy} race there"
    );
    if [whole, in_part, loose, racy].into_iter().any(|seen| seen < kernels / 50) {
        return Err(format!("too few kernels have these features: {seen}").into());
    }
    Ok(())
}

/// Returns the text of a kernel; in every other kernel, whether some accesses run, or their addresses, depend on data.
fn text_of(kernel: &Kernel, seed: u64) -> String {
    let print::PrintedKernel { wgsl, lines } = print::print(kernel);
    let mut random = Random::new(seed.wrapping_mul(37).wrapping_add(5));
    let decides_where = random.chance(30);
    let mut text = String::new();
    for (line, number) in wgsl.lines().zip(1..) {
        let is_touch = lines.contains(&number) && !line.contains("workgroupUniformLoad");
        if is_touch && random.chance(30) {
            text.push_str(&unseen(&mut random));
        }
        match is_touch && !seed.is_multiple_of(2) && random.chance(40) {
            true if decides_where => text.push_str(&elsewhere(line.trim())),
            true => text.push_str(&around(line.trim(), &mut random)),
            false => text.push_str(line),
        }
        text.push('\n');
    }
    text.push_str("fn less(i: u32) -> u32 { if i > 3u { return 3u; } return i; }\n");
    text
}

/// Returns a condition that depends on data.
fn data(random: &mut Random) -> String {
    let bit = random.below(3);
    format!("((seen ^ lane) >> {bit}u & 1u) == 1u")
}

/// Returns statements that depend on data, and have no visible effect.
fn unseen(random: &mut Random) -> String {
    let data = data(random);
    match random.below(3) {
        0 => "seen = less(seen); ".to_owned(),
        1 => format!("if {data} {{ seen += 1u; }} else {{ seen ^= 2u; }} "),
        _ => format!("seen = select(seen, seen + lane, {data}); "),
    }
}

/// Returns an access whose address depends on data.
fn elsewhere(touch: &str) -> String {
    format!(
        "{{ let turned = seen & 1u; let lane = lane ^ turned; let global = global ^ turned; {touch} }}"
    )
}

/// Returns an access that runs depending on data. Its index is computed from `lane`, `global`, `group` and `turn`.
fn around(touch: &str, random: &mut Random) -> String {
    let data = data(random);
    // The index depends on data and on the invocation: if all invocations swap, or none does, no two access the same element.
    let swapped = "var lane = lane ^ 1u; var global = global ^ 1u;";
    let back = "lane ^= 1u; global ^= 1u;";
    match random.below(9) {
        0 => format!("if {data} {{ {touch} }}"),
        1 => format!("if {data} {{ seen += 1u; }} else {{ {touch} }}"),
        2 => format!("if lane < 3u || {data} {{ if lane > 1u {{ {touch} }} }}"),
        3 => format!("for (var turn = 0u; turn < 3u; turn++) {{ if {data} {{ break; }} {touch} }}"),
        4 => format!(
            "for (var turn = 0u; turn < 3u; turn++) {{ if {data} {{ continue; }} {touch} }}"
        ),
        5 => format!("{{ {swapped} if {data} {{ {back} {touch} }} }}"),
        6 => format!(
            "{{ {swapped} for (var d = 0u; d < 1u; d++) {{ if {data} {{ break; }} {back} }} {touch} }}"
        ),
        7 => format!(
            "{{ {swapped} for (var d = 0u; d < 2u; d++) {{ if d == 1u {{ {touch} }} if {data} {{ continue; }} if d == 0u {{ {back} }} }} }}"
        ),
        _ => format!("{{ {swapped} if {data} {{ {back} }} {touch} }}"),
    }
}

/// Returns the slices of the only dispatch of a launch, if it has any.
pub fn slices_of(program: &Program, launch: &Launch) -> Option<Slices> {
    let [dispatch] = &launch.dispatches[..] else { return None };
    of_entry(program, 0, &DispatchContext::new(program, launch, dispatch).unwritten_buffers())
}

fn compare(kernel: &Kernel, seed: u64, seen: &mut SliceCounts) -> Result<(), String> {
    seen.kernels += 1;
    let explained = |error: Box<Diagnostic>| format!("{error} {:?}", error.notes);
    let parsed = wgsl::parse("sliced.wgsl", &text_of(kernel, seed)).map_err(explained)?;
    let program = Program::new(&parsed, &BTreeMap::new()).map_err(explained)?;
    let launch = launch_of(kernel, LoadedKernel::new(kernel)?.resources_of(&program));
    let Some(slices) = slices_of(&program, &launch) else { return Ok(()) };
    let watch = Watch { oracle: true, ..Watch::default() };
    let sliced = decide(&program, &slices, &launch, 0, &watch, u64::MAX, None).0;
    let sliced = sliced.ok_or("the slice did not terminate")?;
    let outcome = Embedded.run(&program, &launch, &watch, None);
    let outcome = outcome.map_err(|error| error.to_string())?;
    let [run] = &outcome.dispatches[..] else { return Err("no dispatch ran".to_owned()) };
    let is_decided = |granule: &&Granule| !sliced.undecided.contains(&granule.memory);
    let oracle = run.oracle.as_ref().ok_or("the oracle was not used")?;
    let wanted: BTreeSet<Granule> = oracle.keys().filter(is_decided).copied().collect();
    let found = sliced.dispatched.racy.keys().filter(is_decided);
    let found: BTreeSet<Granule> = found.copied().collect();
    if found != wanted {
        let missed: Vec<_> = wanted.difference(&found).collect();
        let added: Vec<_> = found.difference(&wanted).collect();
        return Err(format!("the slice misses {missed:?} and adds {added:?}"));
    }
    let written = program.module.global_variables.iter().filter(|(_, variable)| {
        !matches!(variable.space, naga::AddressSpace::Uniform | naga::AddressSpace::Private)
    });
    let mut written = written.map(|(global, _)| hirace::raw::exec::sliced::id_of(global));
    if !sliced.exact {
        seen.loose += u64::from(written.any(|memory| !sliced.undecided.contains(&memory)));
        return Ok(());
    }
    let outside = |run: &hirace::raw::vm::run::Run| -> BTreeSet<_> {
        let of_memory = run.out_of_bounds.iter().filter(|out| out.memory.is_some());
        let decided =
            of_memory.filter(|out| !sliced.undecided.iter().any(|it| out.memory == Some(*it)));
        decided.map(|out| (out.site, out.length)).collect()
    };
    let (here, there) = (outside(&sliced.dispatched.run), outside(&run.run));
    if here != there {
        return Err(format!("out of bounds: {here:?} in the slice, {there:?} in the kernel"));
    }
    let whole = sliced.is_whole();
    let watched = program.sites.accesses();
    for (site, _, access) in watched {
        // As devices count: by one invocation, or by more.
        let at = |run: &[hirace::raw::vm::run::ExecutionCount]| {
            let executed = run.get(site.0 as usize).copied().unwrap_or_default();
            (executed.count > 0, executed.by_several_invocations)
        };
        let memory = hirace::raw::exec::sliced::id_of(access.global);
        let (here, there) = (at(&sliced.dispatched.run.executed), at(&run.run.executed));
        if whole && !sliced.undecided.contains(&memory) && here != there {
            return Err(format!("at {site:?} the slice has {here:?}, the kernel {there:?}"));
        }
    }
    seen.whole += u64::from(whole);
    seen.in_part += u64::from(!whole);
    seen.racy += u64::from(!found.is_empty());
    Ok(())
}

//! Tests that Oclgrind, on the patterns in OpenCL C, reports what the exact oracle reports; and that it leaves the same memory
//! contents as the embedded executor, for the textbook kernels and for a kernel of everything that C expresses differently.
//!
//! If Oclgrind is not installed, these trials show as ignored, with the reason.

use super::each;
use crate::support::root;
use hirace::raw::front::wgsl;
use hirace::raw::launch::build::{self, Grown};
use hirace::raw::launch::candidates::candidates;
use hirace::raw::launch::spec::{Binding, LaunchSpec};
use hirace::raw::program::Program;
use hirace_bench::detect::{CaseResult, Options, Sample};
use hirace_bench::overhead::Graphs;
use hirace_bench::overhead::agreement::{Agreement, agreement, compare_launch};
use hirace_bench::overhead::corpus::{self, Category, Kernel};
use hirace_bench::pattern::{Granularity, Tag};
use hirace_bench::peers::Peer;
use hirace_testing::harness::{Need, Trial};
use hirace_testing::{Facility, Tier, runs};
use libtest_mimic::Failed;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Returns the number of launches in a sample: each takes a tenth of a second.
fn sample() -> usize {
    if runs(Tier::Full) { 150 } else { 60 }
}

/// The number of textbook kernels in a sample: each takes a fifth of a second.
const KERNELS: usize = 20;

/// Textbook kernels whose invocations claim slots in the order in which they run: the words are the same, their order is not.
const IN_ANY_ORDER: [&str; 5] =
    ["append::clean", "bfs::expand", "breadth_first::clean", "cutcp::sort", "hash_table::clean"];

/// Textbook kernels in which several invocations write the same words in an inferred launch, because it lacks the contents that
/// previous dispatches would leave.
const RACING_BY_GUESS: [&str; 3] = ["binning::scatter", "lud::internal", "radix_sort::scatter"];

/// The input of the kernel of `opencl.wgsl`.
const NUMBERS: [i32; 16] =
    [0, 1, -1, 2, -2, 3, 7, 31, 32, 33, -33, 1000, 65_537, i32::MAX, i32::MIN, i32::MIN + 1];

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, test: fn() -> Result<(), Failed>| {
        let need = Need::program("oclgrind-kernel", Facility::Oclgrind);
        Trial::test(format!("patterns::{name}"), test).needs(need)
    };
    vec![
        trial("oclgrind_agrees_with_the_oracle", || agrees("", sample())),
        trial("oclgrind_names_both_of_two_alike_accesses", || {
            agrees("path_compression", if runs(Tier::Full) { usize::MAX } else { 20 })
        }),
        trial("full_oclgrind_agrees_with_the_oracle", || agrees("", usize::MAX)).only_by_name(),
        trial("oclgrind_leaves_what_is_left_of_all_constructs", constructs),
        trial("oclgrind_leaves_what_is_left_of_textbook_kernels", || textbook(KERNELS)),
        trial("oclgrind_leaves_what_is_left_of_all_textbook_kernels", || textbook(usize::MAX))
            .in_tier(Tier::Ci),
    ]
}

/// Runs a sample of the textbook kernels without races under both, on their smallest launches.
fn textbook(sample: usize) -> Result<(), Failed> {
    let mut kernels: Vec<Kernel> = Vec::new();
    for file in corpus::textbook_files(&root().join("kernels/src")).map_err(|e| e.to_string())? {
        kernels.extend(corpus::textbook(&file).map_err(|e| format!("{}: {e}", file.display()))?);
    }
    let races = |kernel: &Kernel| {
        kernel.category == Category::Racy || RACING_BY_GUESS.contains(&kernel.name.as_str())
    };
    kernels.retain(|kernel| !races(kernel));
    let chosen = Sample::new(kernels.len(), sample);
    let graphs = Graphs::published(0, 0);
    let (mut same, mut failures) = (0, String::new());
    for (at, kernel) in kernels.iter().enumerate() {
        if !chosen.has(at) {
            continue;
        }
        match agreement(kernel, &graphs) {
            Ok(Ok(Agreement::Same)) => same += 1,
            Ok(Ok(Agreement::SameWords)) if IN_ANY_ORDER.contains(&kernel.name.as_str()) => {
                same += 1
            }
            // No inferred launch keeps the kernel within its memory.
            Err(_) => {}
            Ok(Err(hirace_bench::peers::PeerError::Unsupported(_))) => {}
            Ok(Ok(differs)) => writeln!(failures, "{}: {differs:?}", kernel.name)?,
            Ok(Err(error)) => writeln!(failures, "{}: {error}", kernel.name)?,
        }
    }
    if same * 10 < kernels.len().min(sample) * 7 {
        writeln!(failures, "only {same} kernels are the same under both")?;
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.into()) }
}

/// Runs a kernel of everything that C expresses differently from WGSL.
fn constructs() -> Result<(), Failed> {
    let parsed =
        wgsl::parse("opencl.wgsl", include_str!("opencl.wgsl")).map_err(|e| e.to_string())?;
    let program = Program::new(&parsed, &BTreeMap::new()).map_err(|e| e.to_string())?;
    let numbers: Vec<String> = NUMBERS.iter().map(i32::to_string).collect();
    let buffers = [
        "out=zeros:1024".to_owned(),
        "floats=zeros:128".to_owned(),
        "threes=zeros:16".to_owned(),
        "sums=zeros:17".to_owned(),
        "pairs=zeros:2".to_owned(),
        format!("numbers={}", numbers.join(",")),
        "origin=0.5,1.5,2.5".to_owned(),
        "scale=3".to_owned(),
    ];
    let bindings: Result<Vec<Binding>, _> =
        buffers.iter().map(|buffer| Binding::parse(buffer)).collect();
    let bindings = bindings.map_err(|e| e.to_string())?;
    let spec = LaunchSpec { workgroups: Some([2, 1, 1]), bindings, ..LaunchSpec::default() };
    let all = candidates(&program, &spec, 0).map_err(|e| e.to_string())?;
    let launch =
        build::launch(&program, &spec, &all[0], &Grown::new()).map_err(|e| e.to_string())?;
    match compare_launch(&program, 0, &launch).map_err(|e| e.to_string())? {
        Ok(Agreement::Same) => Ok(()),
        Ok(differs) => Err(format!("{differs:?}").into()),
        Err(error) => Err(error.to_string().into()),
    }
}

/// Compares both on a sample of launches of the kernels whose names start with `kernels`.
fn agrees(kernels: &str, sample: usize) -> Result<(), Failed> {
    let peers = [Peer::Oclgrind];
    let options = Options { device: None, seed: 0, schedules: 0, peers: &peers, stop: None };
    each(kernels, sample, &options, difference)
}

/// Returns the difference in Oclgrind's report, if any.
fn difference(judged: &CaseResult) -> Option<String> {
    let CaseResult { variant, racing, with_race, peers, .. } = judged;
    let has_words = variant.form.granularity != Granularity::Warp && !variant.tags.has(Tag::Shfl);
    let said = match &peers[0] {
        Err(reason) => return has_words.then(|| format!("no answer: {reason}")),
        Ok(_) if !has_words => return Some("OpenCL C 1.2 has no subgroups".to_owned()),
        Ok(said) => said,
    };
    if (said.races > 0) != *with_race {
        return Some(format!("{} races; by the oracle: {with_race}", said.races));
    }
    let right = |line| racing.contains(line);
    let wrong = said.lines.iter().find(|(one, two)| !right(one) || !right(two))?;
    Some(format!("a race was reported at lines {wrong:?}, where none was planted"))
}

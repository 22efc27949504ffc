//! Compares the engine's observers with the judgement of the kernel's description and with each other.

use super::engine::{LoadedKernel, RunOrder};
use super::impaired::{Defect, Impaired};
use super::kernel::Kernel;
use super::model::{self, Site, Word};
use super::shrink::shrink;
use super::{generate, instrumented, print};
use crate::support::scratch;
use hirace::raw::observe::fsm::Fsm;
use hirace::raw::observe::oracle::Oracle;
use hirace::raw::observe::trace::all_site_pairs;
use hirace::raw::observe::tracer::Tracer;
use hirace::raw::observe::{Granule, RacyGranules, Shape};
use hirace::raw::watch::{WatchOptions, WatchPlan};
use hirace_testing::harness::Trial;
use hirace_testing::seeds;
use libtest_mimic::Failed;
use std::collections::BTreeSet;

/// The number of kernels that the quick tier compares, and the full one.
const SAMPLE: [u64; 2] = [60, 1_000];
/// The number of kernels that the run by name compares.
const FULL: u64 = 10_000;
/// The number of kernels within which an impaired observer must be noticed. (One that is wrong in a single transition may need
/// the full run.)
const NOTICED: u64 = 1_000;

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("random::sample_agrees", || agree(seeds(SAMPLE[0], SAMPLE[1]))),
        Trial::test("random::full_run_agrees", || agree(0..FULL)).only_by_name(),
        Trial::test("random::full_run_notices_every_missing_race", notices_every_missing_race)
            .only_by_name(),
    ];
    trials.extend(
        Defect::all()
            .into_iter()
            .map(|arm| Trial::test(format!("random::notices_{}", name(arm)), move || noticed(arm))),
    );
    trials
}

fn name(arm: Defect) -> String {
    let words = format!("{arm:?}").to_lowercase();
    words
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|w| !w.is_empty())
        .collect::<Vec<_>>()
        .join("_")
}

fn agree(seeds: std::ops::Range<u64>) -> Result<(), Failed> {
    for seed in seeds {
        let kernel = generate::kernel(seed);
        let Err(error) = compare(&kernel, seed) else { continue };
        let smallest = shrink(kernel, |kernel| compare(kernel, seed).is_err());
        let error = compare(&smallest, seed).err().unwrap_or(error);
        let text = print::print(&smallest).wgsl;
        let file = scratch("random").join(format!("{seed}.wgsl"));
        std::fs::write(&file, format!("// {smallest:?}\n{text}"))?;
        return Err(format!("kernel {seed}, in {}: {error}\n{text}", file.display()).into());
    }
    Ok(())
}

/// Returns the ways to run a kernel: in order, in parallel, and two random schedules, which differ from kernel to kernel.
fn ways(seed: u64) -> [RunOrder; 4] {
    let random = |n: u64| RunOrder { seed: seed * 2 + n, parallel: false };
    [RunOrder::IN_ORDER, RunOrder { seed: 0, parallel: true }, random(1), random(2)]
}

fn compare(kernel: &Kernel, seed: u64) -> Result<(), String> {
    let loaded = LoadedKernel::new(kernel)?;
    let expected = (!kernel.depends_on_data()).then(|| model::judge(kernel));
    for way in ways(seed) {
        let seen = observe(kernel, &loaded, way)?;
        same(way, "the automaton and the oracle", &seen.fsm, &seen.oracle)?;
        if let Some(expected) = &expected {
            let words = words(&loaded, &seen.oracle)?;
            same(way, "the oracle and the description", &words, &expected.racy)?;
            let pairs: BTreeSet<_> = seen.pairs.iter().copied().map(ordered).collect();
            same(way, "the pairs of the oracle and the description", &pairs, &expected.pairs)?;
        }
        explained(&loaded, way, &seen)?;
    }
    if expected.is_some() {
        // A kernel whose path depends on data may take another path because of the shadow's instructions.
        let way = ways(seed)[seed as usize % 4];
        let watch = WatchPlan::of_all(&loaded.program, &WatchOptions::default());
        let options = instrumented::options(seed);
        let found = instrumented::racy(&loaded, &watch, shape(kernel), options, way)?;
        let seen = observe(kernel, &loaded, RunOrder::IN_ORDER)?;
        same(way, "the instrumented kernel and the oracle", &found, &seen.oracle)?;
    }
    Ok(())
}

/// The findings of the observers in one run.
struct ObserverFindings {
    fsm: BTreeSet<Granule>,
    oracle: BTreeSet<Granule>,
    pairs: BTreeSet<(Site, Site)>,
}

fn observe(
    kernel: &Kernel,
    loaded: &LoadedKernel,
    way: RunOrder,
) -> Result<ObserverFindings, String> {
    let wide = Fsm::new(loaded.layout(), shape(kernel));
    // Shadow words whose clocks overflow all the time.
    let narrow = Fsm::with(loaded.layout(), shape(kernel), &fsm_spec::TABLE, 2);
    let both = ((wide, narrow), Oracle::new(loaded.layout()));
    loaded.run(way, &both)?;
    let ((wide, narrow), oracle) = &both;
    let fsm = granules(&wide.racy());
    same(way, "wide and narrow shadow words", &fsm, &granules(&narrow.racy()))?;
    let mut pairs = BTreeSet::new();
    for ((a, does_a), (b, does_b)) in oracle.pairs().into_values().flatten() {
        // Reads that decide control flow are not touches of the description.
        if let (Some(a), Some(b)) = (loaded.site(a, does_a), loaded.site(b, does_b)) {
            pairs.insert(ordered((a, b)));
        }
    }
    Ok(ObserverFindings { fsm, oracle: granules(&oracle.racy()), pairs })
}

pub fn shape(kernel: &Kernel) -> Shape {
    Shape {
        workgroups: kernel.grid.workgroups,
        workgroup_size: kernel.grid.workgroup_size,
        subgroup_size: kernel.grid.subgroup_size,
    }
}

pub fn granules(racy: &RacyGranules) -> BTreeSet<Granule> {
    racy.keys().copied().collect()
}

fn ordered((a, b): (Site, Site)) -> (Site, Site) {
    (a.min(b), a.max(b))
}

fn words(loaded: &LoadedKernel, racy: &BTreeSet<Granule>) -> Result<BTreeSet<Word>, String> {
    let word = |granule: &Granule| {
        loaded.word(*granule).ok_or_else(|| format!("{granule:?} is not a word of the description"))
    };
    racy.iter().map(word).collect()
}

/// Phase 2: running the launch again with a log of the racy words gives a pair for each of them, and no pair that does not race.
fn explained(loaded: &LoadedKernel, way: RunOrder, seen: &ObserverFindings) -> Result<(), String> {
    let racy: Vec<Granule> = seen.oracle.iter().copied().collect();
    let tracer = Tracer::new(loaded.layout(), &racy, usize::MAX);
    loaded.run(way, &tracer)?;
    let pairs = all_site_pairs(&tracer.into_trace()).pairs;
    let explained: BTreeSet<Granule> = pairs.iter().map(|pair| pair.later.granule).collect();
    same(way, "the words explained and those that raced", &explained, &seen.oracle)?;
    for pair in pairs {
        let sites = [pair.earlier, pair.later].map(|event| loaded.site(event.site, event.action));
        if let [Some(a), Some(b)] = sites
            && !seen.pairs.contains(&ordered((a, b)))
        {
            return Err(format!("{way:?}: {a:?} and {b:?} do not race"));
        }
    }
    Ok(())
}

pub fn same<T: Ord + std::fmt::Debug>(
    way: RunOrder,
    what: &str,
    a: &BTreeSet<T>,
    b: &BTreeSet<T>,
) -> Result<(), String> {
    if a == b {
        return Ok(());
    }
    let first: Vec<&T> = a.difference(b).take(8).collect();
    let second: Vec<&T> = b.difference(a).take(8).collect();
    Err(format!(
        "{way:?}: {what} differ: only in the first {first:?}, only in the second {second:?}"
    ))
}

/// Returns the transitions that find a race with the only previous access.
fn races() -> Vec<usize> {
    use fsm_spec::{Action, Relation, State, Sync, TABLE, index};
    let within = [Relation::W, Relation::B];
    let anywhere = [Relation::W, Relation::B, Relation::G];
    // Atomics on workgroup memory are BA, all others GA.
    let storage = ([State::Read, State::Write, State::GAtom], Action::GA, &anywhere[..]);
    let workgroup = ([State::Read, State::Write, State::BAtom], Action::BA, &within[..]);
    let mut found = Vec::new();
    for (states, atomic, relations) in [storage, workgroup] {
        for state in states {
            for action in [Action::R, Action::W, atomic] {
                for relation in relations {
                    found.push(index(state, action, Sync::U, *relation));
                }
            }
        }
    }
    found.retain(|at| usize::from(TABLE[*at]) == State::Race.id());
    found.sort_unstable();
    found.dedup();
    found
}

/// Tests the test: an automaton that misses one kind of race must be noticed.
fn notices_every_missing_race() -> Result<(), Failed> {
    for at in races() {
        let mut table = fsm_spec::TABLE;
        table[at] = (at / 48) as u8;
        let judge = |kernel: &Kernel, loaded: &LoadedKernel| {
            let fsm = Fsm::with(loaded.layout(), shape(kernel), &table, u32::BITS);
            loaded.run(RunOrder::IN_ORDER, &fsm)?;
            words(loaded, &granules(&fsm.racy()))
        };
        if !is_noticed(FULL, judge)? {
            let transition = fsm_spec::table::transition(at);
            return Err(format!("{FULL} kernels do not notice {transition:?}").into());
        }
    }
    Ok(())
}

/// Returns whether the racy words of `judge` differ from the actual ones in one of the first kernels.
fn is_noticed(
    kernels: u64,
    judge: impl Fn(&Kernel, &LoadedKernel) -> Result<BTreeSet<Word>, String>,
) -> Result<bool, String> {
    for kernel in (0..kernels).map(generate::kernel).filter(|kernel| !kernel.depends_on_data()) {
        let loaded = LoadedKernel::new(&kernel)?;
        if judge(&kernel, &loaded)? != model::judge(&kernel).racy {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Tests the test: an observer that is impaired by this arm must be noticed.
fn noticed(arm: Defect) -> Result<(), Failed> {
    let judge = |kernel: &Kernel, loaded: &LoadedKernel| {
        let mut shape = shape(kernel);
        if arm == Defect::OneSubgroup {
            shape.subgroup_size = shape.workgroup_size.next_power_of_two();
        }
        let impaired = Impaired { inner: Fsm::new(loaded.layout(), shape), arm };
        loaded.run(RunOrder::IN_ORDER, &impaired)?;
        words(loaded, &granules(&impaired.inner.racy()))
    };
    if is_noticed(NOTICED, judge)? {
        return Ok(());
    }
    Err(format!("{NOTICED} kernels do not notice {arm:?}").into())
}

//! Tests of watch plans: all observers leave out the same sites, and find the remaining races.
//!
//! The expected races under a plan follow from the full history, which does not use the plan: happens-before depends only on
//! barriers, so a word races if two watched accesses race on it.

use super::differential::{granules, same, shape};
use super::engine::{LoadedKernel, RunOrder};
use super::kernel::Kernel;
use super::shrink::shrink;
use super::{Random, generate, instrumented, print};
use crate::support::scratch;
use hirace::raw::ir::sites::SiteId;
use hirace::raw::observe::Granule;
use hirace::raw::observe::fsm::Fsm;
use hirace::raw::observe::history::SiteActionPair;
use hirace::raw::observe::oracle::Oracle;
use hirace::raw::watch::{NotWatched, Scope, WatchOptions, WatchPlan};
use hirace_testing::harness::Trial;
use hirace_testing::seeds;
use libtest_mimic::Failed;
use std::collections::{BTreeMap, BTreeSet};

/// The number of kernels that the quick tier compares, and the full one.
const SAMPLE: [u64; 2] = [40, 400];
/// The number of kernels that the run by name compares.
const FULL: u64 = 5_000;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("random::sample_agrees_on_parts_of_what_may_be_watched", || {
            agree(seeds(SAMPLE[0], SAMPLE[1]))
        }),
        Trial::test("random::full_run_agrees_on_parts_of_what_may_be_watched", || agree(0..FULL))
            .only_by_name(),
    ]
}

/// The number of plans that had an effect.
#[derive(Default)]
struct PlanCounts {
    plans: u64,
    /// Plans under which some racy words are not found.
    fewer: u64,
    /// Plans that watch a memory only at some of its sites.
    in_part: u64,
}

fn agree(seeds: std::ops::Range<u64>) -> Result<(), Failed> {
    let mut seen = PlanCounts::default();
    for seed in seeds {
        let kernel = generate::kernel(seed);
        // A kernel whose path depends on data may take another path because of the shadow's instructions.
        if kernel.depends_on_data() {
            continue;
        }
        let Err(error) = compare(&kernel, seed, &mut seen) else { continue };
        let fails = |kernel: &Kernel| compare(kernel, seed, &mut PlanCounts::default());
        let smallest = shrink(kernel, |kernel| fails(kernel).is_err());
        let error = fails(&smallest).err().unwrap_or(error);
        let text = print::print(&smallest).wgsl;
        let file = scratch("random").join(format!("plan-{seed}.wgsl"));
        std::fs::write(&file, format!("// {smallest:?}\n{text}"))?;
        return Err(format!("kernel {seed}, in {}: {error}\n{text}", file.display()).into());
    }
    let PlanCounts { plans, fewer, in_part } = seen;
    if fewer < plans / 50 || in_part < plans / 4 {
        let seen = format!("{fewer} of {plans} plans miss racy words, {in_part} watch in part");
        return Err(format!("too few plans have these features: {seen}").into());
    }
    Ok(())
}

/// The races in the full history: the racy words, each with all pairs of sites that race on it.
type Races = BTreeMap<Granule, BTreeSet<SiteActionPair>>;

fn compare(kernel: &Kernel, seed: u64, seen: &mut PlanCounts) -> Result<(), String> {
    let loaded = LoadedKernel::new(kernel)?;
    let oracle = Oracle::new(loaded.layout());
    loaded.run(RunOrder::IN_ORDER, &oracle)?;
    let races = oracle.pairs();
    let mut random = Random::new(seed);
    let sites: Vec<SiteId> = loaded.program.sites.accesses().map(|(site, ..)| site).collect();
    for (number, off) in cases(&loaded, &sites, &mut random).into_iter().enumerate() {
        let reason = |site: SiteId| off.contains(&site).then_some(NotWatched::ExcludedByRequest);
        let plan = |scope| {
            let request = WatchOptions { scope, ..WatchOptions::default() };
            WatchPlan::of_all(&loaded.program, &request).excluding(reason)
        };
        for scope in [Scope::MayRace, Scope::Writable] {
            answers(&loaded, &plan(scope), &off)?;
        }
        let way = RunOrder { seed: seed * number as u64 % 3, parallel: seed.is_multiple_of(2) };
        let found = judge(kernel, &loaded, &plan(Scope::Writable), &races, way)?;
        let options = instrumented::options(seed + number as u64);
        let way = RunOrder { parallel: false, ..way };
        let by_module =
            instrumented::racy(&loaded, &plan(Scope::MayRace), shape(kernel), options, way)?;
        same(way, "the instrumented kernel and the automaton", &by_module, &found)
            .map_err(|error| format!("without {off:?}: {error}"))?;
        seen.plans += 1;
        seen.fewer += u64::from(found.len() < races.len());
        let watched = plan(Scope::Writable);
        let in_part = loaded.program.sites.accesses().any(|(site, _, access)| {
            let memory = watched.memory(access.global);
            !watched.watches(site) && memory.is_some_and(|memory| memory.watched.is_ok())
        });
        seen.in_part += u64::from(in_part);
    }
    Ok(())
}

/// Returns the sets of sites to leave out: none, those of some memories, some of all, and a single one.
fn cases(loaded: &LoadedKernel, sites: &[SiteId], random: &mut Random) -> Vec<BTreeSet<SiteId>> {
    let memories = loaded.program.module.global_variables.len();
    let ignored: Vec<bool> = (0..memories).map(|_| random.chance(50)).collect();
    let of_memories = loaded.program.sites.accesses().filter(|(.., a)| ignored[a.global.index()]);
    let of_memories = of_memories.map(|(site, ..)| site).collect();
    let some = sites.iter().copied().filter(|_| random.chance(33)).collect();
    let mut cases = vec![BTreeSet::new(), of_memories, some];
    if !sites.is_empty() {
        cases.push(BTreeSet::from([*random.pick(sites)]));
    }
    cases
}

/// Checks that each access site is watched or has a reason, which is the given one unless another reason applied before.
fn answers(loaded: &LoadedKernel, plan: &WatchPlan, off: &BTreeSet<SiteId>) -> Result<(), String> {
    for (site, _, access) in loaded.program.sites.accesses() {
        let is_watched = plan.watches(site);
        let fitting = match plan.site(site) {
            Some(Ok(())) => is_watched && !off.contains(&site),
            Some(Err(NotWatched::ExcludedByRequest)) => !is_watched && off.contains(&site),
            Some(Err(reason)) => !is_watched && !reason.may_miss_races(),
            None => false,
        };
        let memory = plan.memory(access.global).ok_or_else(|| format!("{access:?}: no memory"))?;
        if !fitting || is_watched && memory.watched.is_err() {
            return Err(format!("{site:?} without {off:?}: {:?}", plan.site(site)));
        }
    }
    Ok(())
}

/// Returns what the native observers find under a plan; they must agree with each other and with the full history.
fn judge(
    kernel: &Kernel,
    loaded: &LoadedKernel,
    plan: &WatchPlan,
    races: &Races,
    way: RunOrder,
) -> Result<BTreeSet<Granule>, String> {
    let layout = loaded.layout_of(plan)?;
    let both = (Fsm::new(layout.clone(), shape(kernel)), Oracle::new(layout));
    loaded.run(way, &both)?;
    let found = granules(&both.0.racy());
    same(way, "the automaton and the oracle under a plan", &found, &granules(&both.1.racy()))?;
    let remain =
        |((first, _), (second, _)): &SiteActionPair| plan.watches(*first) && plan.watches(*second);
    let remaining = races.iter().filter(|(_, pairs)| pairs.iter().any(remain));
    let expected = remaining.map(|(granule, _)| *granule).collect();
    same(way, "the automaton under a plan and the full history", &found, &expected)?;
    Ok(found)
}

//! Selects launches that are worth a test: those that reach code no test reaches, and those that detect mutants no test
//! detects.
//!
//! Every proposed launch was run. If the source is not clean under a launch, the proposed test has no expected outputs;
//! buffers that depend on the schedule are not compared.

use super::launch_runner::LaunchRunner;
use super::point::{Point, points};
use super::proposal::{Parts, Proposal};
use super::search::draft::Draft;
use super::search::explore::{ReachingDraft, explore};
use super::search::kernel::{Kernel, Scope};
use crate::mutate::source::{Candidate, Source};
use hirace_core::cover::coverage::File;
use hirace_core::launch::spec::LaunchSpec;
use hirace_core::random::Random;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

/// The maximum number of mutant runs per kernel.
const ATTEMPTS: usize = 6000;

/// The number of further launches that are tried on mutants that no launch detects.
const FURTHER: usize = 150;

/// The input of a search for proposals.
pub struct ProposalRequest<'a> {
    /// The source.
    pub source: &'a Source,
    /// What tests run of the source, or `None` if no test launches it.
    pub coverage: Option<&'a File>,
    /// Mutants that no test detects.
    pub survivors: &'a [Candidate],
    /// The number of runs of a test on a mutant whose outcome may depend on the schedule.
    pub repeats: u32,
    /// Names of existing tests.
    pub names: &'a BTreeSet<String>,
    /// Launches of existing tests.
    pub given: &'a [LaunchSpec],
    /// Set by another thread to stop the search.
    pub stop: Option<&'a AtomicBool>,
}

/// The proposals for a kernel.
#[derive(Debug, Default)]
pub struct KernelProposals {
    /// What the kernel may run.
    pub scope: Scope,
    /// The proposed tests, those that gain most first.
    pub tests: Vec<Proposal>,
    /// The points that no test reaches.
    pub missing: BTreeSet<Point>,
    /// The points in `missing` that no tried launch reaches either.
    pub unreached_points: BTreeSet<Point>,
    /// The number of launches that were run.
    pub runs: usize,
    /// The number of launches that each remaining mutant was run under.
    pub tried_on_mutants: usize,
}

/// Proposes tests of a kernel.
pub fn propose(kernel: &Kernel, wanted: &ProposalRequest<'_>) -> KernelProposals {
    let scope = kernel.scope();
    let missing = missing(&scope, wanted.coverage);
    let (alphabet, seeds) = (kernel.alphabet(), seeds(kernel, wanted.given));
    let explored = explore(kernel, &alphabet, seeds, &missing, wanted.stop);
    let reached = |point: &Point| explored.found.iter().any(|found| found.points.contains(point));
    let unreached = missing.iter().filter(|point| !reached(point)).cloned().collect();
    let runs = explored.runs;
    let mut proposed = KernelProposals {
        scope,
        missing,
        unreached_points: unreached,
        runs,
        ..KernelProposals::default()
    };
    let mut bench = LaunchRunner::new(kernel, wanted.source, explored.limits, wanted.stop);
    let own = wanted.survivors.iter().filter(|survivor| proposed.scope.has(&survivor.mutant));
    let mut alive: Vec<&Candidate> = own.collect();
    let mut open: BTreeSet<Point> = proposed.missing.clone();
    let mut chosen: Vec<SelectedLaunch> = Vec::new();
    // Choose the launch that reaches most open points first.
    loop {
        let gain = |found: &&ReachingDraft| found.points.intersection(&open).count();
        let most = explored.found.iter().map(|found| gain(&found)).max().unwrap_or(0);
        let best = explored.found.iter().filter(|found| most > 0 && gain(found) == most);
        let Some(best) = best.max_by_key(|found| bench.is_clean(&found.draft)) else { break };
        let reaches: BTreeSet<Point> = best.points.intersection(&open).cloned().collect();
        open.retain(|point| !reaches.contains(point));
        chosen.push(SelectedLaunch { draft: best.draft.clone(), reaches, kills: BTreeSet::new() });
    }
    for one in &mut chosen {
        one.kills = bench.kills(&one.draft, &alive);
        alive.retain(|survivor| !one.kills.contains(&survivor.mutant.id));
    }
    // Then try launches found on the way, and variations of them, on the remaining mutants.
    let mut random = Random::new(0x7e57);
    let known = explored.found.iter().map(|found| found.draft.clone());
    let mut drafts: Vec<Draft> =
        known.filter(|draft| chosen.iter().all(|one| one.draft != *draft)).collect();
    if !explored.found.is_empty() {
        for _ in 0..FURTHER {
            let parent = &explored.found[random.below(explored.found.len())].draft;
            drafts.push(parent.changed(&alphabet, &mut random));
        }
    }
    for draft in drafts {
        if alive.is_empty() || bench.attempts() >= ATTEMPTS || bench.is_stopped() {
            break;
        }
        let kills = bench.kills(&draft, &alive);
        if !kills.is_empty() {
            alive.retain(|survivor| !kills.contains(&survivor.mutant.id));
            chosen.push(SelectedLaunch { draft, reaches: BTreeSet::new(), kills });
        }
    }
    proposed.tried_on_mutants = bench.launches();
    let chosen = without_idle(&mut bench, chosen, wanted.survivors);
    let names = (1..).map(|number| format!("{} {number}", kernel.entry));
    let names = names.filter(|name| !wanted.names.contains(name));
    let mut chosen: Vec<SelectedLaunch> = chosen
        .into_iter()
        .map(|mut one| {
            simplify(&mut bench, &mut one, wanted.survivors);
            one
        })
        .collect();
    bench.be_thorough(wanted.repeats);
    for one in &mut chosen {
        let kills: Vec<&Candidate> =
            wanted.survivors.iter().filter(|of| one.kills.contains(&of.mutant.id)).collect();
        one.kills = bench.kills(&one.draft, &kills);
    }
    for (one, name) in chosen.iter().filter(|one| one.gain() > 0).zip(names) {
        proposed.tests.push(to_proposal(&mut bench, one, name));
    }
    proposed.tests.sort_by_key(|test| {
        std::cmp::Reverse((test.rules.is_empty(), test.reaches.len() + test.kills.len()))
    });
    proposed
}

/// Returns the seeds of the search: launches of tests, and guessed launches.
fn seeds(kernel: &Kernel, given: &[LaunchSpec]) -> Vec<Draft> {
    let own = given.iter().filter(|spec| {
        spec.dispatches.is_empty() || spec.dispatches.iter().any(|of| of.entry == kernel.entry)
    });
    let own: Vec<LaunchSpec> = own.cloned().collect();
    let mut seeds = if own.is_empty() { Vec::new() } else { kernel.drafts(&own) };
    seeds.extend(kernel.drafts(&[]));
    seeds
}

/// Returns the points of a scope that no test reaches.
fn missing(scope: &Scope, coverage: Option<&File>) -> BTreeSet<Point> {
    let all = coverage.into_iter().flat_map(points).filter(|(_, count, _)| *count > 0);
    let ran: BTreeSet<Point> = all.map(|(point, ..)| point).collect();
    scope.points.difference(&ran).cloned().collect()
}

/// A launch that is worth a test.
struct SelectedLaunch {
    draft: Draft,
    reaches: BTreeSet<Point>,
    kills: BTreeSet<String>,
}

impl SelectedLaunch {
    fn gain(&self) -> usize {
        self.reaches.len() + self.kills.len()
    }
}

/// Removes launches whose gain others have too: later choices may make an earlier one redundant.
fn without_idle(
    bench: &mut LaunchRunner<'_>,
    mut chosen: Vec<SelectedLaunch>,
    survivors: &[Candidate],
) -> Vec<SelectedLaunch> {
    let shown: BTreeSet<String> = chosen.iter().flat_map(|one| one.kills.clone()).collect();
    let all: Vec<&Candidate> =
        survivors.iter().filter(|survivor| shown.contains(&survivor.mutant.id)).collect();
    if chosen.len() < 2 || all.is_empty() {
        return chosen;
    }
    for one in &mut chosen {
        one.kills = bench.kills(&one.draft, &all);
    }
    let (mut kept, mut left): (Vec<SelectedLaunch>, BTreeSet<String>) = (Vec::new(), shown);
    while !chosen.is_empty() {
        let gain = |one: &SelectedLaunch| one.reaches.len() + one.kills.intersection(&left).count();
        let nth =
            (0..chosen.len()).max_by_key(|nth| (gain(&chosen[*nth]), std::cmp::Reverse(*nth)));
        let Some(mut best) = nth.map(|nth| chosen.remove(nth)) else { break };
        best.kills = best.kills.intersection(&left).cloned().collect();
        if best.gain() == 0 {
            break;
        }
        left.retain(|id| !best.kills.contains(id));
        kept.push(best);
    }
    kept
}

/// Simplifies a launch as far as it keeps its gain.
fn simplify(bench: &mut LaunchRunner<'_>, one: &mut SelectedLaunch, survivors: &[Candidate]) {
    let kills: Vec<&Candidate> =
        survivors.iter().filter(|of| one.kills.contains(&of.mutant.id)).collect();
    let was_clean = bench.is_clean(&one.draft);
    let mut tries = 24;
    let mut simpler = one.draft.simpler();
    while let Some((draft, is_zeros)) = (!simpler.is_empty()).then(|| simpler.remove(0)) {
        if tries == 0 || bench.is_stopped() {
            return;
        }
        tries -= 1;
        let ran = bench.kernel.run(&draft, bench.coverage_limits, bench.stop);
        let reaches =
            |point| ran.as_ref().is_some_and(|ran| ran.ended && ran.points.contains(point));
        if one.reaches.iter().all(reaches)
            && bench.is_clean(&draft) >= was_clean
            && (!is_zeros || leaves_the_same(bench, &one.draft, &draft))
            && (kills.is_empty() || bench.kills(&draft, &kills).len() == kills.len())
        {
            simpler = draft.simpler();
            one.draft = draft;
        }
    }
}

/// Returns the proposal with its texts.
fn to_proposal(bench: &mut LaunchRunner<'_>, one: &SelectedLaunch, name: String) -> Proposal {
    let SelectedLaunch { draft, reaches, kills } = one;
    let judged = bench.judge(draft);
    let is_clean = judged.is_clean();
    let left = if is_clean { judged.output_contents(&judged.outputs) } else { Vec::new() };
    let parts = Parts { kernel: bench.kernel, draft, left: &left, name: &name, is_clean };
    Proposal {
        kernel: bench.kernel.entry.clone(),
        reaches: reaches.iter().cloned().collect(),
        kills: kills.iter().cloned().collect(),
        rules: judged.rules.iter().cloned().collect(),
        unsteady: judged.unsteady.clone(),
        command: parts.command(),
        toml: parts.toml(),
        rust: parts.rust(),
        name,
    }
}

/// Returns whether two launches leave the same contents in all outputs of the second.
fn leaves_the_same(bench: &mut LaunchRunner<'_>, one: &Draft, other: &Draft) -> bool {
    let (one, other) = (bench.judge(one), bench.judge(other));
    one.output_contents(&other.outputs) == other.output_contents(&other.outputs)
}

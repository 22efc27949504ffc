//! Which launches are worth a test: those that reach what no test does, and those that tell mutants from the source that no
//! test tells.
//!
//! What is proposed was run. A launch on which the source is not clean proposes no test of what it leaves; buffers that hang
//! on the order of things are not looked at.

use super::bench::Bench;
use super::left::{Left, left};
use super::point::{Point, points};
use super::proposal::{Parts, Proposal};
use super::search::alphabet::Alphabet;
use super::search::draft::Draft;
use super::search::explore::{Found, explore};
use super::search::kernel::Kernel;
use crate::mutate::source::{Candidate, Source};
use hirace_core::cover::Coverage;
use hirace_core::launch::spec::LaunchSpec;
use hirace_core::points::{Counts, Points};
use hirace_core::random::Random;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

/// How often mutants are run for a kernel, at most.
const ATTEMPTS: usize = 6000;

/// How many further launches are tried on mutants that no launch tells from the source.
const FURTHER: usize = 150;

/// What is looked for.
pub struct Wanted<'a> {
    /// The source.
    pub source: &'a Source,
    /// What tests run of it; nothing, if none launches it.
    pub coverage: Option<&'a hirace_core::cover::coverage::File>,
    /// Mutants that no test notices.
    pub survivors: &'a [Candidate],
    /// What tests are called already.
    pub names: &'a BTreeSet<String>,
    /// Launches of tests.
    pub given: &'a [LaunchSpec],
    /// Set by somebody else to stop.
    pub stop: Option<&'a AtomicBool>,
}

/// What was found for a kernel.
#[derive(Debug, Default)]
pub struct Proposed {
    /// Tests, those first that gain most.
    pub tests: Vec<Proposal>,
    /// What no test runs of it.
    pub missing: BTreeSet<Point>,
    /// Of that, what no launch that was tried reaches either.
    pub unreached: BTreeSet<Point>,
    /// How many launches were run.
    pub runs: usize,
    /// How many launches each mutant that is still not noticed was run in.
    pub tried_on_mutants: usize,
}

/// Proposes tests of a kernel.
pub fn propose(kernel: &Kernel, wanted: &Wanted<'_>) -> Proposed {
    let missing = missing(kernel, wanted.coverage);
    let explored = explore(kernel, seeds(kernel, wanted.given), &missing, wanted.stop);
    let reached = |point: &Point| explored.found.iter().any(|found| found.points.contains(point));
    let unreached = missing.iter().filter(|point| !reached(point)).cloned().collect();
    let mut proposed = Proposed { missing, unreached, runs: explored.runs, ..Proposed::default() };
    let mut bench = Bench::new(kernel, wanted.source, wanted.stop);
    let own = functions(kernel);
    let survivors = wanted.survivors.iter().filter(|survivor| {
        survivor.mutant.function.as_ref().is_none_or(|function| own.contains(function))
    });
    let mut alive: Vec<&Candidate> = survivors.collect();
    let mut open: BTreeSet<Point> = proposed.missing.clone();
    let mut chosen: Vec<Chosen> = Vec::new();
    // What reaches most first.
    loop {
        let gain = |found: &&Found| found.points.intersection(&open).count();
        let best =
            explored.found.iter().max_by_key(|found| (gain(found), bench.is_clean(&found.draft)));
        let Some(best) = best.filter(|best| gain(best) > 0) else { break };
        let reaches: BTreeSet<Point> = best.points.intersection(&open).cloned().collect();
        open.retain(|point| !reaches.contains(point));
        chosen.push(Chosen { draft: best.draft.clone(), reaches, kills: BTreeSet::new() });
    }
    for one in &mut chosen {
        one.kills = bench.kills(&one.draft, &alive);
        alive.retain(|survivor| !one.kills.contains(&survivor.mutant.id));
    }
    // Then launches that were found on the way, and others like them.
    let program = kernel.program(&kernel.given_overrides());
    let alphabet = program.map(|program| Alphabet::of(&program)).unwrap_or_default();
    let mut random = Random::new(0x7e57);
    let known = explored.found.iter().map(|found| found.draft.clone());
    let mut drafts: Vec<Draft> =
        known.filter(|draft| chosen.iter().all(|one| one.draft != *draft)).collect();
    let parents: Vec<&Found> = explored.found.iter().collect();
    if !parents.is_empty() {
        for _ in 0..FURTHER {
            let parent = &parents[random.below(parents.len())].draft;
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
            chosen.push(Chosen { draft, reaches: BTreeSet::new(), kills });
        }
    }
    proposed.tried_on_mutants = bench.launches();
    let chosen = without_idle(&mut bench, chosen, wanted.survivors);
    let names = (1..).map(|number| format!("{} {number}", kernel.entry));
    let names = names.filter(|name| !wanted.names.contains(name));
    for (mut one, name) in chosen.into_iter().zip(names) {
        simplify(&mut bench, &mut one, wanted.survivors);
        proposed.tests.push(written(&mut bench, &one, name));
    }
    proposed.tests.sort_by_key(|test| {
        std::cmp::Reverse((test.finds.is_empty(), test.reaches.len() + test.kills.len()))
    });
    proposed
}

/// Where the search begins: launches of tests, and guessed ones.
fn seeds(kernel: &Kernel, given: &[LaunchSpec]) -> Vec<Draft> {
    let own = given.iter().filter(|spec| {
        spec.dispatches.is_empty() || spec.dispatches.iter().any(|of| of.entry == kernel.entry)
    });
    let own: Vec<LaunchSpec> = own.cloned().collect();
    let mut seeds = if own.is_empty() { Vec::new() } else { kernel.drafts(&own) };
    seeds.extend(kernel.drafts(&[]));
    seeds
}

/// The kernel as a coverage in which nothing ran.
fn idle(kernel: &Kernel) -> Coverage {
    let Some(program) = kernel.program(&kernel.given_overrides()) else {
        return Coverage::default();
    };
    let counted = Points::of(&program);
    let entry = program.entries().find(|(_, name)| *name == kernel.entry).map(|(index, _)| index);
    let dispatches = entry.map(|index| (index, 1)).into_iter().collect();
    Coverage::of(&program, &counted, &Counts::none(&counted, true), &dispatches)
}

/// The functions that a kernel may run.
pub fn functions(kernel: &Kernel) -> BTreeSet<String> {
    let of = |coverage: Coverage| {
        let kernels = coverage.files.into_iter().flat_map(|file| file.kernels);
        kernels.filter(|one| one.name == kernel.entry).flat_map(|one| one.functions).collect()
    };
    of(idle(kernel))
}

/// What of a kernel no test runs.
fn missing(
    kernel: &Kernel,
    coverage: Option<&hirace_core::cover::coverage::File>,
) -> BTreeSet<Point> {
    let own = functions(kernel);
    let idle = idle(kernel);
    let files = idle.files.iter().filter(|file| file.file == kernel.file);
    let all = files.flat_map(points).filter(|(.., function)| own.contains(*function));
    let ran: BTreeSet<Point> = coverage
        .into_iter()
        .flat_map(points)
        .filter(|(_, count, _)| *count > 0)
        .map(|(point, ..)| point)
        .collect();
    all.map(|(point, ..)| point).filter(|point| !ran.contains(point)).collect()
}

/// A launch that is worth a test.
struct Chosen {
    draft: Draft,
    reaches: BTreeSet<Point>,
    kills: BTreeSet<String>,
}

impl Chosen {
    fn gain(&self) -> usize {
        self.reaches.len() + self.kills.len()
    }
}

/// Without those whose gain others have too: what was chosen for one mutant may not be needed for that by now.
fn without_idle(
    bench: &mut Bench<'_>,
    mut chosen: Vec<Chosen>,
    survivors: &[Candidate],
) -> Vec<Chosen> {
    let shown: BTreeSet<String> = chosen.iter().flat_map(|one| one.kills.clone()).collect();
    let all: Vec<&Candidate> =
        survivors.iter().filter(|survivor| shown.contains(&survivor.mutant.id)).collect();
    if chosen.len() < 2 || all.is_empty() {
        return chosen;
    }
    for one in &mut chosen {
        one.kills = bench.kills(&one.draft, &all);
    }
    let (mut kept, mut left): (Vec<Chosen>, BTreeSet<String>) = (Vec::new(), shown);
    while !chosen.is_empty() {
        let gain = |one: &Chosen| one.reaches.len() + one.kills.intersection(&left).count();
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

/// The simplest launch that gains the same.
fn simplify(bench: &mut Bench<'_>, one: &mut Chosen, survivors: &[Candidate]) {
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
        let ran = bench.kernel.run(&draft, bench.stop);
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

/// The proposal, with its texts.
fn written(bench: &mut Bench<'_>, one: &Chosen, name: String) -> Proposal {
    let Chosen { draft, reaches, kills } = one;
    let judged = bench.judge(draft);
    let is_clean = judged.runs && judged.rules.is_empty();
    let left = if is_clean { left_by(bench, draft, &judged.outputs) } else { Vec::new() };
    let parts = Parts { kernel: bench.kernel, draft, left: &left, name: &name, is_clean };
    Proposal {
        kernel: bench.kernel.entry.clone(),
        reaches: reaches.iter().cloned().collect(),
        kills: kills.iter().cloned().collect(),
        finds: judged.rules.into_iter().collect(),
        unsteady: judged.unsteady,
        command: parts.command(),
        toml: parts.toml(),
        rust: parts.rust(),
        name,
    }
}

/// Whether two launches leave the same in all that the second may write.
fn leaves_the_same(bench: &mut Bench<'_>, one: &Draft, other: &Draft) -> bool {
    let outputs = bench.judge(other).outputs;
    left_by(bench, one, &outputs) == left_by(bench, other, &outputs)
}

/// What a launch leaves in these buffers.
fn left_by(bench: &Bench<'_>, draft: &Draft, outputs: &[String]) -> Vec<Left> {
    let memory = bench.memory(draft);
    memory.map(|memory| left(&memory, outputs)).unwrap_or_default()
}

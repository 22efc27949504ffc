//! Which launches are worth a test: those that reach what no test does, and those that tell mutants from the source that no
//! test tells.
//!
//! What is proposed was run. A launch on which the source is not clean proposes no test of what it leaves; buffers that hang
//! on the order of things are not looked at.

use super::point::{Point, points};
use super::proposal::{Left, Parts, Proposal};
use super::search::alphabet::Alphabet;
use super::search::draft::{Draft, written};
use super::search::explore::{Found, explore};
use super::search::kernel::Kernel;
use crate::mutate::judge::{Attempt, Came, Limits, Mutated, Tests};
use crate::mutate::launches::{LaunchTest, Launches, written_by};
use crate::mutate::source::{Candidate, Source};
use hirace_core::check::Options;
use hirace_core::check::memory::FinalMemory;
use hirace_core::cover::Coverage;
use hirace_core::exec::embedded::Embedded;
use hirace_core::finding::fingerprint;
use hirace_core::ir::scalars::{Footprint, scalars};
use hirace_core::launch::number::Number;
use hirace_core::launch::spec::LaunchSpec;
use hirace_core::points::{Counts, Points};
use hirace_core::random::Random;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How often mutants are run for a kernel, at most.
const ATTEMPTS: usize = 6000;

/// How many further launches are tried on mutants that no launch tells from the source.
const FURTHER: usize = 150;

/// Under how many schedules a launch is run whose outcome may hang on them.
const SCHEDULES: u64 = 4;

/// Steps that a mutant may take at least.
const LEAST_STEPS: u64 = 100_000;

/// How long a launch of the source may take: what takes longer is no test to propose.
const LONGEST: Duration = Duration::from_secs(10);

/// No more numbers are written down as what a buffer is to hold.
const MOST_EXPECTED: usize = 256;

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
    let mut bench = Bench { kernel, wanted, attempts: 0, judged: BTreeMap::new() };
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
        if alive.is_empty() || bench.attempts >= ATTEMPTS || bench.is_stopped() {
            break;
        }
        let kills = bench.kills(&draft, &alive);
        if !kills.is_empty() {
            alive.retain(|survivor| !kills.contains(&survivor.mutant.id));
            chosen.push(Chosen { draft, reaches: BTreeSet::new(), kills });
        }
    }
    proposed.tried_on_mutants = bench.judged.len();
    let chosen = bench.without_idle(chosen, wanted.survivors);
    let names = (1..).map(|number| format!("{} {number}", kernel.entry));
    let names = names.filter(|name| !wanted.names.contains(name));
    for (mut one, name) in chosen.into_iter().zip(names) {
        bench.simplify(&mut one, wanted.survivors);
        proposed.tests.push(bench.written(&one, name));
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

/// What is known of the source under a launch.
#[derive(Clone, Debug, Default)]
struct Judged {
    /// Whether it can be a test: it ends, and in time.
    runs: bool,
    /// The rules of what is found on it.
    rules: BTreeSet<String>,
    /// Buffers that hang on the schedule.
    unsteady: Vec<String>,
    /// Those that do not, of what it may write.
    outputs: Vec<String>,
    /// Whether no schedule changes anything.
    steady: bool,
    /// The most steps of a dispatch.
    steps: u64,
}

/// Runs launches on the source and on mutants of it.
struct Bench<'a> {
    kernel: &'a Kernel,
    wanted: &'a Wanted<'a>,
    attempts: usize,
    judged: BTreeMap<String, Judged>,
}

impl Bench<'_> {
    fn is_stopped(&self) -> bool {
        self.wanted.stop.is_some_and(|stop| stop.load(std::sync::atomic::Ordering::Relaxed))
    }

    fn options(&self, draft: &Draft) -> Option<Options> {
        let spec = self.kernel.spec(draft).ok()?;
        let kernels = vec![self.kernel.entry.clone()];
        Some(Options { kernels, launches: vec![spec], ..Options::default() })
    }

    fn is_clean(&mut self, draft: &Draft) -> bool {
        let judged = self.judge(draft);
        judged.runs && judged.rules.is_empty()
    }

    /// What the source does under a launch.
    fn judge(&mut self, draft: &Draft) -> Judged {
        let key = format!("{draft:?}");
        if let Some(known) = self.judged.get(&key) {
            return known.clone();
        }
        let judged = self.judge_now(draft).unwrap_or_default();
        self.judged.insert(key, judged.clone());
        judged
    }

    fn judge_now(&self, draft: &Draft) -> Option<Judged> {
        let options = self.options(draft)?;
        let source = std::slice::from_ref(self.wanted.source);
        let launches = Launches::new(&Embedded, source, Vec::new(), self.wanted.stop);
        let limit = Limits { time: LONGEST, ..Limits::NONE };
        let run = |schedule| {
            let mut options = options.clone();
            options.launches.iter_mut().for_each(|launch| launch.give(schedule, limit.steps));
            launches.checked(0, &options).ok()
        };
        let first = run(0)?;
        let certain: BTreeSet<String> = rules(&first);
        let mut judged = Judged {
            runs: first.failures.is_empty() && first.ended(),
            rules: certain,
            steady: first.is_steady(),
            steps: first.steps(),
            ..Judged::default()
        };
        let memory = first.memories.first()?;
        judged.outputs = written_by(memory);
        if !judged.steady && judged.runs && judged.rules.is_empty() {
            for schedule in 1..=SCHEDULES {
                let other = run(schedule)?;
                judged.runs &= other.failures.is_empty() && other.ended();
                judged.rules.extend(rules(&other));
                let Some(after) = other.memories.first() else { continue };
                let differs =
                    |name: &String| memory.contents(name).ok() != after.contents(name).ok();
                let (unsteady, outputs) =
                    judged.outputs.into_iter().partition(|name| differs(name));
                judged.outputs = outputs;
                let unsteady: Vec<String> = unsteady;
                judged.unsteady.extend(unsteady);
            }
        }
        Some(judged)
    }

    /// Which of these mutants a test would notice that launches this and looks at what it leaves.
    fn kills(&mut self, draft: &Draft, alive: &[&Candidate]) -> BTreeSet<String> {
        let judged = self.judge(draft);
        let Some(options) = self.options(draft).filter(|_| judged.runs && judged.rules.is_empty())
        else {
            return BTreeSet::new();
        };
        let sources = std::slice::from_ref(self.wanted.source);
        let test = LaunchTest {
            golden: Some(judged.outputs.clone()),
            ..LaunchTest::launch("proposed".to_owned(), 0, options)
        };
        let launches = Launches::new(&Embedded, sources, vec![test], self.wanted.stop);
        let first = Attempt { mutant: None, schedule: 0, lenient: false, limits: &Limits::NONE };
        if launches.run(0, first).is_err() {
            return BTreeSet::new();
        }
        let steps = judged.steps.saturating_mul(10).saturating_add(LEAST_STEPS);
        let limits = Limits { time: LONGEST, steps: Some(steps), known: BTreeSet::new() };
        let schedules = if judged.steady { 1 } else { SCHEDULES };
        self.attempts += alive.len();
        let source = self.wanted.source;
        let is_killed = |survivor: &&&Candidate| {
            let text = source.with(survivor);
            let mutant = Some(Mutated { original: &source.hash, text: &text });
            (0..schedules).all(|schedule| {
                let attempt = Attempt { mutant, schedule, lenient: false, limits: &limits };
                let came = launches.run(0, attempt).map(|attempted| attempted.came);
                matches!(came, Ok(Came::Failed(_)))
            })
        };
        alive.par_iter().filter(is_killed).map(|survivor| survivor.mutant.id.clone()).collect()
    }

    /// Without those whose gain others have too: what was chosen for one mutant may not be needed for that by now.
    fn without_idle(&mut self, mut chosen: Vec<Chosen>, survivors: &[Candidate]) -> Vec<Chosen> {
        let shown: BTreeSet<String> = chosen.iter().flat_map(|one| one.kills.clone()).collect();
        let all: Vec<&Candidate> =
            survivors.iter().filter(|survivor| shown.contains(&survivor.mutant.id)).collect();
        if chosen.len() < 2 || all.is_empty() {
            return chosen;
        }
        for one in &mut chosen {
            one.kills = self.kills(&one.draft, &all);
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
    fn simplify(&mut self, one: &mut Chosen, survivors: &[Candidate]) {
        let kills: Vec<&Candidate> =
            survivors.iter().filter(|of| one.kills.contains(&of.mutant.id)).collect();
        let was_clean = self.is_clean(&one.draft);
        let mut tries = 24;
        let mut simpler = one.draft.simpler();
        let mut left: Option<Vec<Left>> = None;
        while let Some((draft, is_zeros)) = (!simpler.is_empty()).then(|| simpler.remove(0)) {
            if tries == 0 || self.is_stopped() {
                return;
            }
            tries -= 1;
            let ran = self.kernel.run(&draft, self.wanted.stop);
            let reaches =
                |point| ran.as_ref().is_some_and(|ran| ran.ended && ran.points.contains(point));
            if one.reaches.iter().all(reaches)
                && self.is_clean(&draft) >= was_clean
                && (!is_zeros || {
                    let outputs = self.judge(&draft).outputs;
                    let before = left.get_or_insert_with(|| self.left(&one.draft, &outputs));
                    *before == self.left(&draft, &outputs)
                })
                && (kills.is_empty() || self.kills(&draft, &kills).len() == kills.len())
            {
                simpler = draft.simpler();
                one.draft = draft;
                left = None;
            }
        }
    }

    /// The proposal, with its texts.
    fn written(&mut self, one: &Chosen, name: String) -> Proposal {
        let Chosen { draft, reaches, kills } = one;
        let judged = self.judge(draft);
        let is_clean = judged.runs && judged.rules.is_empty();
        let left = if is_clean { self.left(draft, &judged.outputs) } else { Vec::new() };
        let parts = Parts { kernel: self.kernel, draft, left: &left, name: &name, is_clean };
        Proposal {
            kernel: self.kernel.entry.clone(),
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

    /// What a launch leaves in these buffers.
    fn left(&self, draft: &Draft, outputs: &[String]) -> Vec<Left> {
        let source = std::slice::from_ref(self.wanted.source);
        let launches = Launches::new(&Embedded, source, Vec::new(), self.wanted.stop);
        let checked = self.options(draft).and_then(|options| launches.checked(0, &options).ok());
        let memory = checked.as_ref().and_then(|checked| checked.memories.first());
        let numbers = |name: &String| memory.and_then(|memory| numbers(memory, name));
        let digest = |name: &String| {
            memory
                .and_then(|memory| memory.contents(name).ok())
                .map(|all| fingerprint::digest(&all))
        };
        let left = outputs.iter().filter_map(|name| {
            Some(Left { name: name.clone(), numbers: numbers(name), digest: digest(name)? })
        });
        left.collect()
    }
}

/// What a buffer holds, as SPEC, if it is few numbers.
fn numbers(memory: &FinalMemory, name: &str) -> Option<String> {
    let bytes = memory.bytes(name).ok()?;
    let module = &memory.program.module;
    let mut variables = module.global_variables.iter();
    let (_, variable) = variables.find(|(_, one)| one.name.as_deref() == Some(name))?;
    let elements = Footprint::of(module, variable.ty).elements(u32::try_from(bytes.len()).ok()?);
    let mut all: Vec<Option<String>> = Vec::new();
    scalars(module, variable.ty, elements, &mut |slot| {
        let number = Number::read(slot, &bytes).filter(|number| number.to_f64().is_finite());
        all.push(number.map(|number| written(number, Some(slot.scalar))));
    });
    // What is no number cannot be written.
    let all = all.into_iter().collect::<Option<Vec<String>>>()?;
    match all.split_first() {
        Some((first, rest)) if rest.len() > 3 && rest.iter().all(|one| one == first) => {
            let length = Footprint::of(module, variable.ty).stride.map(|_| format!("{elements}:"));
            Some(format!("fill:{}{first}", length.unwrap_or_default()))
        }
        Some(_) if all.len() <= MOST_EXPECTED => Some(all.join(",")),
        _ => None,
    }
}

fn rules(checked: &hirace_core::check::Checked) -> BTreeSet<String> {
    let findings = checked.launches.iter().flat_map(|launch| &launch.findings);
    findings.map(|finding| finding.kind().code().to_owned()).collect()
}

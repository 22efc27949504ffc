//! Derives advice from facts, the most valuable first: current faults, tests that gain something, barriers, lines to
//! check, points that were not reached.

use super::condition::condition;
use super::point::{Point, PointKind as At, points};
use super::propose::{KernelProposals, ProposalRequest, propose};
use super::results::{
    Advice, AdviceKind, Audit, BarrierNeed, Change, Gain, Kernel as KernelResult,
};
use super::search::kernel::Kernel;
use crate::amplify::report::groups::groups;
use crate::amplify::report::words;
use crate::mutate::results::{Class, KillCause, Mutant, Results as Mutants, Status, Summary};
use crate::mutate::source::{Candidate, Source};
use hirace_core::amplify::results::Results as Schedules;
use hirace_core::cover::Coverage;
use hirace_core::cover::coverage::File;
use hirace_core::diagnostic::Result;
use hirace_core::launch::spec::LaunchSpec;
use hirace_core::report::finding_summary::FindingSummary;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

/// The facts that an audit is made from.
pub struct Facts {
    /// The coverage of the tests.
    pub coverage: Coverage,
    /// The outcomes of mutants.
    pub mutants: Mutants,
    /// The effect of schedules.
    pub schedules: Schedules,
    /// The findings on launches of the tests.
    pub found: Vec<FindingSummary>,
    /// The tests of the sources, each with its coverage.
    pub reached: Vec<(String, Coverage)>,
    /// The launches of the tests of each source, where they are known.
    pub launches: BTreeMap<String, Vec<LaunchSpec>>,
}

/// Audits the kernels of sources for which `wants` returns true. `heard` is called for each kernel before the search
/// for launches.
///
/// # Errors
/// A source that was read before can no longer be read.
pub fn audit(
    sources: &[Source],
    facts: Facts,
    wants: &(dyn Fn(&str) -> bool + Sync),
    stop: Option<&AtomicBool>,
    heard: &(dyn Fn(&str) + Sync),
) -> Result<Audit> {
    let Facts { coverage, mutants, schedules, mut found, reached, launches } = facts;
    found.sort();
    found.dedup();
    let mut audit = Audit { coverage, mutants, schedules, found, ..Audit::default() };
    audit.advice.extend(fault_advice(&audit));
    let around = AuditContext {
        audit: &audit,
        names: reached.iter().map(|(name, _)| name.clone()).collect(),
        reached: &reached,
        launches: &launches,
        wants,
        stop,
        progress: heard,
    };
    let of_sources: Result<Vec<SourceAudit>> =
        sources.par_iter().map(|source| around.source(source)).collect();
    let (mut tests, mut rest) = (Vec::new(), Vec::new());
    for mut of_source in of_sources? {
        audit.kernels.append(&mut of_source.kernels);
        tests.append(&mut of_source.tests);
        rest.append(&mut of_source.rest);
    }
    audit.stopped = stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
    audit.advice.extend(tests);
    audit.advice.extend(rest);
    audit.advice.sort_by_key(|advice| worth(&advice.action));
    Ok(audit)
}

/// Returns the sort key of a piece of advice: its kind, then its amount, largest first.
fn worth(what: &AdviceKind) -> (u8, Reverse<usize>) {
    match what {
        AdviceKind::Fix { .. } => (0, Reverse(0)),
        AdviceKind::Order { .. } => (1, Reverse(0)),
        AdviceKind::AddTest { test, gains } if test.rules.is_empty() => (2, Reverse(gains.len())),
        AdviceKind::AddTest { gains, .. } => (3, Reverse(gains.len())),
        AdviceKind::Barrier { .. } => (4, Reverse(0)),
        AdviceKind::Look { mutants, .. } => (5, Reverse(mutants.len())),
        AdviceKind::Reach { .. } => (6, Reverse(0)),
    }
}

/// The context for auditing sources.
struct AuditContext<'a> {
    audit: &'a Audit,
    /// The names of existing tests.
    names: BTreeSet<String>,
    reached: &'a [(String, Coverage)],
    launches: &'a BTreeMap<String, Vec<LaunchSpec>>,
    wants: &'a (dyn Fn(&str) -> bool + Sync),
    stop: Option<&'a AtomicBool>,
    progress: &'a (dyn Fn(&str) + Sync),
}

/// The result of auditing a source.
#[derive(Default)]
struct SourceAudit {
    kernels: Vec<KernelResult>,
    tests: Vec<Advice>,
    rest: Vec<Advice>,
}

impl AuditContext<'_> {
    fn source(&self, source: &Source) -> Result<SourceAudit> {
        let Self { audit, stop, .. } = *self;
        let mut of_source = SourceAudit::default();
        let file = audit.coverage.files.iter().find(|file| file.file == source.file);
        let survivors = survivors(source, &audit.mutants)?;
        let given = self.launches.get(&source.file).map_or(&[][..], Vec::as_slice);
        let (mut noticed, mut tried): (BTreeSet<String>, u64) = (BTreeSet::new(), 0);
        let mut unreached: BTreeMap<Point, (String, u64)> = BTreeMap::new();
        let mut reaches: BTreeSet<Point> = BTreeSet::new();
        for kernel in Kernel::all(source).into_iter().filter(|kernel| (self.wants)(&kernel.entry)) {
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                break;
            }
            (self.progress)(&format!("launches of {}", kernel.entry));
            let names = &self.names;
            let repeats = audit.mutants.repeats;
            let wanted = ProposalRequest {
                source,
                coverage: file,
                survivors: &survivors,
                repeats,
                names,
                given,
                stop,
            };
            let proposed = propose(&kernel, &wanted);
            for point in &proposed.unreached_points {
                let entry = unreached.entry(point.clone()).or_insert((kernel.entry.clone(), 0));
                entry.1 += proposed.runs as u64;
            }
            tried += proposed.tried_on_mutants as u64;
            let kernels = &mut of_source.kernels;
            kernels.push(audited(&kernel, source, file, &audit.mutants, self.reached, &proposed));
            for test in proposed.tests {
                noticed.extend(test.kills.iter().cloned());
                reaches.extend(test.reaches.iter().cloned());
                let gains = gains(&test, source, &survivors);
                of_source.tests.push(Advice {
                    file: source.file.clone(),
                    line: first_line(&gains),
                    kernel: Some(kernel.entry.clone()),
                    action: AdviceKind::AddTest { test: Box::new(test), gains },
                });
            }
        }
        // A point that a proposed launch of one kernel reaches need not be reached by another.
        let open: BTreeMap<&Point, &(String, u64)> =
            unreached.iter().filter(|(point, _)| !reaches.contains(point)).collect();
        let alive = survivors.iter().map(|of| &of.mutant);
        let alive: Vec<&Mutant> = alive.filter(|mutant| !noticed.contains(&mutant.id)).collect();
        let rest = &mut of_source.rest;
        rest.extend(barriers(source, &audit.mutants, &alive, tried));
        rest.extend(lines(source, &alive, tried));
        rest.extend(open.iter().filter(|(point, _)| is_next(point, &open, file)).map(
            |(point, (kernel, tried))| Advice {
                file: source.file.clone(),
                line: point.line,
                kernel: Some(kernel.clone()),
                action: AdviceKind::Reach {
                    point: (*point).clone(),
                    condition: condition(&source.text, point),
                    tried: *tried,
                },
            },
        ));
        Ok(of_source)
    }
}

/// Returns advice on certain findings, and on results that depend on the schedule. Neither depends on what the tests assert.
fn fault_advice(audit: &Audit) -> Vec<Advice> {
    let found = audit.found.iter().filter(|found| found.certain).map(|found| Advice {
        file: found.file.clone(),
        line: found.line,
        kernel: Some(found.kernel.clone()),
        action: AdviceKind::Fix { found: found.clone() },
    });
    let orders = groups(&audit.schedules).into_iter().filter_map(|group| {
        let counts = group.finding.counts() && group.launched.guessed.is_empty();
        let place = words::labels(group.finding, group.dispatched).into_iter().next();
        counts.then(|| Advice {
            file: place.as_ref().map_or(group.launched.file.clone(), |(at, _)| at.file.clone()),
            line: place.map_or(0, |(at, _)| at.line),
            kernel: Some(group.launched.kernel.clone()),
            action: AdviceKind::Order {
                test: group.test.name.clone(),
                message: words::message(group.finding, group.launched),
                schedule: group.finding.schedule.clone(),
            },
        })
    });
    found.chain(orders).collect()
}

/// Returns the mutants that no test detects, as candidates.
fn survivors(source: &Source, mutants: &Mutants) -> Result<Vec<Candidate>> {
    let is_open = |mutant: &&Mutant| {
        let status = mutant.status;
        let open = [Status::Survived, Status::NoCoverage, Status::Undecided].map(Some);
        // Mutants that the source declares as known need no advice.
        let is_known = mutant.directive.as_ref().is_some_and(|says| says.holds);
        mutant.file == source.file && open.contains(&status) && !is_known
    };
    let open: BTreeMap<&str, &Mutant> =
        mutants.mutants.iter().filter(is_open).map(|mutant| (&mutant.id[..], mutant)).collect();
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let mut all = source.selected_mutants(|mutant| open.contains_key(&mutant.id[..]))?;
    for candidate in &mut all {
        if let Some(judged) = open.get(&candidate.mutant.id[..]) {
            candidate.mutant = (*judged).clone();
        }
    }
    Ok(all)
}

fn audited(
    kernel: &Kernel,
    source: &Source,
    file: Option<&File>,
    mutants: &Mutants,
    reached: &[(String, Coverage)],
    proposed: &KernelProposals,
) -> KernelResult {
    let is_own = |mutant: &&Mutant| mutant.file == kernel.file && proposed.scope.has(mutant);
    let known = file
        .and_then(|file| Some((file, file.kernels.iter().find(|one| one.name == kernel.entry)?)));
    let launches = |coverage: &Coverage| {
        // A test of a command may name the file differently, so files are compared by hash.
        let is_it = |file: &&File| file.text.as_ref() == Some(&source.hash);
        let of_file = coverage.files.iter().filter(is_it);
        of_file
            .flat_map(|file| &file.kernels)
            .any(|one| one.name == kernel.entry && one.dispatches > 0)
    };
    let tests = reached.iter().filter(|(_, coverage)| launches(coverage)).map(|(name, _)| name);
    let missing = proposed.missing.len() as u64;
    KernelResult {
        file: kernel.file.clone(),
        name: kernel.entry.clone(),
        tests: tests.cloned().collect(),
        coverage: known.map(|(file, kernel)| file.summary_of(kernel)).unwrap_or_default(),
        mutants: Summary::of(mutants.mutants.iter().filter(is_own)),
        launches_tried: proposed.runs as u64,
        missing,
        reached: missing - proposed.unreached_points.len() as u64,
    }
}

fn change(mutant: &Mutant) -> Change {
    let Mutant { id, original, replacement, .. } = mutant;
    Change { id: id.clone(), original: original.clone(), replacement: replacement.clone() }
}

fn gains(test: &super::proposal::Proposal, source: &Source, survivors: &[Candidate]) -> Vec<Gain> {
    let reaches = test.reaches.iter().map(|point| Gain::Reaches {
        point: point.clone(),
        condition: condition(&source.text, point),
    });
    let notices = survivors.iter().filter(|of| test.kills.contains(&of.mutant.id));
    let notices =
        notices.map(|of| Gain::Notices { line: of.mutant.line, change: change(&of.mutant) });
    reaches.chain(notices).collect()
}

fn first_line(gains: &[Gain]) -> u32 {
    let line = |gain: &Gain| match gain {
        Gain::Reaches { point, .. } => point.line,
        Gain::Notices { line, .. } => *line,
    };
    gains.iter().map(line).min().unwrap_or(0)
}

fn deletes_barrier(mutant: &Mutant) -> bool {
    mutant.class == Class::Barrier && mutant.replacement.is_empty()
}

/// Returns advice on barriers whose removal changes no compared output, with the evidence from race checks.
fn barriers(source: &Source, mutants: &Mutants, alive: &[&Mutant], tried: u64) -> Vec<Advice> {
    let own = mutants.mutants.iter();
    let own = own.filter(|mutant| mutant.file == source.file && deletes_barrier(mutant));
    let advice = own.filter_map(|mutant| {
        let by = mutant.killed_by.as_ref();
        let needed = match by {
            Some(by) if by.cause == KillCause::Finding && mutant.by_outputs == Some(false) => {
                BarrierNeed::ByFindings { test: by.test.clone(), rules: by.rules.clone() }
            }
            None if alive.iter().any(|one| one.id == mutant.id) => BarrierNeed::ByNothing { tried },
            _ => return None,
        };
        Some(Advice {
            file: source.file.clone(),
            line: mutant.line,
            kernel: mutant.function.clone(),
            action: AdviceKind::Barrier { barrier: mutant.original.clone(), needed },
        })
    });
    advice.collect()
}

/// Returns advice on lines with mutants that no launch detects.
fn lines(source: &Source, alive: &[&Mutant], tried: u64) -> Vec<Advice> {
    let mut by_line: BTreeMap<u32, Vec<&Mutant>> = BTreeMap::new();
    for mutant in alive.iter().filter(|mutant| !deletes_barrier(mutant)) {
        by_line.entry(mutant.line).or_default().push(mutant);
    }
    let advice = by_line.into_iter().map(|(line, mutants)| Advice {
        file: source.file.clone(),
        line,
        kernel: mutants[0].function.clone(),
        action: AdviceKind::Look {
            // The first test detected the mutant sometimes, or covers most of its surroundings.
            nearest: mutants.iter().find_map(|mutant| mutant.reached_by.first().cloned()),
            mutants: mutants.iter().map(|mutant| change(mutant)).collect(),
            tried,
        },
    });
    advice.collect()
}

/// Returns whether advice names this unreached point. An arm or a loop case is named only if another arm of its branch, or another
/// case of its loop, is reached. Functions and barriers are always named.
fn is_next(point: &Point, open: &BTreeMap<&Point, &(String, u64)>, file: Option<&File>) -> bool {
    let Some(file) = file else { return false };
    let beside = |other: &Point| {
        let is_same = match (&point.what, &other.what) {
            (At::Arm { branch, index: nth, .. }, At::Arm { branch: of, index: n, .. }) => {
                of == branch && n == nth
            }
            (At::Iterations { .. }, At::Iterations { .. }) => true,
            _ => false,
        };
        is_same && (other.line, other.column) == (point.line, point.column)
    };
    match &point.what {
        At::Arm { .. } | At::Iterations { .. } => points(file)
            .iter()
            .any(|(other, count, _)| (*count > 0 || !open.contains_key(other)) && beside(other)),
        At::Function { .. } | At::Barrier => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutate::plan::Plan;
    use crate::mutate::select::Selection;
    use std::path::Path;

    #[test]
    fn an_audit_knows_the_mutants_that_a_mutation_run_judges() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels");
        let rules = std::fs::read_dir(folder.join("rules")).unwrap();
        let rules = rules.map(|entry| entry.unwrap().path());
        let rules = rules.filter(|path| path.to_string_lossy().ends_with(".clean.wgsl"));
        let others = ["src/append.rs", "src/histogram.rs", "src/upper_case.rs"];
        let mut count = 0;
        for path in rules.chain(others.map(|name| folder.join(name))) {
            let text = std::fs::read_to_string(&path).unwrap();
            let source = Source::new(&path.to_string_lossy(), &text).unwrap();
            let sources = [source];
            let plan = Plan::new(&sources, &[], &Selection::default()).unwrap();
            let mut mutants: Vec<Mutant> =
                plan.subjects.into_iter().map(|subject| subject.candidate.mutant).collect();
            // As if no test detected any of them.
            for mutant in &mut mutants {
                (mutant.status, mutant.directive) = (Some(Status::Survived), None);
            }
            let results = Mutants { mutants, ..Mutants::default() };
            let known = survivors(&sources[0], &results).unwrap();
            let id = |mutant: &Mutant| mutant.id.clone();
            let known: Vec<String> = known.iter().map(|of| id(&of.mutant)).collect();
            let judged: Vec<String> = results.mutants.iter().map(id).collect();
            assert_eq!(known, judged, "{}", path.display());
            count += known.len();
        }
        assert!(count > 500, "{count}");
    }
}

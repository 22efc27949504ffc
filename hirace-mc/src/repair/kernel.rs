//! Repairs of kernels: their candidate changes and the order in which to try them.

mod barriers;
mod call;
mod insertion_points;
mod orders;

use super::{CandidateResult, Change, Limits, Subject};
use crate::explore::{EventId, Exploration, FindingKind};
use crate::kernel::{Kernel, State};
use crate::program::Program as _;
use crate::report::results::{self, ChangeKind};
use barriers::class_of;
use hirace_core::edit::place::before;
use hirace_core::edit::{Edit, apply_edits};
use hirace_core::facts::BarrierClass;
use hirace_core::finding::suggest::edits::atomics::{self, AtomicEdits};
use hirace_core::ir::walk::FunctionId;
use hirace_core::program::Program;
use hirace_core::source_map::{SourceMap, Span};
use insertion_points::InsertionPoints;
use naga::{GlobalVariable, Handle};

/// The first finding in a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelFinding {
    kind: FindingKind,
    /// The spans of the finding, in the text that was explored.
    spans: Vec<Span>,
    /// The variable that racing accesses touch.
    variable: Option<Handle<GlobalVariable>>,
    /// Whether the invocations are in different workgroups, which no barrier orders.
    is_across: bool,
}

impl KernelFinding {
    /// Returns the first finding in the order of the text, so that it does not depend on the schedule of the
    /// exploration.
    pub fn of(kernel: &Kernel<'_>, explored: &Exploration<State>) -> Option<Self> {
        let scope_positions = kernel.invocations();
        let all = explored.findings.iter().map(|found| {
            let spans: Vec<Span> =
                found.sites.iter().map(|site| kernel.span(*site).unwrap_or_default()).collect();
            let accesses = found.events.iter().filter_map(|id| found.execution.event(*id));
            let location = accesses.filter_map(|event| event.operation.access()).next();
            let workgroup =
                |id: &EventId| scope_positions.get(id.invocation as usize).map(|of| of.workgroup);
            let mut workgroups = found.events.iter().map(workgroup);
            let first = workgroups.next();
            Self {
                kind: found.kind,
                spans,
                variable: location.and_then(|access| kernel.variable(access.location)),
                is_across: workgroups.any(|other| Some(other) != first),
            }
        });
        all.min_by_key(|spotted| (spotted.kind, spotted.spans.clone()))
    }
}

/// Compiles a text in the same way as the original, and explores it over the same launch. Returns `None` if the text is
/// invalid, or if the launch does not fit it.
pub type Explore<'a> = dyn Fn(&str) -> Option<CandidateResult<KernelFinding>> + 'a;

/// Searches for a repair of entry point `entry` of `program` that removes `found`.
pub fn repair(
    program: &Program,
    entry: usize,
    found: KernelFinding,
    limits: Limits<'_>,
    explore: &Explore<'_>,
) -> results::Repair {
    let reachable = program.calls.reachable([FunctionId::Entry(entry)]);
    let places = InsertionPoints::new(program, &reachable);
    let (mut changes, mut known) = (Vec::new(), Vec::new());
    for (what, change) in barriers::changes(program, &reachable, &places)
        .into_iter()
        .chain(orders::changes(program, &reachable))
        .chain(atomic_changes(program, entry, &reachable))
    {
        changes.push(change);
        known.push(what);
    }
    super::repair(&Repairable { program, entry, changes, known, places, explore }, found, limits)
}

/// Returns the changes that make memory of entry point `entry` atomic.
fn atomic_changes(
    program: &Program,
    entry: usize,
    reachable: &[FunctionId],
) -> Vec<(ChangeInfo, Change)> {
    let of = |made: AtomicEdits| {
        let AtomicEdits { variables, accesses, edits } = made;
        // The size is the number of changed source locations, so barriers are tried before this change.
        let change = Change { kind: ChangeKind::MakeAtomic, size: 1 + accesses, steps: 0, edits };
        let with_variable = move |variable| (ChangeInfo::Atomic(variable), change.clone());
        variables.into_iter().map(with_variable)
    };
    atomics::all_edits(program, entry, reachable).into_iter().flat_map(of).collect()
}

/// The properties of a change that decide its rank.
#[derive(Clone, Debug, PartialEq)]
enum ChangeInfo {
    /// Inserts a barrier of this class at this offset.
    Insert(BarrierClass, u32),
    /// Replaces the barrier at this span by one of this class. `is_needed` tells whether the memory that the barrier
    /// orders needs it.
    Replace { at: Span, class: BarrierClass, is_needed: bool },
    /// Removes the barrier at this span.
    Remove(Span),
    /// Moves the barrier at this span to this offset.
    Move(Span, u32),
    /// Strengthens the orders of the calls at these spans by a number of steps, or widens their scopes.
    Strengthen { spans: Vec<Span>, steps: u32, is_scope: bool },
    /// Makes this variable atomic.
    Atomic(Handle<GlobalVariable>),
}

struct Repairable<'a> {
    program: &'a Program,
    entry: usize,
    changes: Vec<Change>,
    known: Vec<ChangeInfo>,
    places: InsertionPoints,
    explore: &'a Explore<'a>,
}

impl Subject for Repairable<'_> {
    type Finding = KernelFinding;

    fn source(&self) -> &SourceMap {
        &self.program.source
    }

    fn changes(&self) -> &[Change] {
        &self.changes
    }

    fn changes_for(&self, found: &KernelFinding) -> Vec<usize> {
        let rank = |what: &ChangeInfo| match found.kind {
            FindingKind::DataRace | FindingKind::HeterogeneousRace => {
                self.against_race(found, what)
            }
            FindingKind::BarrierDivergence => self.against_divergence(found, what),
            FindingKind::Assertion => self.against_assertion(found, what),
            FindingKind::NoTermination => None,
        };
        let mut ranked: Vec<_> = self.known.iter().enumerate().collect();
        ranked.retain(|(_, what)| rank(what).is_some());
        ranked.sort_by_key(|(_, what)| rank(what));
        ranked.into_iter().map(|(index, _)| index).collect()
    }

    fn explore(&self, edits: &[Edit]) -> Option<CandidateResult<KernelFinding>> {
        let tried = (self.explore)(&apply_edits(self.source().text(), edits))?;
        let found = tried.found.map(|found| {
            let moved = |span: &Span| Span::new(before(edits, span.start), before(edits, span.end));
            KernelFinding { spans: found.spans.iter().map(moved).collect(), ..found }
        });
        Some(CandidateResult { found, ..tried })
    }
}

/// The rank of a change against a finding, lowest first: its kind, and its order within the kind.
type Rank = (u32, (bool, u32, u32));

const FIRST: (bool, u32, u32) = (false, 0, 0);

impl Repairable<'_> {
    fn against_race(&self, found: &KernelFinding, what: &ChangeInfo) -> Option<Rank> {
        let class = found.variable.map(|variable| class_of(self.program, variable));
        // Barriers do not order workgroups. However, several invocations of a workgroup may pass on what one of them
        // acquired.
        let hand_on = self.known.iter().any(|known| matches!(known, ChangeInfo::Strengthen { .. }))
            && self.program.module.entry_points[self.entry].workgroup_size != [1; 3];
        let orders = |of: BarrierClass| Some(of) == class && (hand_on || !found.is_across);
        Some(match what {
            ChangeInfo::Strengthen { .. } => (0, strengthened(found, what)?),
            ChangeInfo::Replace { class, is_needed: false, .. } if orders(*class) => (1, FIRST),
            ChangeInfo::Insert(class, at) if orders(*class) => {
                (2, self.places.rank(*at, &found.spans))
            }
            ChangeInfo::Replace { class, is_needed: true, .. } if orders(*class) => (3, FIRST),
            ChangeInfo::Atomic(variable) if Some(*variable) == found.variable => (4, FIRST),
            _ => return None,
        })
    }

    fn against_divergence(&self, found: &KernelFinding, what: &ChangeInfo) -> Option<Rank> {
        Some(match what {
            ChangeInfo::Remove(of) if found.spans.contains(of) => (0, FIRST),
            ChangeInfo::Move(of, at) if found.spans.contains(of) => {
                (1, self.places.rank(*at, &[*of]))
            }
            _ => return None,
        })
    }

    fn against_assertion(&self, found: &KernelFinding, what: &ChangeInfo) -> Option<Rank> {
        Some(match what {
            ChangeInfo::Strengthen { .. } => (0, strengthened(found, what)?),
            ChangeInfo::Insert(_, at) => (1, self.places.rank(*at, &found.spans)),
            ChangeInfo::Atomic(_) => (2, FIRST),
            _ => return None,
        })
    }
}

/// Returns the rank of a strengthening: a single call before several, calls at the finding first, scopes before orders.
fn strengthened(found: &KernelFinding, what: &ChangeInfo) -> Option<(bool, u32, u32)> {
    let ChangeInfo::Strengthen { spans, steps, is_scope } = what else { return None };
    let is_own = spans.iter().any(|span| found.spans.contains(span));
    Some((spans.len() > 1, u32::from(!is_own), 2 * steps + u32::from(!is_scope)))
}

impl Change {
    /// Creates a change of a single barrier.
    fn of_barrier(kind: ChangeKind, edits: Vec<Edit>) -> Self {
        Self { kind, size: 1, steps: 0, edits }
    }
}

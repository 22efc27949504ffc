//! What might repair a kernel.

mod atomics;
mod barriers;
mod declared;
mod places;
mod words;

use super::place::before;
use super::{Change, Limits, Subject, Tried};
use crate::explore::{EventId, Explored, FindingKind};
use crate::kernel::{Kernel, State};
use crate::program::Program as _;
use crate::report::results::{self, ChangeKind};
use barriers::class_of;
use hirace_core::edit::{Edit, edited};
use hirace_core::facts::Class;
use hirace_core::ir::walk::FunctionId;
use hirace_core::program::Program;
use hirace_core::source_map::{SourceMap, Span};
use naga::{GlobalVariable, Handle};
use places::Places;

/// What was found first in a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Spotted {
    kind: FindingKind,
    /// Where, in the text that was explored.
    spans: Vec<Span>,
    /// The memory of accesses that race.
    variable: Option<Handle<GlobalVariable>>,
    /// Whether those concerned are of several workgroups, which no barrier orders.
    is_across: bool,
}

impl Spotted {
    /// What was found first, in the order of the text, so that it does not hang on who came first.
    pub fn of(kernel: &Kernel<'_>, explored: &Explored<State>) -> Option<Self> {
        let whereabouts = kernel.invocations();
        let all = explored.findings.iter().map(|found| {
            let spans: Vec<Span> =
                found.sites.iter().map(|site| kernel.span(*site).unwrap_or_default()).collect();
            let accesses = found.events.iter().filter_map(|id| found.execution.event(*id));
            let location = accesses.filter_map(|event| event.operation.access()).next();
            let workgroup =
                |id: &EventId| whereabouts.get(id.invocation as usize).map(|of| of.workgroup);
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

/// Reads a text as the program was read, and explores it over the same launch; none, if it is no program, or another
/// than the launch is for.
pub type Explore<'a> = dyn Fn(&str) -> Option<Tried<Spotted>> + 'a;

/// Looks for a repair of entry point `entry` of `program`, in which that was found.
pub fn repair(
    program: &Program,
    entry: usize,
    found: Spotted,
    limits: Limits<'_>,
    explore: &Explore<'_>,
) -> results::Repair {
    let reachable = program.calls.reachable([FunctionId::Entry(entry)]);
    let places = Places::new(program, &reachable);
    let (mut changes, mut known) = (Vec::new(), Vec::new());
    for (what, change) in barriers::changes(program, &reachable, &places)
        .into_iter()
        .chain(atomics::changes(program, entry, &reachable))
    {
        changes.push(change);
        known.push(what);
    }
    super::repair(&Repairable { program, changes, known, places, explore }, found, limits)
}

/// What is known of a change.
#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    /// A barrier of this class is put there.
    Insert(Class, u32),
    /// That barrier becomes one of this class. Whether what it orders is memory that needs it.
    Replace { at: Span, class: Class, is_needed: bool },
    /// That barrier goes away.
    Remove(Span),
    /// That barrier goes there.
    Move(Span, u32),
    /// That memory becomes atomic.
    Atomic(Handle<GlobalVariable>),
}

struct Repairable<'a> {
    program: &'a Program,
    changes: Vec<Change>,
    known: Vec<What>,
    places: Places,
    explore: &'a Explore<'a>,
}

impl Subject for Repairable<'_> {
    type Found = Spotted;

    fn source(&self) -> &SourceMap {
        &self.program.source
    }

    fn changes(&self) -> &[Change] {
        &self.changes
    }

    fn against(&self, found: &Spotted) -> Vec<usize> {
        let class = found.variable.map(|variable| class_of(self.program, variable));
        let rank = |what: &What| -> Option<(u32, (bool, u32, u32))> {
            let nowhere = (false, 0, 0);
            match (found.kind, *what) {
                (FindingKind::DataRace | FindingKind::HeterogeneousRace, what) => match what {
                    What::Insert(of, at) if Some(of) == class && !found.is_across => {
                        Some((1, self.places.rank(at, &found.spans)))
                    }
                    What::Replace { class: of, is_needed, .. }
                        if Some(of) == class && !found.is_across =>
                    {
                        Some((if is_needed { 2 } else { 0 }, nowhere))
                    }
                    What::Atomic(variable) if Some(variable) == found.variable => {
                        Some((3, nowhere))
                    }
                    _ => None,
                },
                (FindingKind::BarrierDivergence, What::Remove(of)) if found.spans.contains(&of) => {
                    Some((0, nowhere))
                }
                (FindingKind::BarrierDivergence, What::Move(of, at))
                    if found.spans.contains(&of) =>
                {
                    Some((1, self.places.rank(at, &[of])))
                }
                (FindingKind::Assertion, What::Insert(_, at)) => {
                    Some((0, self.places.rank(at, &found.spans)))
                }
                (FindingKind::Assertion, What::Atomic(_)) => Some((1, nowhere)),
                _ => None,
            }
        };
        let mut ranked: Vec<_> = self.known.iter().enumerate().collect();
        ranked.retain(|(_, what)| rank(what).is_some());
        ranked.sort_by_key(|(_, what)| rank(what));
        ranked.into_iter().map(|(index, _)| index).collect()
    }

    fn explore(&self, edits: &[Edit]) -> Option<Tried<Spotted>> {
        let tried = (self.explore)(&edited(self.source().text(), edits))?;
        let found = tried.found.map(|found| {
            let moved = |span: &Span| Span::new(before(edits, span.start), before(edits, span.end));
            Spotted { spans: found.spans.iter().map(moved).collect(), ..found }
        });
        Some(Tried { found, ..tried })
    }
}

impl Change {
    /// One of a single barrier.
    fn of_barrier(kind: ChangeKind, edits: Vec<Edit>) -> Self {
        Self { kind, size: 1, edits }
    }
}

//! Conversion of explored programs to results.

use super::results::{
    Claim, Event, EventKind, FailedPostcondition, Finding, Kind, MemoryValue, Place,
    Program as Reported, Quantifier, Verdict,
};
use crate::explore::{self, EventId, Execution, Exploration, FindingKind, Outcome, Source};
use crate::kernel::Kernel;
use crate::litmus::{self, Test};
use crate::program::{Location, Operation, Program};
use hirace_core::source_map::{SourceMap, Span};
use rustc_hash::FxHashMap;

/// A program that reports can show.
pub trait Reportable: Program {
    /// Returns its source text.
    fn text(&self) -> &SourceMap;

    /// Returns the span of a site in the text.
    fn span_of(&self, site: u32) -> Option<Span>;

    /// Returns the name of a location in the source.
    fn name_of(&self, location: Location) -> String;

    /// Returns a postcondition that does not hold in an execution, by its number.
    fn unmet_in(
        &self,
        claim: u32,
        execution: &Execution<Self::State>,
    ) -> Option<FailedPostcondition> {
        let _ = (claim, execution);
        None
    }
}

impl Reportable for Test {
    fn text(&self) -> &SourceMap {
        self.source()
    }

    fn span_of(&self, site: u32) -> Option<Span> {
        Some(self.place(site)).filter(|span| !span.is_empty())
    }

    fn name_of(&self, location: Location) -> String {
        let cell = location.0.checked_sub(1).and_then(|index| self.locations.get(index as usize));
        cell.map_or_else(|| format!("[{}]", location.0), |cell| cell.name.clone())
    }
}

impl Reportable for Kernel<'_> {
    fn text(&self) -> &SourceMap {
        self.source()
    }

    fn span_of(&self, site: u32) -> Option<Span> {
        self.span(site)
    }

    fn name_of(&self, location: Location) -> String {
        self.name(location)
    }

    fn unmet_in(
        &self,
        claim: u32,
        execution: &Execution<Self::State>,
    ) -> Option<FailedPostcondition> {
        let claim = self.claim(claim)?;
        let seen = claim.unmet(&|location| self.final_value(execution, location))?;
        let held = seen.into_iter().map(|(location, number)| MemoryValue {
            memory: self.name(location),
            value: number.to_string(),
        });
        let line = claim.span.map(|span| self.source().position(span.start).line);
        Some(FailedPostcondition { claim: claim.text.clone(), line, memory: held.collect() })
    }
}

/// Returns the report of an explored program. `claim` is the outcome of its condition on final states.
pub fn program<P: Reportable>(
    program: &P,
    explored: &Exploration<P::State>,
    claim: Option<Claim>,
    name: &str,
) -> Reported {
    let findings: Vec<Finding> =
        explored.findings.iter().map(|found| finding(program, found)).collect();
    let verdict = match (explored.outcome, claim.as_ref().map(|claim| claim.holds)) {
        (_, Some(Some(false))) => Verdict::Violation,
        _ if !findings.is_empty() => Verdict::Violation,
        // If no execution ends, nothing has been shown about the program.
        _ if explored.executions == 0 => Verdict::Inconclusive,
        (Outcome::Bounded, _) => Verdict::Bounded,
        (Outcome::Complete, _) => Verdict::Verified,
        (Outcome::Stopped | Outcome::Inexpressible { .. }, _) => Verdict::Inconclusive,
    };
    Reported {
        file: program.text().name().to_owned(),
        name: name.to_owned(),
        verdict,
        invocations: program.invocations().len(),
        executions: explored.executions,
        blocked: explored.blocked,
        abandoned: explored.abandoned,
        claim,
        findings,
        source: Some(program.text().clone()),
        ..Reported::default()
    }
}

fn finding<P: Reportable>(program: &P, found: &explore::Finding<P::State>) -> Finding {
    let places = found.events.iter().zip(&found.sites);
    Finding {
        kind: match found.kind {
            FindingKind::DataRace => Kind::DataRace,
            FindingKind::HeterogeneousRace => Kind::HeterogeneousRace,
            FindingKind::BarrierDivergence => Kind::BarrierDivergence,
            FindingKind::Assertion => Kind::Assertion,
            FindingKind::NoTermination => Kind::NoTermination,
        },
        accesses: places.map(|(event, site)| place(program, event.invocation, *site)).collect(),
        unmet: found.claim.and_then(|claim| program.unmet_in(claim, &found.execution)),
        execution: execution(program, &found.execution),
        replay: None,
        weak: false,
    }
}

/// Returns the events of an execution, each after the write that it reads from.
pub fn execution<P: Reportable>(program: &P, execution: &Execution<P::State>) -> Vec<Event> {
    let numbers: FxHashMap<_, _> =
        execution.order.iter().enumerate().map(|(number, id)| (*id, number)).collect();
    let events = execution.order.iter().filter_map(|id| execution.event(*id));
    let shown = events.map(|event| {
        let does = match &event.operation {
            Operation::Read(_) => EventKind::Read,
            Operation::Write(..) => EventKind::Write,
            Operation::Update(..) => EventKind::Update,
            Operation::Barrier { .. } => EventKind::Barrier,
            Operation::AssertionFailure => EventKind::Fails,
            _ => EventKind::Fence,
        };
        let access = event.operation.access();
        let from = event.read.and_then(|(_, source)| match source {
            Source::Event(id) => numbers.get(&id).copied(),
            Source::Initial => None,
        });
        Event {
            place: place(program, event.id.invocation, event.site),
            kind: does,
            memory: access.map(|access| program.name_of(access.location)),
            atomic: access.is_some_and(|access| access.atomic.is_some()),
            read: event.read.map(|(value, _)| value),
            from,
            wrote: event.wrote,
        }
    });
    shown.collect()
}

fn place<P: Reportable>(program: &P, invocation: u32, site: u32) -> Place {
    let position = program.invocations().get(invocation as usize);
    let workgroup = position.map_or(0, |position| position.workgroup);
    let place = program.span_of(site).map(|span| at(program.text(), span)).unwrap_or_default();
    Place { invocation, workgroup, ..place }
}

/// Returns the source location of a span, without an invocation.
pub fn at(text: &SourceMap, span: Span) -> Place {
    let (start, end) = (text.position(span.start), text.position(span.end));
    Place {
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        code: text.snippet(span).to_owned(),
        ..Place::default()
    }
}

/// The evidence about the condition of a litmus test, collected over executions.
#[derive(Debug, Default)]
pub struct Tally {
    /// The number of complete executions that pass the filter.
    pub looked_at: u64,
    /// The number of those in which the condition holds.
    pub holding: u64,
    /// The smallest execution that decides the claim, whatever the order of the executions.
    pub witness: Vec<Event>,
    /// What identifies the witness, for comparison.
    witness_key: Option<WitnessKey>,
}

/// The number of events of an execution, the events with the sources of reads, and the coherence order.
type WitnessKey = (usize, Vec<(EventId, Option<Source>)>, Vec<(Location, Vec<EventId>)>);

fn witness_key(run: &Execution<litmus::State>) -> WitnessKey {
    let events = run.order.iter().map(|id| {
        let read = run.event(*id).and_then(|event| event.read);
        (*id, read.map(|(_, source)| source))
    });
    (run.order.len(), events.collect(), run.coherence.clone())
}

impl Tally {
    /// Adds an execution of a test.
    pub fn add(&mut self, test: &Test, claim: &litmus::Claim, run: &Execution<litmus::State>) {
        let memory = |index: usize| {
            let location = Location(index as u64 + 1);
            let found = run.memory.binary_search_by_key(&location, |(location, _)| *location);
            found.map_or_else(|_| test.initial(location), |at| run.memory[at].1)
        };
        let holds = |condition| test.holds(condition, &run.states, &memory);
        if !run.states.iter().all(litmus::State::has_ended)
            || !claim.filter.as_ref().is_none_or(holds)
        {
            return;
        }
        let holds = holds(&claim.condition);
        self.looked_at += 1;
        self.holding += u64::from(holds);
        if holds != (claim.quantifier == litmus::Quantifier::Always) {
            let key = witness_key(run);
            if self.witness_key.as_ref().is_none_or(|known| key < *known) {
                self.witness = execution(test, run);
                self.witness_key = Some(key);
            }
        }
    }

    /// Returns what is known about the claim. `all` says whether the exploration was exhaustive.
    pub fn claim(self, claim: &litmus::Claim, all: bool) -> Claim {
        let shown = !self.witness.is_empty()
            || self.holding > 0 && claim.quantifier != litmus::Quantifier::Always;
        let shown = shown
            || claim.quantifier == litmus::Quantifier::Always && self.holding < self.looked_at;
        let (quantifier, holds_if_shown) = match claim.quantifier {
            litmus::Quantifier::Exists => (Quantifier::Exists, true),
            litmus::Quantifier::Never => (Quantifier::NotExists, false),
            litmus::Quantifier::Always => (Quantifier::Forall, false),
        };
        let holds = match (shown, all) {
            (true, _) => Some(holds_if_shown),
            (false, true) => Some(!holds_if_shown),
            (false, false) => None,
        };
        Claim { quantifier, holds, holding: self.holding, execution: self.witness }
    }
}

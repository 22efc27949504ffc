//! Execution replay: finds an interleaving with the same behavior as an execution, that is, an order of its steps in
//! which each read returns the last write, if there is one. The engine runs the steps in that order and records the
//! choices with which the run can be reproduced.

use super::{Kernel, State};
use crate::explore::{Event, EventId, Execution, Source};
use crate::program::{Operation, Program, Scope};
use hirace_core::vm::interleave::{Choices, Chooser, EnabledUnits, Stepper, Unit};
use hirace_core::vm::observer::NoObserver;
use hirace_core::vm::run::Options;
use hirace_core::vm::schedule::{Limits, Schedule};
use rustc_hash::{FxHashMap, FxHashSet};

/// A step of the machine: an event, or the events of all pieces of one access.
struct Node {
    invocation: u32,
    /// Whether the engine chooses which invocation takes this step; otherwise the step follows by itself.
    is_step: bool,
}

/// The nodes of an execution.
#[derive(Default)]
struct Nodes {
    /// The steps in program order, one invocation after the other.
    list: Vec<Node>,
    of: FxHashMap<EventId, usize>,
    /// Plain reads whose results are unused: the rest of the execution does not depend on their values.
    free: FxHashSet<EventId>,
}

impl Nodes {
    /// Returns the previous node in program order.
    fn before(&self, node: usize) -> Option<usize> {
        let before = node.checked_sub(1)?;
        (self.list[before].invocation == self.list[node].invocation).then_some(before)
    }
}

/// The error that no interleaving has the same behavior as an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weak;

impl Kernel<'_> {
    /// Returns the choices of an interleaving with the same behavior as `execution`, up to its end.
    ///
    /// # Errors
    /// Returns [`Weak`] if no interleaving has the same behavior. Returns `None` if the engine cannot follow the
    /// interleaving: it continues past barriers that not all invocations reach.
    pub fn interleaving(&self, execution: &Execution<State>) -> Result<Choices, Option<Weak>> {
        let nodes = self.nodes(execution);
        let order = in_order(&nodes.list, &self.edges(execution, &nodes)).ok_or(Some(Weak))?;
        let steps = order.into_iter().filter(|node| nodes.list[*node].is_step);
        let units = steps.map(|node| Unit(nodes.list[node].invocation)).collect();
        self.stepped(units).ok_or(None)
    }

    /// Returns the nodes. Runs each invocation again to see which of its events are pieces of one access.
    fn nodes(&self, execution: &Execution<State>) -> Nodes {
        let mut nodes = Nodes::default();
        for (invocation, events) in execution.events.iter().enumerate() {
            let Some(last) = events.last() else { continue };
            let mut state = Some(self.start(invocation));
            let (mut answer, mut under_way) = (None, None);
            for index in 0..=last.id.index {
                let id = EventId { invocation: invocation as u32, index };
                let event = execution.event(id);
                if let Some(state) = &mut state {
                    self.step(invocation, state, answer);
                    let is_plain_read = |event: &Event| match event.operation {
                        Operation::Read(access) => access.atomic.is_none(),
                        _ => false,
                    };
                    if event.is_some_and(is_plain_read) && self.is_result_unused(invocation, state)
                    {
                        nodes.free.insert(id);
                    }
                }
                let node = under_way.take().unwrap_or_else(|| {
                    // A read that has no answer yet is a step, too.
                    let is_step = event.is_none_or(|event| event.operation.access().is_some());
                    nodes.list.push(Node { invocation: id.invocation, is_step });
                    nodes.list.len() - 1
                });
                nodes.of.insert(id, node);
                match event {
                    Some(event) => answer = event.read.map(|(value, _)| value),
                    None => state = None,
                }
                if state.as_ref().is_some_and(|state| !state.is_last_piece()) {
                    under_way = Some(node);
                }
            }
        }
        nodes
    }

    /// Returns the edges of the order on nodes.
    fn edges(&self, execution: &Execution<State>, nodes: &Nodes) -> Vec<(usize, usize)> {
        let node = |id: &EventId| nodes.of.get(id).copied();
        let mut edges: Vec<(usize, usize)> =
            (0..nodes.list.len()).filter_map(|after| Some((nodes.before(after)?, after))).collect();
        let mut next = FxHashMap::default();
        for (location, writes) in &execution.coherence {
            let before =
                std::iter::once(Source::Initial).chain(writes.iter().copied().map(Source::Event));
            next.extend(before.zip(writes).map(|(source, write)| ((*location, source), *write)));
            edges
                .extend(writes.windows(2).filter_map(|two| Some((node(&two[0])?, node(&two[1])?))));
        }
        let mut meetings: FxHashMap<(Scope, u32, usize), Vec<usize>> = FxHashMap::default();
        for event in execution.events.iter().flatten() {
            let Some(own) = node(&event.id) else { continue };
            if nodes.free.contains(&event.id) {
                continue;
            }
            if let (Some((_, source)), Some(access)) = (event.read, event.operation.access()) {
                if let Source::Event(write) = source {
                    edges.extend(node(&write).map(|write| (write, own)));
                }
                let overwritten = next.get(&(access.location, source)).and_then(node);
                edges.extend(overwritten.map(|write| (own, write)));
            }
        }
        for (events, position) in execution.events.iter().zip(self.invocations()) {
            let mut counts: FxHashMap<Scope, usize> = FxHashMap::default();
            for event in events {
                let Operation::Barrier { group: waits, .. } = event.operation else { continue };
                let group = match waits {
                    Scope::Subgroup => position.subgroup,
                    _ => position.workgroup,
                };
                let count = counts.entry(waits).or_default();
                meetings.entry((waits, group, *count)).or_default().extend(node(&event.id));
                *count += 1;
            }
        }
        // No invocation passes a barrier before all have reached it.
        for meeting in meetings.values() {
            for before in meeting.iter().filter_map(|node| nodes.before(*node)) {
                edges.extend(meeting.iter().map(|after| (before, *after)));
            }
        }
        edges.retain(|(before, after)| before != after);
        edges
    }

    /// Returns the choices of the run in which these units take one step each, in this order, or `None` if one of them
    /// cannot.
    fn stepped(&self, units: Vec<Unit>) -> Option<Choices> {
        let options = Options {
            workgroups: self.workgroups,
            subgroup_size: self.subgroup_size,
            schedule: Schedule::default(),
            limits: Limits { steps: self.bounds.steps, ..Limits::default() },
            parallel: false,
            stop: None,
        };
        let mut stepper = Stepper::new(self.code, self.resources, &options).ok()?;
        let mut follow = Follow { units: units.into_iter(), strayed: false };
        let stepped = stepper.run(&mut follow, &NoObserver);
        (!follow.strayed && follow.units.len() == 0).then_some(stepped.choices)
    }
}

/// A chooser that follows a list of units, and then the default order.
struct Follow {
    units: std::vec::IntoIter<Unit>,
    /// Whether one of the units could not take a step.
    strayed: bool,
}

impl Chooser for Follow {
    fn next(&mut self, enabled: &EnabledUnits) -> Unit {
        match self.units.next() {
            Some(unit) if enabled.contains(unit) => unit,
            Some(_) => {
                self.strayed = true;
                enabled.of_choice(0)
            }
            None => enabled.of_choice(0),
        }
    }
}

/// Returns a topological order of the nodes in which an invocation continues while it can, or `None` if there is a
/// cycle.
fn in_order(nodes: &[Node], edges: &[(usize, usize)]) -> Option<Vec<usize>> {
    let mut waits_for = vec![0usize; nodes.len()];
    let mut after = vec![Vec::new(); nodes.len()];
    for &(before, node) in edges {
        waits_for[node] += 1;
        after[before].push(node);
    }
    let mut ready: Vec<usize> = (0..nodes.len()).filter(|&node| waits_for[node] == 0).collect();
    let mut order: Vec<usize> = Vec::new();
    while !ready.is_empty() {
        let last = order.last().map(|&last: &usize| nodes[last].invocation);
        let goes_on = ready.iter().position(|&node| Some(nodes[node].invocation) == last);
        let node = ready.remove(goes_on.unwrap_or(0));
        order.push(node);
        for &later in &after[node] {
            waits_for[later] -= 1;
            if waits_for[later] == 0 {
                ready.push(later);
            }
        }
    }
    (order.len() == nodes.len()).then_some(order)
}

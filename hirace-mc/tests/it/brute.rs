//! Brute-force enumeration of the executions of a small program: every path of each invocation for every possible
//! answer to its reads, every reads-from relation and every coherence order. The candidates that satisfy the axioms are
//! the executions.

use crate::axioms::Candidate;
use crate::relation::Rel;
use crate::script::Script;
use hirace_mc::explore::{EventId, Source};
use hirace_mc::model::Model;
use hirace_mc::program::{Access, Class, Operation, Program, Update, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The identity of an execution: the answers and their sources per invocation, and the coherence order.
pub type Key = (Vec<Vec<(Value, Source)>>, Vec<(u64, Vec<EventId>)>);

/// An event of a path.
#[derive(Clone, Debug)]
pub struct Event {
    pub id: EventId,
    pub operation: Operation,
    pub depends: Vec<u32>,
    pub read: Option<Value>,
    pub wrote: Option<Value>,
    pub site: u32,
}

/// A path of an invocation: its events for one sequence of answers.
type Path = Vec<Event>;

/// The executions and findings of a program.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub executions: BTreeSet<Key>,
    pub data_races: BTreeSet<[u32; 2]>,
    pub heterogeneous_races: BTreeSet<[u32; 2]>,
    pub failures: BTreeSet<u32>,
}

/// Returns the access of an event, if it makes one.
pub fn access(event: &Event) -> Option<&Access> {
    match &event.operation {
        Operation::Read(access) | Operation::Write(access, _) | Operation::Update(access, _) => {
            Some(access)
        }
        _ => None,
    }
}

/// Returns all paths of an invocation, for all answers below two to the power of the script's `bits`.
fn paths(script: &Script, invocation: usize) -> Vec<Path> {
    let mut state = script.start(invocation);
    let step = script.step(invocation, &mut state, None);
    let mut out = Vec::new();
    let mut left = vec![(state, step, Vec::new())];
    while let Some((state, step, path)) = left.pop() {
        let id = EventId { invocation: invocation as u32, index: path.len() as u32 };
        let answers = match step.operation {
            Operation::Read(_) | Operation::Update(..) => (0..1 << script.bits).map(Some).collect(),
            Operation::End => {
                out.push(path);
                continue;
            }
            _ => vec![None],
        };
        for answer in answers {
            let wrote = match (&step.operation, answer) {
                (Operation::Write(_, value), _) => Some(*value),
                (Operation::Update(_, Update::Add(value, _)), Some(found)) => {
                    Some(script.masked(found + value))
                }
                (Operation::Update(_, Update::Exchange(value)), _) => Some(*value),
                (
                    Operation::Update(_, Update::CompareExchange { expected, with, .. }),
                    Some(found),
                ) => (found == *expected).then_some(*with),
                _ => None,
            };
            let (mut operation, depends) = (step.operation.clone(), step.depends.clone());
            if let Operation::Update(access, Update::CompareExchange { failed, .. }) =
                &mut operation
                && wrote.is_none()
                && let Some(atomic) = &mut access.atomic
            {
                atomic.order = *failed;
            }
            let event = Event { id, operation, depends, read: answer, wrote, site: step.site };
            let mut state = state.clone();
            let next = script.step(invocation, &mut state, answer);
            left.push((state, next, path.iter().cloned().chain([event]).collect()));
        }
    }
    out
}

/// Returns all executions of `script` and their findings, or `None` if there are more than `most` candidates.
pub fn enumerate(script: &Script, model: Model, most: u64) -> Option<Found> {
    let all: Vec<Vec<Path>> = (0..script.code.len()).map(|number| paths(script, number)).collect();
    let mut found = Found::default();
    let mut budget = most;
    let mut chosen: Vec<&Path> = Vec::new();
    product(script, model, &all, &mut chosen, &mut found, &mut budget)?;
    Some(found)
}

fn product<'a>(
    script: &'a Script,
    model: Model,
    all: &'a [Vec<Path>],
    chosen: &mut Vec<&'a Path>,
    found: &mut Found,
    budget: &mut u64,
) -> Option<()> {
    if chosen.len() < all.len() {
        for path in &all[chosen.len()] {
            chosen.push(path);
            product(script, model, all, chosen, found, budget)?;
            chosen.pop();
        }
        return Some(());
    }
    let events: Vec<&Event> = chosen.iter().flat_map(|path| path.iter()).collect();
    // A read of a value needs a write of that value.
    let mut sources: Vec<(usize, Vec<Option<usize>>)> = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let (Some(access), Some(value)) = (access(event), event.read) else { continue };
        let location = access.location;
        let writes = |other: &&Event| {
            other.id != event.id
                && other.wrote == Some(value)
                && self::access(other).is_some_and(|a| a.location == location)
        };
        let mut from: Vec<Option<usize>> =
            events.iter().enumerate().filter(|(_, e)| writes(e)).map(|(at, _)| Some(at)).collect();
        from.extend((value == 0).then_some(None));
        if from.is_empty() {
            return Some(());
        }
        sources.push((at, from));
    }
    let mut written: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (at, event) in events.iter().enumerate() {
        if let (Some(access), Some(_)) = (access(event), event.wrote) {
            written.entry(access.location.0).or_default().push(at);
        }
    }
    let orders: Vec<Vec<Vec<usize>>> =
        written.values().map(|writes| permutations(writes)).collect();
    let mut matchings: Vec<Vec<Option<usize>>> = vec![Vec::new()];
    for (_, from) in &sources {
        matchings = matchings
            .iter()
            .flat_map(|m| from.iter().map(|&f| m.iter().copied().chain([f]).collect()))
            .collect();
    }
    let mut coherences: Vec<Vec<&Vec<usize>>> = vec![Vec::new()];
    for orders in &orders {
        coherences = coherences
            .iter()
            .flat_map(|c| orders.iter().map(|o| c.iter().copied().chain([o]).collect()))
            .collect();
    }
    for matching in &matchings {
        for coherence in &coherences {
            *budget = budget.checked_sub(1)?;
            judge(script, model, &events, &sources, matching, coherence, found);
        }
    }
    Some(())
}

fn judge(
    script: &Script,
    model: Model,
    events: &[&Event],
    sources: &[(usize, Vec<Option<usize>>)],
    matching: &[Option<usize>],
    coherence: &[&Vec<usize>],
    found: &mut Found,
) {
    let located = |event: &Event| access(event).map(|access| access.location.0);
    let locations: BTreeSet<u64> = events.iter().filter_map(|event| located(event)).collect();
    let first = locations.len();
    let all: Vec<Option<&Event>> =
        locations.iter().map(|_| None).chain(events.iter().map(|&e| Some(e))).collect();
    let loc: Vec<Option<u64>> = locations
        .iter()
        .map(|&l| Some(l))
        .chain(events.iter().map(|event| located(event)))
        .collect();
    let n = all.len();
    let pair = |a: usize, b: usize| Some((all[a]?, all[b]?));
    let po = Rel::of(n, |a, b| match pair(a, b) {
        Some((x, y)) => x.id.invocation == y.id.invocation && x.id.index < y.id.index,
        None => all[a].is_none() && all[b].is_some() && model != Model::Wgsl,
    });
    let mut rf = Rel::of(n, |_, _| false);
    for ((read, _), from) in sources.iter().zip(matching) {
        let initial =
            locations.iter().position(|&l| Some(l) == located(events[*read])).unwrap_or(0);
        rf.0[from.map_or(initial, |from| from + first)][read + first] = true;
    }
    let mut co = Rel::of(n, |_, _| false);
    for order in coherence {
        for (at, &write) in order.iter().enumerate() {
            let initial = (0..first).find(|&i| loc[i] == located(events[write])).unwrap_or(0);
            co.0[initial][write + first] = true;
            order[at + 1..].iter().for_each(|&later| co.0[write + first][later + first] = true);
        }
    }
    // The k-th barrier of an invocation is the k-th barrier of its workgroup.
    let passed = |event: &Event, number: usize| {
        let barrier = |e: &&&Event| {
            e.id.invocation == event.id.invocation
                && matches!(e.operation, Operation::Barrier { .. })
        };
        events
            .iter()
            .filter(barrier)
            .nth(number)
            .map(|barrier| (barrier.id.index, barrier.operation.clone()))
    };
    let meeting = |a: usize, b: usize, class: Option<Class>| {
        let Some((x, y)) = pair(a, b) else { return false };
        let place = |event: &Event| script.scope_positions[event.id.invocation as usize].workgroup;
        place(x) == place(y)
            && (0..2).any(|number| {
                let (Some((before, operation)), Some((after, _))) =
                    (passed(x, number), passed(y, number))
                else {
                    return false;
                };
                let Operation::Barrier { orders, .. } = operation else { return false };
                let orders = class.is_none_or(|class| orders.is_some_and(|o| o.orders.has(class)));
                x.id.index < before && after < y.id.index && orders
            })
    };
    let barriers = [0, 1].map(|class| Rel::of(n, |a, b| meeting(a, b, Some(Class(class)))));
    let meets = Rel::of(n, |a, b| meeting(a, b, None));
    let candidate = Candidate { script, events: all.clone(), loc, po, rf, co, barriers, meets };
    let Some(before) = candidate.judged(model) else { return };
    let mut answers: Vec<Vec<(Value, Source)>> = vec![Vec::new(); script.code.len()];
    for ((read, _), from) in sources.iter().zip(matching) {
        let source = from.map_or(Source::Initial, |from| Source::Event(events[from].id));
        answers[events[*read].id.invocation as usize]
            .push((events[*read].read.unwrap_or(0), source));
    }
    let order = |order: &&Vec<usize>| {
        let location = located(events[order[0]]).unwrap_or(0);
        (location, order.iter().map(|&write| events[write].id).collect())
    };
    assert!(
        found.executions.insert((answers, coherence.iter().map(order).collect())),
        "each candidate is enumerated once"
    );
    let incl = candidate.incl();
    for a in first..n {
        for b in first..a {
            let Some((x, y)) = pair(a, b) else { continue };
            let conflict = candidate.same_loc(a, b) && (candidate.writes(a) || candidate.writes(b));
            if !conflict
                || before.has(a, b)
                || before.has(b, a)
                || x.id.invocation == y.id.invocation
            {
                continue;
            }
            let mut sites = [x.site, y.site];
            sites.sort_unstable();
            if !candidate.atomic(a) || !candidate.atomic(b) {
                found.data_races.insert(sites);
            } else if model != Model::Sc && !incl.has(a, b) {
                found.heterogeneous_races.insert(sites);
            }
        }
    }
    let failures = events.iter().filter(|event| event.operation == Operation::AssertionFailure);
    found.failures.extend(failures.map(|event| event.site));
}

fn permutations(of: &[usize]) -> Vec<Vec<usize>> {
    let Some((&last, rest)) = of.split_last() else { return vec![Vec::new()] };
    let into = |order: Vec<usize>| {
        (0..=order.len()).map(move |at| {
            let mut order = order.clone();
            order.insert(at, last);
            order
        })
    };
    permutations(rest).into_iter().flat_map(into).collect()
}

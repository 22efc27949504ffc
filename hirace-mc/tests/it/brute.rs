//! All executions of a small program by enumeration: every path of each invocation for every answer that its reads
//! might get, every way to match reads with writes, every coherence order; and of these the ones of which the axioms
//! hold, as they are written, on matrices of truth values.

use crate::relation::Rel;
use crate::script::Script;
use hirace_mc::explore::{EventId, Source};
use hirace_mc::model::Model;
use hirace_mc::program::{Access, Class, Operation, Order, Program, Scope, Update, Value};
use std::collections::{BTreeMap, BTreeSet};

/// What makes an execution that one: of each invocation, its answers and their sources; the coherence order.
pub type Key = (Vec<Vec<(Value, Source)>>, Vec<(u64, Vec<EventId>)>);

#[derive(Clone, Debug)]
struct Event {
    id: EventId,
    operation: Operation,
    depends: Vec<u32>,
    read: Option<Value>,
    wrote: Option<Value>,
    site: u32,
}

/// A path of an invocation: what it does for some answers, and whether it stands at a barrier to go on from.
type Path = Vec<Event>;

/// What holds of all executions of a program.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub executions: BTreeSet<Key>,
    pub data_races: BTreeSet<[u32; 2]>,
    pub heterogeneous_races: BTreeSet<[u32; 2]>,
    pub failures: BTreeSet<u32>,
}

fn access(event: &Event) -> Option<&Access> {
    match &event.operation {
        Operation::Read(access) | Operation::Write(access, _) | Operation::Update(access, _) => {
            Some(access)
        }
        _ => None,
    }
}

fn order(event: &Event) -> Option<Order> {
    match &event.operation {
        Operation::Fence(atomic) => Some(atomic.order),
        _ => access(event)?.atomic.map(|atomic| atomic.order),
    }
}

fn scope(event: &Event) -> Option<Scope> {
    match &event.operation {
        Operation::Fence(atomic) => Some(atomic.scope),
        _ => access(event)?.atomic.map(|atomic| atomic.scope),
    }
}

/// All paths of an invocation, for all answers below 2 to the power of the script's bits.
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

/// A candidate: events, initial writes first.
struct Candidate<'a> {
    script: &'a Script,
    events: Vec<Option<&'a Event>>,
    /// The location of each event, and of each initial write.
    loc: Vec<Option<u64>>,
    po: Rel,
    rf: Rel,
    co: Rel,
    /// By class of memory: a is before a barrier, b after the same, which orders that class.
    barriers: [Rel; 2],
    /// The same of any barrier.
    meets: Rel,
}

impl Candidate<'_> {
    fn n(&self) -> usize {
        self.events.len()
    }
    fn is(&self, e: usize, what: impl Fn(&Event) -> bool) -> bool {
        self.events[e].is_some_and(what)
    }
    fn same_loc(&self, a: usize, b: usize) -> bool {
        self.loc[a].is_some() && self.loc[a] == self.loc[b]
    }
    fn writes(&self, e: usize) -> bool {
        self.events[e].is_none_or(|event| event.wrote.is_some())
    }
    fn atomic(&self, e: usize) -> bool {
        self.is(e, |event| access(event).is_some_and(|access| access.atomic.is_some()))
    }
    /// The class of an event's memory.
    fn class(&self, e: usize) -> Option<Class> {
        self.loc[e].map(|loc| Class((loc % 2) as u8))
    }
    /// Whether an atomic or a fence names a class.
    fn names(&self, e: usize, class: Class) -> bool {
        self.is(e, |event| match &event.operation {
            Operation::Fence(atomic) => atomic.orders.has(class),
            _ => access(event).and_then(|a| a.atomic).is_some_and(|a| a.orders.has(class)),
        })
    }
    fn names_memory_of(&self, fence: usize, access: usize) -> bool {
        self.class(access).is_some_and(|class| self.names(fence, class))
    }
    fn fence(&self, e: usize) -> bool {
        self.is(e, |event| matches!(event.operation, Operation::Fence(_)))
    }
    fn fr(&self) -> Rel {
        let fr = self.rf.inverse().then(&self.co);
        Rel::of(self.n(), |a, b| a != b && fr.has(a, b))
    }
    fn atomicity(&self) -> bool {
        // An update is one event here: nothing is between what it reads from and itself.
        let between = self.co.then(&self.co);
        (0..self.n()).all(|a| {
            (0..self.n()).all(|b| !(self.rf.has(a, b) && self.writes(b) && between.has(a, b)))
        }) && (0..self.n()).all(|a| {
            (0..self.n()).all(|b| !(self.rf.has(a, b) && self.writes(b)) || self.co.has(a, b))
        })
    }
    fn incl(&self) -> Rel {
        Rel::of(self.n(), |a, b| {
            let (Some(x), Some(y)) = (self.events[a], self.events[b]) else { return false };
            let (Some(one), Some(other)) = (scope(x), scope(y)) else { return false };
            let [here, there] =
                [x, y].map(|event| self.script.whereabouts[event.id.invocation as usize]);
            here.share(there, one) && here.share(there, other)
        })
    }

    /// Happens-before if the candidate is consistent.
    fn judged(&self, model: Model) -> Option<Rel> {
        match model {
            Model::Sc => self.sc(),
            Model::ScopedRc11 => self.scoped_rc11(),
            Model::Wgsl => self.wgsl(),
        }
    }

    fn sc(&self) -> Option<Rel> {
        let all = self.po.or(&self.rf).or(&self.co).or(&self.fr()).or(&self.meets);
        let atomic =
            Rel::of(self.n(), |a, b| self.rf.has(a, b) && self.atomic(a) && self.atomic(b));
        (all.acyclic() && self.atomicity())
            .then(|| self.po.or(&atomic).or(&self.barriers[0]).or(&self.barriers[1]).closed())
    }

    fn scoped_rc11(&self) -> Option<Rel> {
        let n = self.n();
        let incl = self.incl();
        let rel = |e: usize| {
            let writes = self.fence(e) || self.events[e].is_some() && self.writes(e);
            writes
                && self.is(e, |x| {
                    matches!(
                        order(x),
                        Some(
                            Order::Release | Order::AcquireRelease | Order::SequentiallyConsistent
                        )
                    )
                })
        };
        let acq = |e: usize| {
            let reads = self.fence(e) || self.is(e, |x| x.read.is_some());
            reads
                && self.is(e, |x| {
                    matches!(
                        order(x),
                        Some(
                            Order::Acquire | Order::AcquireRelease | Order::SequentiallyConsistent
                        )
                    )
                })
        };
        let moral = self.rf.and(&incl);
        let chain = Rel::of(n, |a, b| moral.has(a, b) && self.writes(b)).closed();
        let rs = Rel::of(n, |a, b| self.atomic(a) && self.writes(a) && (a == b || chain.has(a, b)));
        let from_fence = Rel::of(n, |a, b| {
            a == b || self.fence(a) && self.po.has(a, b) && self.names_memory_of(a, b)
        });
        let to_fence = Rel::of(n, |a, b| {
            a == b || self.fence(b) && self.po.has(a, b) && self.names_memory_of(b, a)
        });
        let sw = from_fence.then(&rs).then(&moral).then(&to_fence);
        let sw = Rel::of(n, |a, b| rel(a) && acq(b) && sw.has(a, b) && incl.has(a, b));
        let hb_of = [0, 1].map(|class| {
            let by_both = |e| self.names(e, Class(class));
            let sw = Rel::of(n, |a, b| sw.has(a, b) && by_both(a) && by_both(b));
            self.po.or(&sw).or(&self.barriers[usize::from(class)]).closed()
        });
        let eco = self.rf.or(&self.co).or(&self.fr()).closed();
        let coherent = [0, 1].into_iter().all(|class| {
            let hb = &hb_of[usize::from(class)];
            let eco = Rel::of(n, |a, b| eco.has(a, b) && self.class(a) == Some(Class(class)));
            hb.then(&eco.maybe()).irreflexive()
        });
        let hb = hb_of[0].or(&hb_of[1]);
        let thin_air = self.po.or(&self.rf).or(&self.meets).acyclic();
        if !coherent || !thin_air || !self.atomicity() {
            return None;
        }
        let sc = |e: usize| self.is(e, |x| order(x) == Some(Order::SequentiallyConsistent));
        let scf = |e: usize| sc(e) && self.fence(e);
        let elsewhere = Rel::of(n, |a, b| self.po.has(a, b) && !self.same_loc(a, b));
        let here = Rel::of(n, |a, b| hb.has(a, b) && self.same_loc(a, b));
        let scb =
            self.po.or(&elsewhere.then(&hb).then(&elsewhere)).or(&here).or(&self.co).or(&self.fr());
        let into = Rel::of(n, |a, b| sc(a) && a == b || scf(a) && (a == b || hb.has(a, b)));
        let out = Rel::of(n, |a, b| sc(b) && a == b || scf(b) && (a == b || hb.has(a, b)));
        let psc_base = into.then(&scb).then(&out);
        let far = hb.or(&hb.then(&eco).then(&hb));
        let psc_fence = Rel::of(n, |a, b| scf(a) && scf(b) && far.has(a, b));
        let psc = psc_base.or(&psc_fence);
        let psc = Rel::of(n, |a, b| psc.has(a, b) && (a == b || incl.has(a, b)));
        let of_class = |a: usize| self.class(a).map(|class| &hb_of[usize::from(class.0)]);
        psc.acyclic().then(|| Rel::of(n, |a, b| of_class(a).is_some_and(|hb| hb.has(a, b))))
    }

    fn wgsl(&self) -> Option<Rel> {
        let n = self.n();
        let incl = self.incl();
        let locord = Rel::of(n, |a, b| {
            let barriers = self.class(a).map(|class| &self.barriers[usize::from(class.0)]);
            let is_between = barriers.is_some_and(|barriers| barriers.has(a, b));
            self.same_loc(a, b) && (self.po.has(a, b) || is_between)
        });
        let asmo = Rel::of(n, |a, b| {
            self.co.has(a, b) && self.atomic(a) && self.atomic(b) && incl.has(a, b)
        });
        let initial = |e: usize| self.events[e].is_none();
        let fr = Rel::of(n, |r, w| {
            let Some(from) = (0..n).find(|&from| self.rf.has(from, r)) else { return false };
            r != w
                && self.writes(w)
                && !initial(w)
                && self.same_loc(r, w)
                && (initial(from)
                    || asmo.has(from, w)
                    || locord.has(from, r) && locord.has(from, w))
        });
        let consistent = locord.or(&self.rf).or(&fr).or(&asmo).acyclic();
        let written = Rel::of(n, |a, b| locord.has(a, b) && self.writes(a) && self.writes(b));
        let coherent = self.co.or(&written).acyclic();
        let shadowed = (0..n).any(|from| {
            (0..n).any(|r| {
                let plain = self.rf.has(from, r) && !self.atomic(r) && !initial(from);
                plain
                    && (0..n).any(|w| {
                        self.writes(w) && !initial(w) && locord.has(from, w) && locord.has(w, r)
                    })
            })
        });
        let dep = Rel::of(n, |a, b| {
            let (Some(x), Some(y)) = (self.events[a], self.events[b]) else { return false };
            let number = |e: usize| {
                (0..n)
                    .filter(|&other| self.po.has(other, e) && self.is(other, |o| o.read.is_some()))
                    .count() as u32
            };
            x.id.invocation == y.id.invocation
                && x.read.is_some()
                && y.depends.contains(&number(a))
                && self.po.has(a, b)
        });
        let thin_air = dep.or(&self.rf).or(&self.meets).acyclic();
        (consistent && coherent && !shadowed && thin_air && self.atomicity()).then_some(locord)
    }
}

/// All executions of `script`, and what is found in them; `None` if there are too many candidates.
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
    // Whoever reads a value finds a write of it.
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
    // The k-th barrier of an invocation is that of all in its workgroup.
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
        let place = |event: &Event| script.whereabouts[event.id.invocation as usize].workgroup;
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
        "a candidate comes once"
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
    let failures = events.iter().filter(|event| event.operation == Operation::Fails);
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

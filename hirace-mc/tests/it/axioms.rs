//! A direct implementation of the axioms of each model, on boolean matrices.

use crate::brute::{Event, access};
use crate::relation::Rel;
use crate::script::Script;
use hirace_mc::model::Model;
use hirace_mc::program::{Class, MemoryOrder, Operation, Scope};

fn order(event: &Event) -> Option<MemoryOrder> {
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

/// A candidate execution: its events, with the initial writes first.
pub struct Candidate<'a> {
    pub script: &'a Script,
    pub events: Vec<Option<&'a Event>>,
    /// The location of each event, and of each initial write.
    pub loc: Vec<Option<u64>>,
    pub po: Rel,
    pub rf: Rel,
    pub co: Rel,
    /// Per storage class: `a` is before a barrier that orders the class, and `b` is after it.
    pub barriers: [Rel; 2],
    /// The same for all barriers.
    pub meets: Rel,
}

impl Candidate<'_> {
    fn n(&self) -> usize {
        self.events.len()
    }
    fn is(&self, e: usize, what: impl Fn(&Event) -> bool) -> bool {
        self.events[e].is_some_and(what)
    }
    pub fn same_loc(&self, a: usize, b: usize) -> bool {
        self.loc[a].is_some() && self.loc[a] == self.loc[b]
    }
    pub fn writes(&self, e: usize) -> bool {
        self.events[e].is_none_or(|event| event.wrote.is_some())
    }
    pub fn atomic(&self, e: usize) -> bool {
        self.is(e, |event| access(event).is_some_and(|access| access.atomic.is_some()))
    }
    /// Returns the storage class of an event's memory.
    fn class(&self, e: usize) -> Option<Class> {
        self.loc[e].map(|loc| Class((loc % 2) as u8))
    }
    /// Returns whether an atomic or a fence names a class.
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
        // An update is a single event here, so nothing may be between its source and itself.
        let between = self.co.then(&self.co);
        (0..self.n()).all(|a| {
            (0..self.n()).all(|b| !(self.rf.has(a, b) && self.writes(b) && between.has(a, b)))
        }) && (0..self.n()).all(|a| {
            (0..self.n()).all(|b| !(self.rf.has(a, b) && self.writes(b)) || self.co.has(a, b))
        })
    }
    pub fn incl(&self) -> Rel {
        Rel::of(self.n(), |a, b| {
            let (Some(x), Some(y)) = (self.events[a], self.events[b]) else { return false };
            let (Some(one), Some(other)) = (scope(x), scope(y)) else { return false };
            let [here, there] =
                [x, y].map(|event| self.script.scope_positions[event.id.invocation as usize]);
            here.share(there, one) && here.share(there, other)
        })
    }

    /// Returns happens-before if the candidate is consistent.
    pub fn judged(&self, model: Model) -> Option<Rel> {
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
                            MemoryOrder::Release
                                | MemoryOrder::AcquireRelease
                                | MemoryOrder::SequentiallyConsistent
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
                            MemoryOrder::Acquire
                                | MemoryOrder::AcquireRelease
                                | MemoryOrder::SequentiallyConsistent
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
        let sc = |e: usize| self.is(e, |x| order(x) == Some(MemoryOrder::SequentiallyConsistent));
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

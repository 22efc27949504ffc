//! The proof that a table finds exactly the races that happens-before defines.
//!
//! A table and the exact history of a word run in parallel over everything that the invocations of a small
//! grid can do: any action of any invocation, and any barrier of any subgroup or workgroup, at any point.
//! Only a finite part of an exact history can still matter, so the product is finite, and searching all of it
//! covers traces of any length.
//!
//! Two kinds of errors are counted. A *false positive* is a reachable pair and an access at which the table goes
//! to `RACE` although nothing raced. A *missed* race is one at which something raced and the table does not
//! go there. The search does not continue past either. Both counts are zero for [`crate::TABLE`].
//!
//! Where the reading of clocks is not determined, every reading is tried: the clocks of two subgroups or of
//! two workgroups cannot be compared, and at first there is no last accessor.

use crate::grid::{Grid, Member};
use crate::history::{Access, Barrier, History};
use crate::state::{Action, Relation, State, Sync};
use crate::table::{TRANSITIONS, index};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

/// One step of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// An invocation accesses the word.
    Access(usize, Action),
    /// The invocations of a subgroup pass a subgroup barrier.
    SubgroupBarrier(usize),
    /// The invocations of a workgroup pass a workgroup barrier.
    WorkgroupBarrier(usize),
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Access(invocation, action) => write!(f, "{action}(t{invocation})"),
            Self::SubgroupBarrier(subgroup) => write!(f, "barrier(subgroup {subgroup})"),
            Self::WorkgroupBarrier(workgroup) => write!(f, "barrier(workgroup {workgroup})"),
        }
    }
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Number of pairs of automaton state and exact history that were reached without a race.
    pub states: usize,
    /// Number of pairs and accesses at which only the table finds a race.
    pub false_alarms: usize,
    /// Number of pairs and accesses at which something races and the table does not find it.
    pub missed: usize,
    /// A shortest trace that ends in a false positive or a missed race.
    pub counterexample: Option<Vec<Event>>,
}

impl Proof {
    /// Returns whether the table was shown to be exact on the grid.
    pub fn exact(&self) -> bool {
        self.false_alarms == 0 && self.missed == 0
    }
}

/// Searches everything that `table` and the exact history can do on `grid`.
pub fn prove(table: &[u8; TRANSITIONS], grid: &Grid) -> Proof {
    search(table, grid, |_| false)
}

/// Returns a shortest trace at which `table` is wrong on `grid`, if there is one.
pub fn refute(table: &[u8; TRANSITIONS], grid: &Grid) -> Option<Vec<Event>> {
    search(table, grid, |proof| !proof.exact()).counterexample
}

fn search(table: &[u8; TRANSITIONS], grid: &Grid, enough: impl Fn(&Proof) -> bool) -> Proof {
    let steps = Steps::new(grid);
    let mut proof = Proof { states: 0, false_alarms: 0, missed: 0, counterexample: None };
    let mut reached = ReachedStates::default();
    reached.insert(Product::START, Cause::default());
    let mut at = 0;
    while let Some(&product) = reached.products.get(at)
        && !enough(&proof)
    {
        for (step, barrier) in steps.barriers() {
            reached.insert(product.pass(barrier, grid), Cause { from: at as u32, step });
        }
        for (step, access) in steps.accesses() {
            let races = product.history().races(access);
            for (syncs, relation) in product.readings(grid.members(), access.invocation) {
                for sync in syncs {
                    let here = index(product.state(), access.action, *sync, relation);
                    let next = table[here] as usize;
                    match (next == State::Race.id(), races) {
                        (true, true) => continue,
                        (false, false) => {
                            let cause = Cause { from: at as u32, step };
                            reached.insert(product.record(next, access), cause);
                            continue;
                        }
                        (true, false) => proof.false_alarms += 1,
                        (false, true) => proof.missed += 1,
                    }
                    proof.counterexample.get_or_insert_with(|| reached.trace(at, step, &steps));
                }
            }
        }
        at += 1;
    }
    proof.states = reached.products.len();
    proof
}

/// All possible steps on a grid: barriers first, then accesses.
struct Steps {
    barriers: Vec<Barrier>,
    accesses: Vec<Access>,
}

impl Steps {
    fn new(grid: &Grid) -> Self {
        Self { barriers: Barrier::all(grid), accesses: Access::all(grid) }
    }

    fn barriers(&self) -> impl Iterator<Item = (u8, &Barrier)> {
        (0..).zip(&self.barriers)
    }

    fn accesses(&self) -> impl Iterator<Item = (u8, &Access)> {
        (self.barriers.len() as u8..).zip(&self.accesses)
    }

    fn event(&self, step: u8) -> Event {
        let step = step as usize;
        match self.barriers.get(step) {
            Some(barrier) if barrier.workgroup => Event::WorkgroupBarrier(barrier.number),
            Some(barrier) => Event::SubgroupBarrier(barrier.number),
            None => {
                let access = &self.accesses[step - self.barriers.len()];
                Event::Access(access.invocation, access.action)
            }
        }
    }
}

/// A state of the product in one word: the automaton's part (state, last accessor, strongest barrier that it
/// has passed since) in 5, 3 and 2 bits, and the exact history in up to 48 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Product(u64);

impl Product {
    const START: Self = Self(0);

    fn new(state: usize, accessor: usize, sync: Sync, history: History) -> Self {
        Self(state as u64 | (accessor as u64) << 5 | (sync as u64) << 8 | history.bits() << 10)
    }

    fn state(self) -> State {
        State::ALL[(self.0 & 31) as usize]
    }

    fn accessor(self) -> usize {
        (self.0 >> 5 & 7) as usize
    }

    fn sync(self) -> Sync {
        Sync::ALL[(self.0 >> 8 & 3) as usize]
    }

    fn history(self) -> History {
        History::from_bits(self.0 >> 10)
    }

    /// Returns the state after a barrier.
    fn pass(self, barrier: &Barrier, grid: &Grid) -> Self {
        let accessor = self.accessor();
        let mut sync = self.sync();
        if self != Self::START && barrier.includes(grid.members()[accessor]) {
            sync = sync.max(if barrier.workgroup { Sync::B } else { Sync::W });
        }
        Self::new(self.state().id(), accessor, sync, self.history().pass(barrier))
    }

    /// Returns the state after an access that races with no other.
    fn record(self, next: usize, access: &Access) -> Self {
        Self::new(next, access.invocation, Sync::U, self.history().record(access))
    }

    /// Returns the symbols that the clocks may give for an access of `invocation`.
    fn readings(
        self,
        members: &[Member],
        invocation: usize,
    ) -> impl Iterator<Item = (&'static [Sync], Relation)> {
        let (me, last) = (members[invocation], members[self.accessor()]);
        let passed = self.sync().id();
        let (syncs, relation) = if me.workgroup != last.workgroup {
            (Sync::ALL, Relation::G)
        } else if me.subgroup != last.subgroup {
            let unclear = self.sync() != Sync::B;
            (
                if unclear { &Sync::ALL[..passed.max(1) + 1] } else { &Sync::ALL[passed..] },
                Relation::B,
            )
        } else if invocation != self.accessor() {
            (&Sync::ALL[passed..=passed], Relation::W)
        } else {
            (&Sync::ALL[passed..=passed], Relation::S)
        };
        let first = self == Self::START;
        let known = (!first).then_some((syncs, relation));
        let any = Relation::ALL.iter().filter(move |_| first).map(|r| (Sync::ALL, *r));
        known.into_iter().chain(any)
    }
}

/// How a product state was first reached: the position of its predecessor, and the step.
#[derive(Clone, Copy, Default)]
struct Cause {
    from: u32,
    step: u8,
}

/// The reached product states, in order, and a hash index of them.
#[derive(Default)]
struct ReachedStates {
    products: Vec<Product>,
    causes: Vec<Cause>,
    /// Positions in `products`, plus one. The length is a power of two, and at most half of the slots are
    /// used.
    slots: Vec<u32>,
}

impl ReachedStates {
    fn insert(&mut self, product: Product, cause: Cause) {
        if self.slots.len() <= 2 * self.products.len() {
            self.grow();
        }
        let slot = self.find(product);
        if self.slots[slot] == 0 {
            self.products.push(product);
            self.causes.push(cause);
            self.slots[slot] = self.products.len() as u32;
        }
    }

    /// Returns the slot that holds `product`, or the free one where it belongs.
    fn find(&self, product: Product) -> usize {
        let mask = self.slots.len() - 1;
        let hash = product.0.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut slot = (hash >> 32) as usize & mask;
        while let Some(position) = (self.slots[slot] as usize).checked_sub(1)
            && self.products[position] != product
        {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        self.slots = vec![0; (4 * self.products.len()).next_power_of_two().max(64)];
        for position in 0..self.products.len() {
            let slot = self.find(self.products[position]);
            self.slots[slot] = position as u32 + 1;
        }
    }

    /// Returns the events that led to the product state at a position, followed by one more step.
    fn trace(&self, mut at: usize, step: u8, steps: &Steps) -> Vec<Event> {
        let mut trace = vec![steps.event(step)];
        while at != 0 {
            let cause = self.causes[at];
            trace.push(steps.event(cause.step));
            at = cause.from as usize;
        }
        trace.reverse();
        trace
    }
}

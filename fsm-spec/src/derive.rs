//! Derives the transitions from happens-before.
//!
//! Within a dispatch only barriers order accesses: a workgroup barrier orders everything in its workgroup, a
//! subgroup barrier everything in its subgroup, and nothing orders accesses of different workgroups. So an
//! access must be compatible (read with reads, atomic with atomics) with every access by another invocation
//! - of its subgroup, since the last subgroup barrier,
//! - of its workgroup, since the last workgroup barrier,
//! - of the dispatch.
//!
//! [`Memory`] keeps the [`Class`] of the accesses in each of these three scopes. It also keeps how far the
//! unsynchronized accesses have [spread](Spread), because an invocation may always follow itself.

use crate::state::{Action, Relation, State, Sync};

/// The kind of the accesses in a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// All are reads.
    Reads,
    /// All are atomics of sufficient scope: another atomic may join them.
    Atomics,
    /// All are atomics, but some have workgroup scope and are seen from another workgroup: nothing may join
    /// them.
    ScopedAtomics,
    /// Any other set: nothing may join it.
    Mixed,
}

impl Class {
    /// Returns the class of one access, as its own workgroup sees it.
    const fn near(action: Action) -> Self {
        match action {
            Action::R => Self::Reads,
            Action::W => Self::Mixed,
            Action::BA | Action::GA => Self::Atomics,
        }
    }

    /// Returns the class of one access, as other workgroups see it.
    const fn far(action: Action) -> Self {
        match action {
            Action::BA => Self::ScopedAtomics,
            _ => Self::near(action),
        }
    }

    /// Returns the class of the union of two sets.
    const fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Reads, Self::Reads) => Self::Reads,
            (Self::Atomics, Self::Atomics) => Self::Atomics,
            (Self::Atomics | Self::ScopedAtomics, Self::Atomics | Self::ScopedAtomics) => {
                Self::ScopedAtomics
            }
            _ => Self::Mixed,
        }
    }

    /// Returns whether an access of class `other` may join this set without synchronization.
    const fn admits(self, other: Self) -> bool {
        matches!((self, other), (Self::Reads, Self::Reads) | (Self::Atomics, Self::Atomics))
    }

    const fn same(self, other: Self) -> bool {
        self as u8 == other as u8
    }
}

/// How far the accesses of the current epoch have spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// One invocation.
    Invocation,
    /// Several invocations of one subgroup.
    Subgroup,
    /// Several subgroups of one workgroup.
    Workgroup,
    /// Several workgroups. This is permanent, because nothing synchronizes them.
    Dispatch,
}

/// What must be remembered of a history without a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// How far the accesses of the current epoch have spread.
    pub spread: Spread,
    /// The class of the accesses of the current subgroup epoch.
    pub subgroup: Class,
    /// The class of the accesses of the current workgroup epoch.
    pub workgroup: Class,
    /// The class of all accesses.
    pub dispatch: Class,
}

impl Memory {
    const fn new(spread: Spread, subgroup: Class, workgroup: Class, dispatch: Class) -> Self {
        Self { spread, subgroup, workgroup, dispatch }
    }

    /// Returns the memory of a word whose only access is this one.
    const fn of(action: Action) -> Self {
        let near = Class::near(action);
        Self::new(Spread::Invocation, near, near, Class::far(action))
    }

    /// Returns the memory after one more access; `None` if it races.
    const fn after(self, action: Action, sync: Sync, relation: Relation) -> Option<Self> {
        let near = Class::near(action);
        if matches!(self.spread, Spread::Dispatch) || matches!(relation, Relation::G) {
            let all = self.dispatch;
            return if all.admits(Class::far(action)) {
                Some(Self::new(Spread::Dispatch, all, all, all))
            } else {
                None
            };
        }
        let dispatch = self.dispatch.join(Class::far(action));
        if matches!(sync, Sync::B) {
            return Some(Self::new(Spread::Invocation, near, near, dispatch));
        }
        if matches!(self.spread, Spread::Workgroup) || matches!(relation, Relation::B) {
            // Subgroup clocks of different subgroups cannot be compared, so sync W is equivalent to none.
            let epoch = self.workgroup;
            return if epoch.admits(near) {
                Some(Self::new(Spread::Workgroup, epoch, epoch, dispatch))
            } else {
                None
            };
        }
        let workgroup = self.workgroup.join(near);
        if matches!(sync, Sync::W) {
            return Some(Self::new(Spread::Invocation, near, workgroup, dispatch));
        }
        if matches!(self.spread, Spread::Invocation) && matches!(relation, Relation::S) {
            let subgroup = self.subgroup.join(near);
            return Some(Self::new(Spread::Invocation, subgroup, workgroup, dispatch));
        }
        if self.subgroup.admits(near) {
            Some(Self::new(Spread::Subgroup, self.subgroup, workgroup, dispatch))
        } else {
            None
        }
    }

    const fn same(self, other: Self) -> bool {
        self.spread as u8 == other.spread as u8
            && self.subgroup.same(other.subgroup)
            && self.workgroup.same(other.workgroup)
            && self.dispatch.same(other.dispatch)
    }
}

/// Returns what a state remembers; `None` for [`State::Init`] and [`State::Race`], which remember nothing.
pub const fn memory(state: State) -> Option<Memory> {
    use Class::{Atomics as A, Mixed as X, Reads as R, ScopedAtomics as S};
    use Spread::{Dispatch, Invocation, Subgroup, Workgroup};
    let (spread, subgroup, workgroup, dispatch) = match state {
        State::Init | State::Race => return None,
        State::Read => (Invocation, R, R, R),
        State::BSync | State::BwSync => (Invocation, R, R, X),
        State::WSync => (Invocation, R, X, X),
        State::GAtom => (Invocation, A, A, A),
        State::BAtom => (Invocation, A, A, S),
        State::BSyncAtom => (Invocation, A, A, X),
        State::WSyncAtom => (Invocation, A, X, X),
        State::Write => (Invocation, X, X, X),
        State::WRead => (Subgroup, R, R, R),
        State::WMrBwSync => (Subgroup, R, R, X),
        State::MrWSync => (Subgroup, R, X, X),
        State::GAtomW => (Subgroup, A, A, A),
        State::BAtomW => (Subgroup, A, A, S),
        State::BSyncAtomW => (Subgroup, A, A, X),
        State::WSyncAtomM => (Subgroup, A, X, X),
        State::BRead => (Workgroup, R, R, R),
        State::BMrBSync => (Workgroup, R, R, X),
        State::GAtomB => (Workgroup, A, A, A),
        State::BAtomB => (Workgroup, A, A, S),
        State::BSyncAtomB => (Workgroup, A, A, X),
        State::GRead => (Dispatch, R, R, R),
        State::GAtomG => (Dispatch, A, A, A),
    };
    Some(Memory::new(spread, subgroup, workgroup, dispatch))
}

/// Returns the state after one more access.
pub const fn next(state: State, action: Action, sync: Sync, relation: Relation) -> State {
    let after = match (state, memory(state)) {
        (State::Race, _) => return State::Race,
        (_, None) => Some(Memory::of(action)),
        (_, Some(memory)) => memory.after(action, sync, relation),
    };
    let Some(after) = after else { return State::Race };
    let mut id = 0;
    while id < State::COUNT {
        let candidate = State::ALL[id];
        if let Some(memory) = memory(candidate)
            && memory.same(after)
        {
            return provenance(candidate, state, sync);
        }
        id += 1;
    }
    panic!("every memory that an access leaves is that of a state")
}

/// Distinguishes `BSYNC` and `BWSYNC`, which remember the same as far as races are concerned: their names
/// tell whether a subgroup barrier was passed since the workgroup barrier.
const fn provenance(next: State, from: State, sync: Sync) -> State {
    match (next, sync, from) {
        (State::BSync, Sync::W, _) | (State::BSync, Sync::U, State::BwSync) => State::BwSync,
        _ => next,
    }
}

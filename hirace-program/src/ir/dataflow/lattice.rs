//! Lattices, and facts that hold at all points of a program.

use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

/// A set of values with a join, the least upper bound of two values.
pub trait JoinSemiLattice {
    /// Joins `other` into this value. Returns whether the value changed.
    fn join(&mut self, other: &Self) -> bool;
}

impl JoinSemiLattice for () {
    fn join(&mut self, (): &Self) -> bool {
        false
    }
}

/// `false` is below `true`.
impl JoinSemiLattice for bool {
    fn join(&mut self, other: &Self) -> bool {
        !std::mem::replace(self, *self | *other) & *other
    }
}

/// `None` is below all others.
impl<T: JoinSemiLattice + Clone> JoinSemiLattice for Option<T> {
    fn join(&mut self, other: &Self) -> bool {
        match (self, other) {
            (_, None) => false,
            (Some(own), Some(other)) => own.join(other),
            (own, other) => {
                own.clone_from(other);
                true
            }
        }
    }
}

/// Maps are joined by key; a missing key is below all values.
impl<K: Eq + Hash + Clone, V: JoinSemiLattice + Clone> JoinSemiLattice for FxHashMap<K, V> {
    fn join(&mut self, other: &Self) -> bool {
        other.iter().fold(false, |changed, (key, value)| match self.entry(key.clone()) {
            Entry::Occupied(mut own) => own.get_mut().join(value) | changed,
            Entry::Vacant(own) => {
                own.insert(value.clone());
                true
            }
        })
    }
}

/// Facts that hold at all points of a program, by key. The default value of a lattice is its bottom: nothing is known.
#[derive(Clone, Debug)]
pub struct Facts<K, V> {
    by_key: FxHashMap<K, V>,
    has_changed: bool,
}

impl<K, V> Default for Facts<K, V> {
    fn default() -> Self {
        Self { by_key: FxHashMap::default(), has_changed: false }
    }
}

impl<K: Eq + Hash, V: JoinSemiLattice + Copy + Default> Facts<K, V> {
    /// Returns what is known.
    pub fn get(&self, key: &K) -> V {
        self.by_key.get(key).copied().unwrap_or_default()
    }

    /// Iterates over all keys of which something may be known.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.by_key.iter()
    }

    /// Adds a fact.
    pub fn join(&mut self, key: K, value: V) {
        self.has_changed |= self.by_key.entry(key).or_default().join(&value);
    }

    /// Returns whether a fact changed since this was last asked.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.has_changed)
    }
}

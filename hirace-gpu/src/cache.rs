//! A least-recently-used cache of limited size.

use std::collections::HashMap;
use std::hash::Hash;

/// The number of hits and misses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of lookups that found a value.
    pub hits: u64,
    /// The number of lookups that did not.
    pub misses: u64,
}

/// A least-recently-used cache; see the [module](self).
#[derive(Debug)]
pub struct Cache<K, V> {
    most: usize,
    /// The entries, each with the time of its last use.
    entries: HashMap<K, (u64, V)>,
    /// The number of lookups, which serves as time.
    clock: u64,
    counts: Counts,
}

impl<K: Clone + Eq + Hash, V: Clone> Cache<K, V> {
    /// Creates an empty cache for at most this number of entries.
    pub fn new(most: usize) -> Self {
        Self { most, entries: HashMap::new(), clock: 0, counts: Counts::default() }
    }

    /// Returns the value for `key`, and counts the lookup.
    pub fn get(&mut self, key: &K) -> Option<V> {
        self.clock += 1;
        let found = self.entries.get_mut(key).map(|(last, value)| {
            *last = self.clock;
            value.clone()
        });
        match found {
            Some(_) => self.counts.hits += 1,
            None => self.counts.misses += 1,
        }
        found
    }

    /// Stores `value` for `key`, and evicts the least recently used entry if the cache is full.
    pub fn put(&mut self, key: K, value: V) {
        if self.entries.len() >= self.most && !self.entries.contains_key(&key) {
            let oldest = self.entries.iter().min_by_key(|(_, (last, _))| *last);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                self.entries.remove(&oldest);
            }
        }
        self.entries.insert(key, (self.clock, value));
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Returns the number of hits and misses.
    pub fn counts(&self) -> Counts {
        self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_and_counted() {
        let mut cache = Cache::new(2);
        assert_eq!(cache.get(&"a"), None);
        cache.put("a", 1);
        assert_eq!([cache.get(&"a"), cache.get(&"b")], [Some(1), None]);
        assert_eq!(cache.counts(), Counts { hits: 1, misses: 2 });
    }

    #[test]
    fn least_recently_used_entry_is_evicted() {
        let mut cache = Cache::new(2);
        for key in ["a", "b"] {
            cache.get(&key);
            cache.put(key, key.len());
        }
        cache.get(&"a");
        cache.get(&"c");
        cache.put("c", 1);
        assert_eq!([cache.get(&"a"), cache.get(&"b"), cache.get(&"c")], [Some(1), None, Some(1)]);
    }

    #[test]
    fn cleared_entries_are_counted_as_misses() {
        let mut cache = Cache::new(2);
        cache.put("a", 1);
        cache.clear();
        assert_eq!(cache.get(&"a"), None);
        assert_eq!(cache.counts(), Counts { hits: 0, misses: 1 });
    }

    #[test]
    fn what_is_made_again_takes_the_place_of_what_was() {
        let mut cache = Cache::new(2);
        cache.put("a", 1);
        cache.put("b", 2);
        cache.put("b", 3);
        assert_eq!([cache.get(&"a"), cache.get(&"b")], [Some(1), Some(3)]);
    }
}

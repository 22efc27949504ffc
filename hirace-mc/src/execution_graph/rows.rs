//! Sets of earlier events, one per event: the events on which it depends, or the events that happen before it.

use crate::program::{Class, Classes};

/// A bit matrix: for event `i`, a set of events below `i`. Rows are added and removed only at the end, so a row takes
/// only as many bits as there are events before it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    words: Vec<u64>,
    starts: Vec<usize>,
}

impl Rows {
    /// Adds an empty row for the next event.
    pub(crate) fn push(&mut self) {
        self.starts.push(self.words.len());
        self.words.resize(self.words.len() + self.starts.len().div_ceil(64), 0);
    }

    /// Removes the last row.
    pub(crate) fn pop(&mut self) {
        if let Some(start) = self.starts.pop() {
            self.words.truncate(start);
        }
    }

    /// Returns whether the row of `event` contains `other`.
    pub(crate) fn has(&self, event: u32, other: u32) -> bool {
        other < event
            && self.words[self.starts[event as usize] + other as usize / 64] >> (other % 64) & 1
                == 1
    }

    /// Adds the earlier event `other` to the row of `event`.
    pub(crate) fn insert(&mut self, event: u32, other: u32) {
        debug_assert!(other < event, "rows hold earlier events");
        self.words[self.starts[event as usize] + other as usize / 64] |= 1 << (other % 64);
    }

    /// Adds the earlier event `other` and its row to the row of `event`.
    pub(crate) fn join(&mut self, event: u32, other: u32) {
        self.insert(event, other);
        self.include(event, other);
    }

    /// Adds the row of the earlier event `other` to the row of `event`.
    pub(crate) fn include(&mut self, event: u32, other: u32) {
        let (from, to) = (self.starts[other as usize], self.starts[event as usize]);
        let (before, after) = self.words.split_at_mut(to);
        for (into, word) in
            after.iter_mut().zip(&before[from..from + (other as usize + 1).div_ceil(64)])
        {
            *into |= word;
        }
    }
}

/// One [`Rows`] per storage class if the model distinguishes classes; otherwise one for all classes.
#[derive(Clone, Debug)]
pub(crate) struct ByClass(Vec<Rows>);

impl ByClass {
    /// Creates rows for this number of classes, at least one.
    pub(crate) fn new(classes: u8) -> Self {
        Self(vec![Rows::default(); usize::from(classes).max(1)])
    }

    /// Returns the number of classes.
    pub(crate) fn kinds(&self) -> usize {
        self.0.len()
    }

    /// Returns the rows of one class.
    pub(crate) fn of(&self, class: Class) -> &Rows {
        self.0.get(usize::from(class.0)).unwrap_or(&self.0[0])
    }

    /// Returns the rows of each class in the set.
    pub(crate) fn each(&mut self, classes: Classes) -> impl Iterator<Item = &mut Rows> {
        let named = self.0.iter_mut().zip(0..);
        named.filter(move |(_, class)| classes.has(Class(*class))).map(|(rows, _)| rows)
    }

    /// Returns whether the row of `event` contains `other` for some class.
    pub(crate) fn has_any(&self, event: u32, other: u32) -> bool {
        self.0.iter().any(|rows| rows.has(event, other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_contain_inserted_events_and_their_rows() {
        let mut rows = Rows::default();
        (0..200).for_each(|_| rows.push());
        rows.insert(70, 3);
        rows.join(199, 70);
        rows.include(150, 70);
        let of = |event| (0..200).filter(|&other| rows.has(event, other)).collect::<Vec<_>>();
        assert_eq!((of(70), of(199), of(150), of(3)), (vec![3], vec![3, 70], vec![3], vec![]));
        rows.pop();
        rows.push();
        assert!(!rows.has(199, 70), "a row begins empty");
    }
}

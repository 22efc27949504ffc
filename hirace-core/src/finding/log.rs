//! The access log of phase 2, by word.

use super::explain::ExplainedDispatch;
use crate::observe::Granule;
use crate::observe::trace::Event;
use rustc_hash::FxHashMap;

/// The logs of all dispatches of a launch.
#[derive(Debug, Default)]
pub(super) struct Log<'a> {
    dispatches: Vec<Dispatch<'a>>,
}

#[derive(Debug)]
struct Dispatch<'a> {
    by_word: FxHashMap<Granule, Vec<&'a Event>>,
    is_complete: bool,
}

impl<'a> Log<'a> {
    /// Collects the logs of the explained dispatches.
    pub fn of(explained: &'a [ExplainedDispatch<'_>]) -> Self {
        let dispatch = |explained: &'a ExplainedDispatch<'_>| {
            let mut by_word: FxHashMap<Granule, Vec<&Event>> = FxHashMap::default();
            for event in &explained.explanation.log {
                by_word.entry(event.granule).or_default().push(event);
            }
            Dispatch { by_word, is_complete: explained.explanation.dropped == 0 }
        };
        Self { dispatches: explained.iter().map(dispatch).collect() }
    }

    /// Returns the accesses to a word in the dispatch with this index, in execution order.
    pub fn events(&self, (dispatch, word): (usize, Granule)) -> &[&'a Event] {
        let known = self.dispatches.get(dispatch).and_then(|of| of.by_word.get(&word));
        known.map_or(&[], Vec::as_slice)
    }

    /// Returns whether the log contains all accesses of that dispatch to the traced words.
    pub fn is_complete(&self, dispatch: usize) -> bool {
        self.dispatches.get(dispatch).is_some_and(|of| of.is_complete)
    }
}

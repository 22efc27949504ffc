//! A limit on the memory for copies that a device has in use at a time.

use super::not_watched::NotWatchedReason;
use crate::forward::lock;
use std::sync::{Arc, Mutex};

/// The budget of a device. See the [module](self).
#[derive(Debug)]
pub(crate) struct Budget {
    most: u64,
    taken: Mutex<Use>,
}

#[derive(Debug, Default)]
struct Use {
    now: u64,
    peak: u64,
}

/// A part of the budget, which is returned when this is dropped.
#[derive(Debug)]
pub(crate) struct Allocation {
    budget: Arc<Budget>,
    bytes: u64,
}

impl Budget {
    pub(crate) fn new(most: u64) -> Arc<Self> {
        Arc::new(Self { most, taken: Mutex::default() })
    }

    /// Takes this number of bytes for a buffer whose size is limited to `of_buffer`.
    pub(crate) fn take(
        self: &Arc<Self>,
        bytes: u64,
        of_buffer: u64,
    ) -> Result<Allocation, NotWatchedReason> {
        let most = self.most.min(of_buffer);
        if bytes > most {
            return Err(NotWatchedReason::TooLarge { bytes, most });
        }
        let mut taken = lock(&self.taken);
        if bytes > self.most - taken.now {
            return Err(NotWatchedReason::BudgetTaken);
        }
        taken.now += bytes;
        taken.peak = taken.peak.max(taken.now);
        Ok(Allocation { budget: Arc::clone(self), bytes })
    }

    /// Returns the maximum number of bytes that were in use at a time.
    pub(crate) fn peak(&self) -> u64 {
        lock(&self.taken).peak
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        lock(&self.budget.taken).now -= self.bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_can_be_taken_by_others() {
        let budget = Budget::new(100);
        let first = budget.take(60, 1000).unwrap();
        assert!(matches!(budget.take(60, 1000), Err(NotWatchedReason::BudgetTaken)));
        drop(first);
        let _second = budget.take(80, 1000).unwrap();
        let too_large = budget.take(60, 50).unwrap_err();
        assert!(matches!(too_large, NotWatchedReason::TooLarge { bytes: 60, most: 50 }));
        assert_eq!(budget.peak(), 80);
    }
}

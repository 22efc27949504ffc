//! Limits the memory that the copies of the bindings of dispatches occupy on a device at the same time.

use super::not_watched::NotWatchedReason;
use crate::forward::lock;
use std::sync::{Arc, Mutex};

/// The budget of a device. See the [module](self).
#[derive(Debug)]
pub(crate) struct Budget {
    most: u64,
    usage: Mutex<Usage>,
}

#[derive(Debug, Default)]
struct Usage {
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
        Arc::new(Self { most, usage: Mutex::default() })
    }

    /// Takes this number of bytes from the budget. A buffer has at most `max_buffer_size` bytes.
    pub(crate) fn take(
        self: &Arc<Self>,
        bytes: u64,
        max_buffer_size: u64,
    ) -> Result<Allocation, NotWatchedReason> {
        let most = self.most.min(max_buffer_size);
        if bytes > most {
            return Err(NotWatchedReason::TooLarge { bytes, most });
        }
        let mut usage = lock(&self.usage);
        if bytes > self.most - usage.now {
            return Err(NotWatchedReason::BudgetExhausted);
        }
        usage.now += bytes;
        usage.peak = usage.peak.max(usage.now);
        Ok(Allocation { budget: Arc::clone(self), bytes })
    }

    /// Returns the maximum number of bytes that were in use at a time.
    pub(crate) fn peak(&self) -> u64 {
        lock(&self.usage).peak
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        lock(&self.budget.usage).now -= self.bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn released_bytes_can_be_taken_again() {
        let budget = Budget::new(100);
        let first = budget.take(60, 1000).unwrap();
        assert!(matches!(budget.take(60, 1000), Err(NotWatchedReason::BudgetExhausted)));
        drop(first);
        let _second = budget.take(80, 1000).unwrap();
        let too_large = budget.take(60, 50).unwrap_err();
        assert!(matches!(too_large, NotWatchedReason::TooLarge { bytes: 60, most: 50 }));
        assert_eq!(budget.peak(), 80);
    }
}

//! The executors that launches select. A device is opened once for all threads, and launches on it run one at a time.

use crate::error::Result;
use hirace_core::exec::{self, Executor};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// An executor that any number of launches may share.
pub type Shared = Arc<dyn Executor + Send + Sync>;

/// Returns the executor that `choice` selects, in the syntax of `--device`.
pub fn open(choice: &str) -> Result<Shared> {
    static OPENED: Mutex<BTreeMap<String, Shared>> = Mutex::new(BTreeMap::new());
    // The lock is held while a device is opened, so that other threads wait instead of opening it again.
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(executor) = opened.get(choice) {
        return Ok(Arc::clone(executor));
    }
    let executor: Shared = exec::open(choice)?.into();
    opened.insert(choice.to_owned(), Arc::clone(&executor));
    Ok(executor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_open_is_shared() -> Result<()> {
        assert!(Arc::ptr_eq(&open(exec::EMBEDDED)?, &open(exec::EMBEDDED)?));
        Ok(())
    }

    #[test]
    fn what_could_not_be_opened_is_refused_again() {
        for _ in 0..2 {
            assert!(open("no such device").is_err());
        }
    }
}

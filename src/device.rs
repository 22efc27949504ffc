//! The executors that launches name. A device is opened once, for all threads, and launches there take turns.

use crate::error::Result;
use hirace_core::exec::{self, Executor};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// An executor that any number of launches may share.
pub type Shared = Arc<dyn Executor + Send + Sync>;

/// The executor that `choice` means, as `--device` takes it.
pub fn open(choice: &str) -> Result<Shared> {
    static OPENED: Mutex<BTreeMap<String, Shared>> = Mutex::new(BTreeMap::new());
    // Whoever comes while a device is opened waits for that instead of opening another.
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

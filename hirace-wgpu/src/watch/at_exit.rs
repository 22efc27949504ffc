//! The summary at the end of a process: many applications keep their device in a static, which is never dropped.

use super::ledger::Ledger;
use crate::forward::lock;
use std::panic::catch_unwind;
use std::sync::{Arc, Mutex, Once, Weak};

static LEDGERS: Mutex<Vec<Weak<Ledger>>> = Mutex::new(Vec::new());

/// Registers the ledger to print its summary when the process ends, if it still exists then.
#[expect(unsafe_code, reason = "`atexit` is the only way to run code at the end of a process")]
pub(crate) fn register(ledger: &Arc<Ledger>) {
    static REGISTERED: Once = Once::new();
    // SAFETY: the function may be called by C at any time after this, and does not unwind.
    REGISTERED.call_once(|| {
        let _ = unsafe { libc::atexit(at_exit) };
    });
    let mut ledgers = lock(&LEDGERS);
    ledgers.retain(|known| known.strong_count() > 0);
    ledgers.push(Arc::downgrade(ledger));
}

extern "C" fn at_exit() {
    // A ledger that is locked at this moment is skipped.
    drop(catch_unwind(|| {
        let Ok(ledgers) = LEDGERS.try_lock() else { return };
        ledgers.iter().filter_map(Weak::upgrade).for_each(|ledger| ledger.sum_up());
    }));
}

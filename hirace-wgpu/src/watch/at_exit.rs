//! What is said at the end of a process: many applications keep their device in a static, which nobody drops.

use super::ledger::Ledger;
use crate::forward::lock;
use std::panic::catch_unwind;
use std::sync::{Arc, Mutex, Once, Weak};

static LEDGERS: Mutex<Vec<Weak<Ledger>>> = Mutex::new(Vec::new());

/// Has the ledger sum up when the process ends, if it is still there then.
#[expect(
    unsafe_code,
    reason = "C calls what is to be done at the end of a process, and Rust has no other word for that"
)]
pub(crate) fn sum_up(ledger: &Arc<Ledger>) {
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
    // Whoever is in the midst of something now is not waited for.
    drop(catch_unwind(|| {
        let Ok(ledgers) = LEDGERS.try_lock() else { return };
        ledgers.iter().filter_map(Weak::upgrade).for_each(|ledger| ledger.sum_up());
    }));
}

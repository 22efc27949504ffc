//! Ctrl-C: the first ends the check with what it has, the second ends the process.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit status of a process that a second Ctrl-C ends.
const INTERRUPTED: i32 = 130;

/// A flag that the first Ctrl-C sets. If Ctrl-C cannot be caught here, it ends the process as ever.
pub fn on_interrupt() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            process::exit(INTERRUPTED);
        }
    });
    stop
}

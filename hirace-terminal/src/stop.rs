//! Signals that ask for an end: the first ends the work with what it has, the second ends the process.
//!
//! Those are an interrupt (Ctrl-C), a request to terminate (what `kill`, `docker stop` and CI send) and the
//! end of the terminal. Where whoever started the process had it ignore one of them (`nohup`, `&` in a script), it
//! stays ignored.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A flag that the first signal sets. If signals cannot be caught here, they end the process as ever.
pub fn on_signal() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    // Where they cannot be caught, nothing is lost but the reports of a run that is stopped.
    let _ = catch(Arc::clone(&stop));
    stop
}

#[cfg(unix)]
fn catch(stop: Arc<AtomicBool>) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    use std::sync::atomic::Ordering;
    let ignored = ignored();
    let heard =
        [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = Signals::new(heard)?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            if stop.swap(true, Ordering::Relaxed) {
                // As if nobody had caught it, so that a shell sees why the process ended.
                let _ = emulate_default_handler(signal);
            }
        }
    })?;
    Ok(())
}

/// The signals that this process was started to ignore, a bit each, as far as the system says.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(not(unix))]
fn catch(stop: Arc<AtomicBool>) -> Result<(), ctrlc::Error> {
    /// The exit status of a process that an interrupt ends.
    const INTERRUPTED: i32 = 130;
    ctrlc::set_handler(move || {
        if stop.swap(true, std::sync::atomic::Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
    })
}

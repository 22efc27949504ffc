//! Signals that stop a command: after the first one the command ends with the results so far, the second one ends the
//! process.
//!
//! The signals are SIGINT (Ctrl-C), SIGTERM (sent by `kill`, `docker stop` and CI) and SIGHUP (the terminal was
//! closed). A signal that the process was started to ignore (`nohup`, `&` in a script) stays ignored.

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Returns a flag that the first signal sets. If signals cannot be caught, they end the process by default.
pub fn on_signal() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    // If they cannot be caught, only the reports of a stopped run are lost.
    let _ = catch(Arc::clone(&stop));
    stop
}

/// Ends the process without the exit handlers of libraries. These destroy data that a thread which still runs in a library may use.
pub fn exit_without_handlers(status: ExitCode) -> ! {
    // A failure to print has been reported by the command already.
    let _ = std::io::stdout().flush();
    let number = (0..u8::MAX).find(|number| ExitCode::from(*number) == status);
    let number = i32::from(number.unwrap_or(u8::MAX));
    #[cfg(unix)]
    signal_hook::low_level::exit(number);
    #[cfg(not(unix))]
    std::process::exit(number);
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
                // The default action, so that a shell sees which signal ended the process.
                let _ = emulate_default_handler(signal);
            }
        }
    })?;
    Ok(())
}

/// Returns the signals that this process was started to ignore, one bit each, as far as the system tells.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(not(unix))]
fn catch(stop: Arc<AtomicBool>) -> Result<(), ctrlc::Error> {
    /// The exit status of a process that was interrupted.
    const INTERRUPTED: i32 = 130;
    ctrlc::set_handler(move || {
        if stop.swap(true, std::sync::atomic::Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
    })
}

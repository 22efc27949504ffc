//! Deadlines: waits for work until a stop flag is set or a timeout has passed.

use crate::diagnostic::Diagnostic;
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The interval at which a wait polls the stop flag.
const POLL: Duration = Duration::from_millis(10);

/// The stack size of a thread for work of a library: as large as that of main threads.
const STACK: usize = 8 << 20;

/// Whether a wait has ended before its work.
static HAS_UNFINISHED_WORK: AtomicBool = AtomicBool::new(false);

/// Returns whether a wait has ended before its work. The thread of the work may still run when the process exits.
pub fn has_unfinished_work() -> bool {
    HAS_UNFINISHED_WORK.load(Ordering::Relaxed)
}

/// A stop flag and a deadline, both optional; see the [module](self).
#[derive(Clone, Copy, Debug)]
pub struct Deadline<'a> {
    stop: Option<&'a AtomicBool>,
    /// The timeout and the resulting deadline.
    time: Option<(Duration, Instant)>,
}

/// The outcome of a wait.
#[derive(Debug)]
pub enum WaitOutcome<T> {
    /// The work is done, with this result.
    Done(T),
    /// The stop flag was set.
    Stopped,
    /// The timeout, which is given here, has passed.
    TimedOut(Duration),
}

impl Deadline<'static> {
    /// No stop flag and no deadline.
    pub const NEVER: Self = Self { stop: None, time: None };
}

impl<'a> Deadline<'a> {
    /// Creates a deadline that ends when `stop` is set, or when `timeout` has passed from now.
    pub fn new(stop: Option<&'a AtomicBool>, timeout: Option<Duration>) -> Self {
        let until = |timeout| Some((timeout, Instant::now().checked_add(timeout)?));
        Self { stop, time: timeout.and_then(until) }
    }

    /// Returns whether the stop flag is set or the timeout has passed.
    pub fn is_over(&self) -> bool {
        self.is_stopped() || self.elapsed_timeout().is_some()
    }

    /// Returns whether the stop flag is set.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Returns the timeout if it has passed.
    pub fn elapsed_timeout(&self) -> Option<Duration> {
        self.time.filter(|(_, end)| Instant::now() >= *end).map(|(timeout, _)| timeout)
    }

    /// Returns the remaining time, if there is a deadline.
    pub fn remaining(&self) -> Option<Duration> {
        self.time.map(|(_, end)| end.saturating_duration_since(Instant::now()))
    }

    /// Runs `work` that cannot be interrupted, such as a library call, and waits for it. If the wait ends before the
    /// work does, the work continues on its own thread and its result is dropped.
    pub fn wait<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> WaitOutcome<T> {
        if self.stop.is_none() && self.time.is_none() {
            return WaitOutcome::Done(work());
        }
        let (sender, receiver) = channel();
        let span = tracing::Span::current();
        let thread = thread::Builder::new().stack_size(STACK).spawn(move || {
            // The wait may have ended already.
            let _ = sender.send(span.in_scope(work));
        });
        let Ok(thread) = thread else {
            // `work` was dropped with the thread that the system refused to start, so there is nothing to wait for.
            return WaitOutcome::Stopped;
        };
        loop {
            let next = self.remaining().map_or(POLL, |left| left.min(POLL));
            match receiver.recv_timeout(next) {
                Ok(done) => return WaitOutcome::Done(done),
                Err(RecvTimeoutError::Timeout) if self.is_stopped() => {
                    HAS_UNFINISHED_WORK.store(true, Ordering::Relaxed);
                    return WaitOutcome::Stopped;
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(timeout) = self.elapsed_timeout() {
                        HAS_UNFINISHED_WORK.store(true, Ordering::Relaxed);
                        return WaitOutcome::TimedOut(timeout);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => match thread.join() {
                    Err(panicked) => panic::resume_unwind(panicked),
                    Ok(()) => return WaitOutcome::Stopped,
                },
            }
        }
    }
}

/// Returns the error that `what` did not finish within `timeout`.
pub fn timeout_error(what: &str, timeout: Duration) -> Diagnostic {
    let plural = if timeout == Duration::from_secs(1) { "" } else { "s" };
    let seconds = timeout.as_secs_f64();
    Diagnostic::new(format!("{what} was not done after {seconds} second{plural}")).of_device()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_for_uninterruptible_work_ends_with_the_deadline() {
        let endless = || loop {
            thread::sleep(Duration::from_secs(1));
        };
        let short = Deadline::new(None, Some(Duration::from_millis(1)));
        let waited: WaitOutcome<()> = short.wait(endless);
        assert!(matches!(waited, WaitOutcome::TimedOut(time) if time.as_millis() == 1));
        let stop = AtomicBool::new(true);
        let stopped = Deadline::new(Some(&stop), None);
        assert!(matches!(stopped.wait(endless), WaitOutcome::<()>::Stopped));
        assert!(stopped.is_over() && short.is_over() && !Deadline::NEVER.is_over());
    }

    #[test]
    fn what_is_done_in_time_is_delivered() {
        let patient = Deadline::new(None, Some(Duration::MAX));
        assert!(matches!(patient.wait(|| 7), WaitOutcome::Done(7)));
        assert!(matches!(Deadline::NEVER.wait(|| 7), WaitOutcome::Done(7)));
        let long = Deadline::new(None, Some(Duration::from_secs(3600)));
        assert!(matches!(long.wait(|| 7), WaitOutcome::Done(7)));
        assert!(panic::catch_unwind(|| long.wait(|| panic!("as it is"))).is_err());
    }

    #[test]
    fn the_error_shows_the_timeout_as_given() {
        let said = |millis| timeout_error("it", Duration::from_millis(millis)).message;
        assert_eq!(said(1000), "it was not done after 1 second");
        assert_eq!(said(500), "it was not done after 0.5 seconds");
    }
}

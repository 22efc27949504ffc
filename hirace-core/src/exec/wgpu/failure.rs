//! What goes wrong on a device, in words: nothing that wgpu says reaches the user as it is.

use crate::diagnostic::Diagnostic;
use crate::exec::About;
use crate::exec::embedded::took_too_long;
use hirace_gpu::Error;
use std::fmt::Display;

/// What to do about what only a device fails at.
pub const ELSEWHERE: &str = "check it without --device: the embedded executor may run it";

/// A diagnostic for what is no fault of the input.
pub fn could_not_run(message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(message).of_device()
}

/// Why a device was not opened.
pub fn not_opened(error: Error, about: &About) -> Box<Diagnostic> {
    match error {
        Error::NoCompute => {
            let error = could_not_run(format!("{about} runs no compute shaders"));
            Box::new(error.help("`hirace devices` shows others, if there are any"))
        }
        Error::NotOpened { reason } => {
            with_reason(could_not_run(format!("{about} cannot be used")), &reason)
        }
        error => failed_to("open it")(error),
    }
}

/// Puts an error of a call into words that was to `purpose` («compile `main`»).
pub fn failed_to(purpose: impl Display) -> impl FnOnce(Error) -> Box<Diagnostic> {
    move |error| {
        match error {
        Error::OutOfMemory => Box::new(
            could_not_run(format!("the device has not enough memory to {purpose}")).help(
                "give shorter buffers or a smaller grid; the monitor takes four bytes for each word of memory it watches",
            ),
        ),
        Error::Driver { reason } => {
            let failed = could_not_run(format!("the device's driver failed to {purpose}"));
            with_reason(failed.help(ELSEWHERE), &reason)
        }
        Error::Panicked { reason } => {
            let message = format!("wgpu, which drives the device, failed to {purpose}");
            with_reason(could_not_run(message).help(ELSEWHERE), &reason)
        }
        Error::Lost { reason } => {
            let lost = could_not_run("the device was lost").help(
                "drivers end what runs too long or reads where nothing is: give a smaller grid, or check without --device",
            );
            with_reason(lost, &reason)
        }
        Error::TimedOut { limit } => Box::new(took_too_long(limit)),
        Error::NotWaited { reason } => {
            Box::new(could_not_run("the device could not be waited for").note(reason))
        }
        Error::NotReadable => {
            Box::new(could_not_run("the device's memory cannot be read back").help(ELSEWHERE))
        }
        Error::Invalid { reason } => cannot(purpose, &reason),
        // What is left has facts enough to be its own reason.
        error => cannot(purpose, &error.to_string()),
    }
    }
}

/// The driver gave the device up when it was to compile an entry point.
pub fn lost_over(entry: &str, reason: &str) -> Box<Diagnostic> {
    let message = format!("the device's driver failed to compile `{entry}`, and was lost");
    with_reason(could_not_run(message).help(ELSEWHERE), reason)
}

fn cannot(purpose: impl Display, reason: &str) -> Box<Diagnostic> {
    with_reason(could_not_run(format!("the device cannot {purpose}")).help(ELSEWHERE), reason)
}

fn with_reason(error: Diagnostic, reason: &str) -> Box<Diagnostic> {
    Box::new(match reason.is_empty() {
        true => error,
        false => error.note(format!("the reason given: {reason}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(error: Error) -> (String, Vec<String>) {
        let error = failed_to("compile `main`")(error);
        assert!(error.is_of_device(), "{error}");
        (error.message, error.notes)
    }

    #[test]
    fn the_purpose_and_the_reason_are_named() {
        let (message, notes) = said(Error::Invalid { reason: "too odd".to_owned() });
        assert_eq!(message, "the device cannot compile `main`");
        assert_eq!(notes, ["the reason given: too odd"]);
    }

    #[test]
    fn a_reason_that_is_not_given_is_not_named() {
        let (message, notes) = said(Error::Lost { reason: String::new() });
        assert_eq!((message.as_str(), notes.len()), ("the device was lost", 0));
    }

    #[test]
    fn a_device_without_compute_shaders_is_named() {
        let about = About { name: "old".to_owned(), ..About::default() };
        let refused = not_opened(Error::NoCompute, &about);
        assert_eq!(
            (refused.message.as_str(), refused.is_of_device()),
            ("old runs no compute shaders", true)
        );
    }
}

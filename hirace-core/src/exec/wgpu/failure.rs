//! Converts device errors to diagnostics. The text of wgpu's errors is only shown as a note.
//!
//! **Architecture invariant:** no error or panic of wgpu reaches the user as it is. What the device does not support is found
//! before wgpu is called (`needs`), and reported at the source location (exit status 3). What was checked before a failure is
//! reported too ([`Outcome::failure`](crate::exec::Outcome::failure)), and the rest is checked if the device still works.

use crate::diagnostic::Diagnostic;
use crate::exec::DeviceInfo;
use crate::exec::embedded::launch_timeout_error;
use hirace_gpu::Error;
use std::fmt::Display;

/// The purpose of a read-back, for messages.
pub const READ_BACK: &str = "copy its memory back";

/// The help for failures that are specific to the device.
pub const ELSEWHERE: &str = "check it without --device: the embedded executor may run it";

/// Returns a diagnostic for a failure that is not caused by the input.
pub fn could_not_run(message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(message).of_device()
}

/// Returns the diagnostic for a device that was not opened.
pub fn not_opened(error: Error, about: &DeviceInfo) -> Box<Diagnostic> {
    match error {
        Error::NoCompute => {
            let error = could_not_run(format!("{about} does not support compute shaders"));
            Box::new(error.help("run `hirace devices` to list other devices"))
        }
        Error::NotOpened { reason } => {
            with_reason(could_not_run(format!("{about} cannot be used")), &reason)
        }
        error => failed_to("open it")(error),
    }
}

/// Returns a function that converts the error of a call, whose `purpose` is an infinitive such as "compile `main`".
pub fn failed_to(purpose: impl Display) -> impl FnOnce(Error) -> Box<Diagnostic> {
    move |error| {
        match error {
        Error::OutOfMemory => Box::new(
            could_not_run(format!("the device does not have enough memory to {purpose}")).help(
                "use shorter buffers or a smaller grid: the monitor needs four bytes for each watched word of memory",
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
                "use a smaller grid, or check without --device: drivers reset a device when a shader runs too long or reads unmapped memory",
            );
            with_reason(lost, &reason)
        }
        Error::TimedOut { limit } => Box::new(launch_timeout_error(limit)),
        Error::NotWaited { reason } => {
            Box::new(could_not_run("waiting for the device failed").note(reason))
        }
        Error::NotReadable => {
            Box::new(could_not_run("the device's memory cannot be read back").help(ELSEWHERE))
        }
        Error::Invalid { reason } => cannot(purpose, &reason),
        // The remaining errors describe their own reason.
        error => cannot(purpose, &error.to_string()),
    }
    }
}

/// Returns the diagnostic for a driver that lost the device when it compiled an entry point.
pub fn lost_while_compiling(entry: &str, reason: &str) -> Box<Diagnostic> {
    let message =
        format!("the device's driver failed to compile `{entry}`, and the device was lost");
    with_reason(could_not_run(message).help(ELSEWHERE), reason)
}

fn cannot(purpose: impl Display, reason: &str) -> Box<Diagnostic> {
    let error = could_not_run(format!("the device cannot {purpose}")).of_unsupported();
    with_reason(error.help(ELSEWHERE), reason)
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
        let about = DeviceInfo { name: "old".to_owned(), ..DeviceInfo::default() };
        let refused = not_opened(Error::NoCompute, &about);
        assert_eq!(
            (refused.message.as_str(), refused.is_of_device()),
            ("old does not support compute shaders", true)
        );
    }
}

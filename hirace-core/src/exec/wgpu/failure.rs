//! What goes wrong on a device, in words: nothing that wgpu says reaches the user as it is.

use crate::diagnostic::{Diagnostic, Result};
use crate::ir::guard;
use wgpu::ErrorFilter;

/// What to do about what only a device fails at.
pub const ELSEWHERE: &str = "check it without --device: the embedded executor may run it";

/// A diagnostic for what is no fault of the input.
pub fn could_not_run(message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(message).of_device()
}

/// Does `work` with a device, which is to `purpose` («compile `main`»), and takes its errors and
/// panics for what they are.
pub fn guarded<T: Send>(
    device: &wgpu::Device,
    purpose: &str,
    work: impl FnOnce() -> T + Send,
) -> Result<T> {
    // Scopes belong to a thread.
    let done = guard::run(|| {
        let scopes = [ErrorFilter::OutOfMemory, ErrorFilter::Internal, ErrorFilter::Validation]
            .map(|filter| device.push_error_scope(filter));
        let value = work();
        // All are popped, in the order that wgpu wants. What is invalid may be so for want of memory.
        let errors = scopes.into_iter().rev().map(|scope| pollster::block_on(scope.pop()));
        (value, errors.flatten().last())
    });
    match done {
        Ok((value, None)) => Ok(value),
        Ok((_, Some(error))) => Err(Box::new(told(purpose, &error))),
        Err(panic) => {
            let failed =
                could_not_run(format!("wgpu, which drives the device, failed to {purpose}"));
            let failed = failed.note(format!("the reason given: {}", last_line(&panic)));
            Err(Box::new(failed.help(ELSEWHERE)))
        }
    }
}

fn told(purpose: &str, error: &wgpu::Error) -> Diagnostic {
    match error {
        wgpu::Error::OutOfMemory { .. } => {
            could_not_run(format!("the device has not enough memory to {purpose}")).help(
                "give shorter buffers or a smaller grid; the monitor takes four bytes for each word of memory it watches",
            )
        }
        wgpu::Error::Validation { source, .. } => {
            could_not_run(format!("the device cannot {purpose}"))
                .note(format!("the reason given: {}", innermost(source.as_ref())))
                .help(ELSEWHERE)
        }
        wgpu::Error::Internal { source, .. } => {
            could_not_run(format!("the device's driver failed to {purpose}"))
                .note(format!("the reason given: {}", innermost(source.as_ref())))
                .help(ELSEWHERE)
        }
    }
}

/// The reason that an error gives last, which is the one that says something.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    one_line(&innermost.to_string())
}

/// The last line of a panic's message that has words: those before lead to it. Quoted errors have their line breaks
/// escaped.
fn last_line(panic: &str) -> String {
    let text = panic.replace("\\n", "\n");
    let mut lines =
        text.lines().map(|line| line.trim_matches(|c: char| !c.is_alphanumeric() && c != '`'));
    one_line(lines.rfind(|line| line.chars().any(char::is_alphabetic)).unwrap_or(panic))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn of_a_panic_its_last_line_is_told() {
        let panic = r#"Failed to map: MapRangeError("Validation Error\n\nCaused by:\n Buffer with 'out' label is invalid\n")"#;
        assert_eq!(super::last_line(panic), "Buffer with 'out' label is invalid");
        assert_eq!(super::last_line("no good"), "no good");
        assert_eq!(super::last_line(""), "");
    }
}

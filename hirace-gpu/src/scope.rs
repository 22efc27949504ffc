//! Calls of wgpu, with all that can become of them: a value, a panic, or an error that wgpu puts into the error
//! scopes of the calling thread.

use crate::error::{Error, Result};
use crate::guard::{caught, caught_with_large_stack};
use wgpu::ErrorFilter;

/// Does `work` with a device.
pub fn scoped<T>(device: &wgpu::Device, work: impl FnOnce() -> T) -> Result<T> {
    result(caught(|| with_scopes(device, work)))
}

/// Does `work` with a device, on a large stack: for what is recursive in the depth of a shader.
pub fn scoped_with_large_stack<T: Send>(
    device: &wgpu::Device,
    work: impl FnOnce() -> T + Send,
) -> Result<T> {
    result(caught_with_large_stack(|| with_scopes(device, work)))
}

/// What `work` gives, and the errors of its calls.
fn with_scopes<T>(device: &wgpu::Device, work: impl FnOnce() -> T) -> (T, Option<wgpu::Error>) {
    let scopes = [ErrorFilter::OutOfMemory, ErrorFilter::Internal, ErrorFilter::Validation]
        .map(|filter| device.push_error_scope(filter));
    let value = work();
    // All are popped, in the order that wgpu wants. What is invalid may be so for want of memory.
    let errors = scopes.into_iter().rev().map(|scope| pollster::block_on(scope.pop()));
    (value, errors.flatten().last())
}

fn result<T>(done: std::result::Result<(T, Option<wgpu::Error>), String>) -> Result<T> {
    match done {
        Ok((value, None)) => Ok(value),
        Ok((_, Some(error))) => Err(typed(&error)),
        Err(panic) => Err(Error::Panicked { reason: last_line(&panic) }),
    }
}

fn typed(error: &wgpu::Error) -> Error {
    match error {
        wgpu::Error::OutOfMemory { .. } => Error::OutOfMemory,
        wgpu::Error::Validation { source, .. } => {
            Error::Invalid { reason: innermost(source.as_ref()) }
        }
        wgpu::Error::Internal { source, .. } => {
            Error::Driver { reason: innermost(source.as_ref()) }
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
    fn of_a_panic_the_last_line_counts() {
        let panic = r#"Failed to map: MapRangeError("Validation Error\n\nCaused by:\n Buffer with 'out' label is invalid\n")"#;
        assert_eq!(super::last_line(panic), "Buffer with 'out' label is invalid");
        assert_eq!(super::last_line("no good"), "no good");
        assert_eq!(super::last_line(""), "");
    }
}

//! Calls of wgpu as results: a value, a panic, or an error that wgpu reports to the error scopes of the calling thread.

use crate::error::{Error, Result};
use crate::guard::{catch_panic, catch_panic_with_large_stack};
use wgpu::ErrorFilter;

/// Does `work` with a device, and returns its panics and errors as values.
pub fn scoped<T>(device: &wgpu::Device, work: impl FnOnce() -> T) -> Result<T> {
    result(catch_panic(|| with_scopes(device, work)))
}

/// Does `work` with a device on a large stack, for recursion over the depth of a shader.
pub fn scoped_with_large_stack<T: Send>(
    device: &wgpu::Device,
    work: impl FnOnce() -> T + Send,
) -> Result<T> {
    result(catch_panic_with_large_stack(|| with_scopes(device, work)))
}

/// Returns the value of `work` and the error of its calls, if there is one.
fn with_scopes<T>(device: &wgpu::Device, work: impl FnOnce() -> T) -> (T, Option<wgpu::Error>) {
    let scopes = [ErrorFilter::OutOfMemory, ErrorFilter::Internal, ErrorFilter::Validation]
        .map(|filter| device.push_error_scope(filter));
    let value = work();
    // All scopes are popped, in the order that wgpu requires. A call may be invalid because memory was exhausted, so
    // the out-of-memory error takes precedence.
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

/// Returns the innermost source of an error, which is the most specific one.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    one_line(&innermost.to_string())
}

/// Returns the last line of a panic's message that contains words; the lines before it only lead to it. Quoted errors
/// have escaped line breaks.
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

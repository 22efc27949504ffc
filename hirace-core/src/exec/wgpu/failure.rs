//! What goes wrong on a device, in words: nothing that wgpu says reaches the user as it is.

use crate::diagnostic::{Diagnostic, Result};
use crate::front::guard;
use wgpu::ErrorFilter;

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
        let errors = scopes.into_iter().rev().map(|scope| pollster::block_on(scope.pop()));
        // All are popped, in the order that wgpu wants.
        (value, errors.collect::<Vec<_>>().into_iter().flatten().next())
    });
    match done {
        Ok((value, None)) => Ok(value),
        Ok((_, Some(error))) => Err(Box::new(told(purpose, &error))),
        Err(panic) => {
            let failed = could_not_run(format!("wgpu failed to {purpose}"));
            Err(Box::new(failed.note(format!("it said: {}", one_line(&panic)))))
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
            could_not_run(format!("the device cannot {purpose}")).note(innermost(source.as_ref()))
        }
        wgpu::Error::Internal { source, .. } => {
            could_not_run(format!("the device's driver failed to {purpose}"))
                .note(innermost(source.as_ref()))
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

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

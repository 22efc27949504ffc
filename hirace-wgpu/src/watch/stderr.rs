//! The standard error stream.

use std::io::Write as _;

/// Writes to the standard error stream directly, because test runners hide what passing tests print.
pub(crate) fn print_stderr(text: &str) {
    // If standard error cannot be written, there is no other place to report to.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

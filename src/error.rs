//! Errors that are readable when a test returns or unwraps them.

use hirace_core::diagnostic::Diagnostic;
use hirace_core::report::text;
use hirace_runtime::LayoutError;
use std::fmt;
use std::ops::Deref;

/// The result of an operation on a kernel or a launch. A test can return it.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error in a kernel or a launch. It dereferences to a [`Diagnostic`].
///
/// `{}` formats its message, and `{:?}` formats all of it as the `hirace` command does, including source lines. This is what the
/// output of a test shows if the test returns or unwraps the error.
///
/// ```
/// let error = hirace::Kernel::from_wgsl("sum.wgsl", "fn sum() -> u32 { return 1.5; }").unwrap_err();
/// assert!(format!("{error:?}").contains("sum.wgsl:1:"));
/// ```
#[derive(Clone)]
pub struct Error(Box<Diagnostic>);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(text::diagnostic(&self.0, style()).trim_end())
    }
}

impl std::error::Error for Error {}

impl Deref for Error {
    type Target = Diagnostic;

    fn deref(&self) -> &Diagnostic {
        &self.0
    }
}

impl From<Box<Diagnostic>> for Error {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Self(diagnostic)
    }
}

impl From<LayoutError> for Error {
    fn from(none: LayoutError) -> Self {
        Self(Box::new(Diagnostic::new(none.to_string())))
    }
}

/// Returns the style of output in tests: with colors only if `CARGO_TERM_COLOR=always`, because the output of tests is usually
/// captured.
pub(crate) fn style() -> text::Style {
    let colour = std::env::var_os("CARGO_TERM_COLOR").is_some_and(|when| when == "always");
    text::Style { colour, ..text::Style::default() }
}

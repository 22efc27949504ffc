//! Errors that are readable when a test returns or unwraps them.

use hirace_core::diagnostic::Diagnostic;
use hirace_core::report::document::ErrorPlace;
use hirace_core::report::{text, words};
use hirace_runtime::LayoutError;
use std::fmt;

/// The result of an operation on a kernel or a launch. A test can return it.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error in a kernel or a launch.
///
/// `{}` formats its message, and `{:?}` formats all of it as the `hirace` command does, including source lines. This is what the
/// output of a test shows if the test returns or unwraps the error. The exact texts are not covered by Semantic Versioning.
///
/// ```
/// let error = hirace::Kernel::from_wgsl("sum.wgsl", "fn sum() -> u32 { return 1.5; }").unwrap_err();
/// assert!(format!("{error:?}").contains("sum.wgsl:1:"));
/// assert_eq!((&*error.places()[0].file, error.places()[0].line), ("sum.wgsl", 1));
/// ```
#[derive(Clone)]
pub struct Error(Box<Diagnostic>);

impl Error {
    /// Returns the problem in one line, without its location. It names the input if there is no location.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the source locations of the problem, the most important one first. The list is empty if the problem is not in a
    /// source text, for example if a launch names a buffer that the kernel does not have.
    pub fn places(&self) -> Vec<ErrorPlace> {
        words::places(&self.0).collect()
    }

    /// Returns further facts about the problem, such as the types that were found and expected; each is one line.
    pub fn notes(&self) -> &[String] {
        &self.0.notes
    }

    /// Returns a way to solve the problem, if one is known.
    pub fn help(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// Returns whether the cause is the device or a lack of resources. Otherwise, the cause is the kernel or the launch.
    /// `hirace` exits with 3 for such an error, and with 2 for other errors.
    pub fn is_of_device(&self) -> bool {
        self.0.is_of_device()
    }
}

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

#[doc(hidden)]
impl From<Box<Diagnostic>> for Error {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Self(diagnostic)
    }
}

impl From<LayoutError> for Error {
    fn from(error: LayoutError) -> Self {
        Self(Box::new(Diagnostic::new(error.to_string())))
    }
}

/// Returns the style of output in tests: with colors only if `CARGO_TERM_COLOR=always`, because the output of tests is usually
/// captured.
pub(crate) fn style() -> text::Style {
    let color = std::env::var_os("CARGO_TERM_COLOR").is_some_and(|when| when == "always");
    text::Style::default().with_color(color)
}

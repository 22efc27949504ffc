//! Diagnostics: what is wrong with an input, and where. Every error that is caused by an input is reported as one.

use crate::source_map::{SourceMap, Span};

/// The result of an operation that may fail because of an input. The error is boxed because a diagnostic is large and rare.
pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// An error in an input, with labeled spans if there are any. The text reporter renders it; it never panics and always names the
/// input.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Diagnostic {
    /// The problem in one line, without its location.
    pub message: String,
    /// The source text, if the diagnostic points into one.
    pub source_map: Option<SourceMap>,
    /// Spans in the source, the primary one first, each with its label text (possibly empty).
    pub labels: Vec<(Span, String)>,
    /// Notes.
    pub notes: Vec<String>,
    /// How to solve the problem.
    pub help: Option<String>,
    /// What caused the error.
    pub cause: Cause,
}

/// What caused an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cause {
    /// The input.
    #[default]
    Input,
    /// The input is not a kernel by itself (a template, a part of other files, a shader without a compute entry point). In a
    /// folder, such a file is skipped.
    NoKernel,
    /// The input uses a name that it does not define. Another file, or another part of a program, may define it.
    Undefined,
    /// The device, or a lack of resources on it. The input may be correct.
    Device,
    /// The device does not support the input, for example because it exceeds a limit.
    Unsupported,
}

impl Diagnostic {
    /// Creates a diagnostic without a location (a missing file, an invalid flag).
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            source_map: None,
            labels: Vec::new(),
            notes: Vec::new(),
            help: None,
            cause: Cause::default(),
        }
    }

    /// Marks the device, not the input, as the cause.
    pub fn of_device(mut self) -> Self {
        self.cause = Cause::Device;
        self
    }

    /// Marks the input as one that the device does not support.
    pub fn of_unsupported(mut self) -> Self {
        self.cause = Cause::Unsupported;
        self
    }

    /// Marks the input as not being a kernel by itself.
    pub fn of_no_kernel(mut self) -> Self {
        self.cause = Cause::NoKernel;
        self
    }

    /// Marks the input as one that uses a name which it does not define.
    pub fn of_undefined(mut self) -> Self {
        self.cause = Cause::Undefined;
        self
    }

    /// Returns whether the device, not the input, is the cause.
    pub fn is_of_device(&self) -> bool {
        matches!(self.cause, Cause::Device | Cause::Unsupported)
    }

    /// Creates a diagnostic at a span of `source`.
    pub fn at(source: &SourceMap, span: Span, message: impl Into<String>) -> Self {
        Self { source_map: Some(source.clone()), ..Self::new(message) }.label(span, "")
    }

    /// Adds a labeled span.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push((span, text.into()));
        self
    }

    /// Adds a note.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Sets the help text.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}

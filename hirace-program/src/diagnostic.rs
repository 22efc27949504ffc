//! What is wrong with an input, and where: every error that comes from outside ends up here.

use crate::source_map::{SourceMap, Span};

/// The result of whatever may fail on an input. Boxed: a diagnostic is large and rare.
pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// An error in an input, with labelled places where there are any. Rendered by
/// the text reporter; it never panics and always names the input.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Diagnostic {
    /// What is wrong, in one line, without the place.
    pub message: String,
    /// The input, when there is a text to point into.
    pub source_map: Option<SourceMap>,
    /// Places in it, the main one first, each with what to say there (possibly nothing).
    pub labels: Vec<(Span, String)>,
    /// Further facts.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// What is at fault.
    pub cause: Cause,
}

/// What is at fault where something went wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cause {
    /// The input.
    #[default]
    Input,
    /// The input is no kernel by itself (a template, a part of others, a shader without a compute
    /// entry point): among the files of a folder it is passed over.
    NoKernel,
    /// The device, or what it is short of: the input may be as it should.
    Device,
}

impl Diagnostic {
    /// A diagnostic that points nowhere (a missing file, a bad flag).
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

    /// Says that the device is at fault, or short of something, and not the input.
    pub fn of_device(mut self) -> Self {
        self.cause = Cause::Device;
        self
    }

    /// Says that the input is no kernel by itself.
    pub fn of_no_kernel(mut self) -> Self {
        self.cause = Cause::NoKernel;
        self
    }

    /// Whether the device is at fault, and not the input.
    pub fn is_of_device(&self) -> bool {
        self.cause == Cause::Device
    }

    /// A diagnostic about a place in `source`.
    pub fn at(source: &SourceMap, span: Span, message: impl Into<String>) -> Self {
        Self { source_map: Some(source.clone()), ..Self::new(message) }.label(span, "")
    }

    /// Adds a labelled place.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push((span, text.into()));
        self
    }

    /// Adds a note.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Sets the help line.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}

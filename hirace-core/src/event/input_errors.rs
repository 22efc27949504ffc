//! Inputs that could not be read or run, for documents that list them.

use super::{Event, Listener};
use crate::diagnostic::Diagnostic;
use serde::{Deserialize, Serialize};

/// The reason why an input could not be read or run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InputError {
    /// The input, as given; absent if the error does not concern a single input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The error message.
    pub message: String,
    /// A way to resolve the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl InputError {
    /// Converts the error of an input.
    pub fn new(file: Option<&str>, error: &Diagnostic) -> Self {
        let (message, help) = (error.message.clone(), error.help.clone());
        Self { file: file.map(str::to_owned), message, help }
    }
}

/// Collects the errors of a run.
pub struct InputErrors<'a> {
    /// The input that is being read.
    input: Option<String>,
    errors: &'a mut Vec<InputError>,
}

impl<'a> InputErrors<'a> {
    /// Creates a listener that appends to this list.
    pub fn new(errors: &'a mut Vec<InputError>) -> Self {
        Self { input: None, errors }
    }
}

impl Listener for InputErrors<'_> {
    fn event(&mut self, event: &Event<'_>) {
        match *event {
            Event::InputStarted { input } => self.input = Some(input.to_owned()),
            Event::InputEnded { .. } => self.input = None,
            Event::Error(error) => {
                self.errors.push(InputError::new(self.input.as_deref(), error));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::InputEnd;

    #[test]
    fn errors_name_the_input_being_read() {
        let mut errors = Vec::new();
        let mut listener = InputErrors::new(&mut errors);
        let error = Diagnostic::new("no").help("yes");
        listener.event(&Event::InputStarted { input: "a.wgsl" });
        listener.event(&Event::Warning(&error));
        listener.event(&Event::Error(&error));
        listener.event(&Event::InputEnded { input: "a.wgsl", end: InputEnd::Done });
        listener.event(&Event::Error(&error));
        let files: Vec<_> = errors.iter().map(|error| error.file.as_deref()).collect();
        assert_eq!(files, [Some("a.wgsl"), None]);
        assert_eq!((&*errors[0].message, errors[0].help.as_deref()), ("no", Some("yes")));
    }
}

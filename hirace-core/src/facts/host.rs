//! The host program that dispatched a launch, for launches captured from a running application.

/// A dispatch of an application, with the labels that the application uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostDispatch {
    /// The label of the pipeline.
    pub pipeline: Option<String>,
    /// The label of the pass.
    pub pass: Option<String>,
    /// The number of the dispatch among those that the application ran on the device, from 1.
    pub number: u64,
}

impl HostDispatch {
    /// Creates a dispatch with its labels.
    #[doc(hidden)]
    pub fn new(pipeline: Option<String>, pass: Option<String>, number: u64) -> Self {
        Self { pipeline, pass, number }
    }
}

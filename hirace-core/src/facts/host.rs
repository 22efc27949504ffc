//! Who dispatched what was checked, where that is a program that runs.

/// A dispatch of an application's, by what the application calls things.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostDispatch {
    /// The label of the pipeline.
    pub pipeline: Option<String>,
    /// The label of the pass.
    pub pass: Option<String>,
    /// The number of the dispatch in what the application ran on the device, from 1.
    pub number: u64,
}

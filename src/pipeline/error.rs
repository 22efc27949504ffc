//! Errors of pipelines.

use crate::LayoutError;
use std::fmt;

/// The result of an operation on a device.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of an operation on a device.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The device or wgpu refused the operation, or failed.
    Device(hirace_gpu::Error),
    /// The value has a type that cannot be stored in buffers.
    NoLayout(LayoutError),
    /// The arguments were bound to another pipeline.
    OtherPipeline,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Device(error) => error.fmt(f),
            Self::NoLayout(none) => none.fmt(f),
            Self::OtherPipeline => f.write_str(
                "the arguments were bound to another pipeline: bind them with the pipeline that is dispatched",
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Device(error) => Some(error),
            Self::NoLayout(none) => Some(none),
            Self::OtherPipeline => None,
        }
    }
}

impl From<hirace_gpu::Error> for Error {
    fn from(error: hirace_gpu::Error) -> Self {
        Self::Device(error)
    }
}

impl From<LayoutError> for Error {
    fn from(none: LayoutError) -> Self {
        Self::NoLayout(none)
    }
}

/// Allows a test that checks a kernel to run it on a device as well.
#[cfg(feature = "check")]
impl From<Error> for crate::Error {
    fn from(error: Error) -> Self {
        Box::new(hirace_core::diagnostic::Diagnostic::new(error.to_string()).of_device()).into()
    }
}

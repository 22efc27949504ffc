//! The errors of a device, as facts. The caller adds what it was doing.

use crate::adapter::Adapter;
use crate::fits::Excess;
use std::time::Duration;

/// The result of an operation on a device.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of the device service.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No driver offers a device.
    #[error("no usable GPU driver was found")]
    NoAdapter,
    /// Drivers offer devices, but not the one that was chosen.
    #[error("there is no device `{choice}`")]
    NoSuchAdapter {
        /// The requested device.
        choice: String,
        /// The available devices.
        #[doc(hidden)]
        adapters: Vec<Adapter>,
    },
    /// The device runs no compute shaders.
    #[error("the device runs no compute shaders")]
    NoCompute,
    /// The driver could not open the device.
    #[error("the device cannot be used: {reason}")]
    NotOpened {
        /// The message of wgpu.
        reason: String,
    },
    /// The device was lost, or abandoned to a job that did not end.
    #[error("the device was lost: {reason}")]
    Lost {
        /// The message of the driver; may be empty.
        reason: String,
    },
    /// The device is out of memory.
    #[error("the device is out of memory")]
    OutOfMemory,
    /// A size exceeds the device's limits. The device was not used.
    #[error("{0}")]
    TooLarge(Excess),
    /// A job timed out. The device is abandoned to it, and lost.
    #[error("the job was not done after {limit:?}")]
    TimedOut {
        /// The timeout.
        limit: Duration,
    },
    /// The stop flag was set before a job was done. The device is abandoned to it, and lost.
    #[error("the job was stopped")]
    Stopped,
    /// WGSL that cannot be parsed.
    #[error("{line}:{column}: {message}")]
    Wgsl {
        /// The line, from 1; 0 if the location is not known.
        line: u32,
        /// The column in bytes, from 1.
        column: u32,
        /// The parser's message.
        message: String,
    },
    /// wgpu rejected the call as invalid.
    #[error("the device rejected the call: {reason}")]
    Invalid {
        /// The message of wgpu in one line.
        reason: String,
    },
    /// The driver failed.
    #[error("the device's driver failed: {reason}")]
    Driver {
        /// The message of wgpu in one line.
        reason: String,
    },
    /// wgpu panicked.
    #[error("wgpu failed: {reason}")]
    Panicked {
        /// The last line of the panic's message that contains words.
        reason: String,
    },
    /// wgpu could not wait for a job.
    #[error("waiting for the device failed: {reason}")]
    NotWaited {
        /// The message of wgpu.
        reason: String,
    },
    /// Memory that was copied back could not be mapped.
    #[error("the device's memory cannot be read back")]
    NotReadable,
}

impl<T: Into<Excess>> From<T> for Error {
    fn from(excess: T) -> Self {
        Self::TooLarge(excess.into())
    }
}

//! What can go wrong on a device, as facts. Whoever made the call knows what was to be done, and says so.

use crate::Adapter;
use crate::fits::Excess;
use std::time::Duration;

/// The result of whatever a device may fail at.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// No driver offers a device.
    #[error("there is no GPU driver here that can be used")]
    NoAdapter,
    /// Drivers offer devices, but not the one that was chosen.
    #[error("there is no device `{choice}`")]
    NoSuchAdapter {
        /// What was asked for.
        choice: String,
        /// Those that there are.
        adapters: Vec<Adapter>,
    },
    /// The device runs no compute shaders.
    #[error("the device runs no compute shaders")]
    NoCompute,
    /// The driver does not open the device.
    #[error("the device cannot be used: {reason}")]
    NotOpened {
        /// What wgpu says of it.
        reason: String,
    },
    /// The device was lost, or left to a job that did not end.
    #[error("the device was lost: {reason}")]
    Lost {
        /// What the driver says of it; may be empty.
        reason: String,
    },
    /// The device has no memory left for it.
    #[error("the device has not enough memory")]
    OutOfMemory,
    /// More than the device takes. Nothing was asked of it.
    #[error("{0}")]
    TooLarge(Excess),
    /// A job was not done in time. The device is left to it, and lost.
    #[error("the job was not done after {limit:?}")]
    TimedOut {
        /// The time that it had.
        limit: Duration,
    },
    /// A job was not done when the flag to stop was set. The device is left to it, and lost.
    #[error("the job was stopped")]
    Stopped,
    /// WGSL that does not parse.
    #[error("{line}:{column}: {message}")]
    Wgsl {
        /// The line, from 1; 0 if no place is known.
        line: u32,
        /// The column in it, from 1, in bytes.
        column: u32,
        /// What is wrong with it.
        message: String,
    },
    /// wgpu refuses it as invalid.
    #[error("the device refuses it: {reason}")]
    Invalid {
        /// What wgpu says of it, in one line.
        reason: String,
    },
    /// The driver failed at it.
    #[error("the device's driver failed: {reason}")]
    Driver {
        /// What wgpu says of it, in one line.
        reason: String,
    },
    /// wgpu panicked.
    #[error("wgpu failed: {reason}")]
    Panicked {
        /// The last line of the panic's message that has words.
        reason: String,
    },
    /// wgpu does not wait for a job.
    #[error("the device could not be waited for: {reason}")]
    NotWaited {
        /// What wgpu says of it.
        reason: String,
    },
    /// Memory that was copied back cannot be looked at.
    #[error("the device's memory cannot be read back")]
    NotReadable,
}

impl<T: Into<Excess>> From<T> for Error {
    fn from(excess: T) -> Self {
        Self::TooLarge(excess.into())
    }
}

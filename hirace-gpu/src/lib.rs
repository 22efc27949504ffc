//! The device service: everything that clients of a GPU have in common, over wgpu, and nothing that is specific to one
//! client.
//!
//! To check kernels on a device, use the crate `hirace` with the feature `gpu`, or the command `hirace`. This crate can be used on
//! its own, but its API changes whenever `hirace` needs a change.
//!
//! A client lists [`adapters`] or chooses one of them ([`choose`]), opens a [`Device`], and holds it while it works
//! ([`Device::hold`]). While it holds the device, it has an [`OpenDevice`], which
//! - creates buffers and textures, and rejects what exceeds the device's limits before it allocates memory;
//! - compiles a [`Shader`], and reuses the pipeline for the same content;
//! - runs a [`Job`], a sequence of dispatches, writes and copies, in one submission, and waits for it within a [`WaitLimit`]: a
//!   timeout and a stop flag;
//! - measures how long jobs take, with timestamp queries if it was opened with them ([`clock_features`]);
//! - reads buffers and textures back.
//!
//! Every failure is an [`Error`] with one of a few kinds: wgpu's panics and the errors of each call are caught where
//! the call is made. A device that was lost, or was abandoned because a job
//! did not terminate, is reopened when it is held the next time.
//!
//! Modules: `about` and `adapter` (the available devices), `device` and `opened` (a device in use), `wait` (timeouts),
//! `fits` (limits), `memory` (buffers), `texture` and `paint` (textures), `content`, `cache` and `pipeline`
//! (compilation), `job` (execution) and `clock` (its duration), `application` (the same on a device that an application
//! uses), `error`, `guard` and `scope` (failures).
//!
//! **Architecture invariant:** this crate depends on no other crate of hirace, and it writes no messages for users: clients turn
//! errors into messages.

mod about;
mod adapter;
pub mod application;
mod cache;
mod choice;
mod clock;
mod content;
mod device;
mod error;
pub mod fits;
mod guard;
mod job;
mod memory;
mod opened;
mod paint;
mod pipeline;
mod scope;
mod shader;
mod texture;
mod wait;

pub use about::DeviceInfo;
pub use adapter::{Adapter, adapters};
pub use cache::Counts;
pub use choice::choose;
pub use clock::clock_features;
pub use content::Content;
pub use device::Device;
pub use error::{Error, Result};
pub use fits::Excess;
pub use job::{Binding, Bindings, Job};
pub use opened::{OpenDevice, compute_features};
pub use shader::{Shader, Source};
pub use texture::storage_format;
pub use wait::{TIME_LIMIT, WaitLimit};

/// The version of wgpu that this service uses. Its types occur in the signatures of this crate.
pub use wgpu;

//! The device service: what every client of a GPU needs, over wgpu, and nothing of what clients are for.
//!
//! To check kernels on a device, use `hirace` with the feature `gpu`, or the command. This crate can be used by itself; it
//! changes as `hirace` needs it to.
//!
//! A client lists [`adapters`] or chooses one of them ([`choose`]), opens a [`Device`] and holds it for as long as it
//! works ([`Device::hold`]). While it holds it, it has an [`Opened`], which
//! - makes buffers and textures, and refuses what the device cannot hold before memory is asked for;
//! - compiles a [`Shader`], and gives the pipeline out again for the same content;
//! - runs a [`Job`]: dispatches, writes and copies in order, in one submission, [`Until`] a time limit or a flag;
//! - says how long jobs take, by its own clock if it was opened with one ([`clock_features`]);
//! - reads buffers and textures back.
//!
//! Whatever fails is an [`Error`] that says which of a few things it was: wgpu's panics and its errors of each call
//! are caught where the call is made. A device that is lost, or left to a job that did not end, is opened anew when
//! it is held next.
//!
//! The modules: `about` and `adapter` (which devices there are), `device` and `opened` (one in use), `wait` (for
//! how long), `fits` (what is too large), `memory` (buffers), `texture` and `paint`, `content`, `cache` and `pipeline`
//! (what is compiled), `job` (what is run) and `clock` (how long that takes), `application` (the same on a device that others use), `error`, `guard` and `scope` (what went wrong).

mod about;
mod adapter;
pub mod application;
mod cache;
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
mod texture;
mod wait;

pub use about::About;
pub use adapter::{Adapter, adapters, choose};
pub use cache::Counts;
pub use clock::clock_features;
pub use content::Content;
pub use device::Device;
pub use error::{Error, Result};
pub use fits::Excess;
pub use job::{Binding, Bindings, Job};
pub use opened::{Opened, compute_features};
pub use pipeline::{Shader, Source};
pub use texture::storage_format;
pub use wait::{TIME_LIMIT, Until};

/// The version of wgpu that this service drives devices with: its types stand in the signatures here.
pub use wgpu;

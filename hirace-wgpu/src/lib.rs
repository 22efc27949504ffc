//! A wgpu instance that passes everything on to another one, and shows each compute dispatch to a watcher.
//!
//! An application changes one line:
//!
//! ```no_run
//! # let descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
//! let instance = hirace_wgpu::instance(descriptor); // was: wgpu::Instance::new(descriptor)
//! ```
//!
//! All that is made from it, adapters to buffers, is of wgpu's own types and behaves as before: each object holds the
//! one that it stands for (the *inner* object), and each call is made on that. A watcher is whatever implements
//! [`Hooks`] and [`Watcher`]; [`wrapped`] takes one. Nothing here knows what it watches for.
//!
//! ## What is not passed on
//! - **Objects of another instance.** An object that was made by a plain instance, or by another wrapped one, is a
//!   validation error that says so, where plain wgpu would panic or take another object that has the same number. In an
//!   encoder the error comes when it is finished, as wgpu's own errors do; what was made with such an object is
//!   invalid.
//! - **The API below.** `as_hal` gives `None` of each object (and the closure of `CommandEncoder::as_hal_mut` gets
//!   `None`), `Instance::generate_report` too. `create_*_from_hal` panics in wgpu itself, before anything here is
//!   asked.
//! - **The web.** wgpu's traits have other methods there; this crate is for native targets.
//!
//! ## What is passed on and not watched
//! Render pipelines and mesh pipelines ([`Unwatched`]), and shaders that come without a form that can be read
//! ([`Source::Passthrough`], [`Source::Unread`]): a watcher is shown that they are there.
//!
//! The modules: `hooks` (the seam), `forward` (wgpu's traits, a file for each kind of object).

#[cfg(target_family = "wasm")]
compile_error!("hirace-wgpu is for native targets: on the web, wgpu's traits have other methods");

mod forward;
mod hooks;

pub use hooks::{
    Bound, BoundGroup, BufferPart, ComputePipeline, Dispatch, Entry, GroupLayout, Hooks, Layout,
    MadePipeline, Module, PipelineRequest, Record, Resource, Source, Submission, Unwatched,
    Watcher, Workgroups,
};

/// The version of wgpu that is wrapped: its types stand in the signatures here.
pub use wgpu;

use std::sync::Arc;

/// What stands in the place of `wgpu::Instance::new`.
///
/// # Panics
/// Where `wgpu::Instance::new` does: if no back end was compiled in.
#[must_use]
pub fn instance(descriptor: wgpu::InstanceDescriptor) -> wgpu::Instance {
    wrapped(wgpu::Instance::new(descriptor), Arc::new(Nobody))
}

/// An instance that passes all on to `inner`, and shows it to `hooks`.
#[must_use]
pub fn wrapped(inner: wgpu::Instance, hooks: Arc<dyn Hooks>) -> wgpu::Instance {
    wgpu::Instance::from_custom(forward::Instance::new(inner, hooks))
}

/// Watches nothing.
#[derive(Debug)]
pub(crate) struct Nobody;

impl Hooks for Nobody {}

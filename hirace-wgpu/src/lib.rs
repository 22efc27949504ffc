//! A wgpu application's compute dispatches, checked for data races by one changed line.
//!
//! ```no_run
//! # let descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
//! let instance = hirace_wgpu::instance(descriptor); // was: wgpu::Instance::new(descriptor)
//! ```
//!
//! Each dispatch is checked once it is submitted, with the grid and the memory that it really has: see [`watch`]. Findings are
//! printed on standard error, with the labels of the application and the lines of the shader; [`Settings`], or variables of
//! the environment, say what is watched and which reports are written.
//!
//! All that is made from the instance, adapters to buffers, is of wgpu's own types and behaves as before: each object
//! holds the one that it stands for (the *inner* object), and each call is made on that. A watcher is whatever implements
//! [`Hooks`] and [`Watcher`]; [`wrapped`] takes one. What passes calls on knows nothing of what is watched for.
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
//! - **A few words of errors.** What a checked dispatch binds can be copied from: an error that names the usage of a
//!   buffer names `COPY_SRC` too, and one of a buffer that was destroyed may come of the copy and not of the dispatch.
//!
//! ## What is passed on and not watched
//! Render pipelines and mesh pipelines ([`Unwatched`]), and shaders that come without a form that can be read
//! ([`Source::Passthrough`], [`Source::Unread`]): a watcher is shown that they are there.
//!
//! The modules: `watch` (has dispatches checked), `hooks` (the seam), `forward` (wgpu's traits, a file for each kind of
//! object).

#[cfg(target_family = "wasm")]
compile_error!("hirace-wgpu is for native targets: on the web, wgpu's traits have other methods");

mod forward;
mod hooks;
pub mod watch;

pub use hooks::{
    Bound, BoundGroup, BufferPart, ComputePipeline, Dispatch, Entry, GroupLayout, Hooks, Layout,
    MadePipeline, Module, PipelineRequest, Record, Resource, SampledBy, Source, Step, Submission,
    Unwatched, View, Watcher, Workgroups,
};

/// The version of wgpu that is wrapped: its types stand in the signatures here.
pub use wgpu;

use hirace_core::report::text;
use std::sync::Arc;
use watch::embedded_inner;
pub use watch::{Mode, Settings, Watching};

/// What stands in the place of `wgpu::Instance::new`: all compute dispatches are watched, as the environment says
/// ([`Settings::of_environment`]). With `HIRACE=off` it *is* that.
///
/// # Panics
/// Where `wgpu::Instance::new` does: if no back end was compiled in. And if a variable of the environment says what it
/// cannot: to go on would be to watch something else than was asked for.
#[must_use]
pub fn instance(descriptor: wgpu::InstanceDescriptor) -> wgpu::Instance {
    match Settings::of_environment() {
        Ok(settings) => made(descriptor, settings.clone(), || Watching::of_process(settings)),
        Err(error) => panic!("hirace: {}", text::diagnostic(&error, text::Style::default())),
    }
}

/// Likewise, watched as these settings say. What several such instances write to one file is what the last of them wrote.
#[must_use]
pub fn instance_with(descriptor: wgpu::InstanceDescriptor, settings: Settings) -> wgpu::Instance {
    made(descriptor, settings.clone(), || Watching::new(settings))
}

fn made(
    descriptor: wgpu::InstanceDescriptor,
    settings: Settings,
    watching: impl FnOnce() -> Watching,
) -> wgpu::Instance {
    if settings.embedded {
        return wrapped(embedded_inner(descriptor), Arc::new(watching().embedded()));
    }
    let inner = wgpu::Instance::new(descriptor);
    match settings.mode {
        Mode::Off => inner,
        Mode::Check | Mode::Cover | Mode::Mutant(_) => wrapped(inner, Arc::new(watching())),
    }
}

/// An instance that passes all on to `inner`, and shows it to `hooks`.
#[must_use]
pub fn wrapped(inner: wgpu::Instance, hooks: Arc<dyn Hooks>) -> wgpu::Instance {
    wgpu::Instance::from_custom(forward::Instance::new(inner, hooks))
}

/// Watches nothing.
#[derive(Clone, Copy, Debug)]
pub struct Nobody;

impl Hooks for Nobody {}

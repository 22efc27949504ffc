//! Checks the compute dispatches of a wgpu application for data races, with one changed line.
//!
//! ```no_run
//! # let descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
//! let instance = hirace_wgpu::instance(descriptor); // was: wgpu::Instance::new(descriptor)
//! ```
//!
//! Each dispatch is checked after it is submitted, with its actual grid and memory; see [`watch`]. Findings are printed
//! to standard error, with the application's labels and the lines of the shader. [`Settings`] or environment variables
//! control what is watched and which reports are written.
//!
//! All objects of the instance, from adapters to buffers, have wgpu's own types and behave as before. Each object wraps
//! an *inner* object and forwards every call to it. A watcher implements [`Hooks`] and [`Watcher`]; [`wrap_instance`]
//! installs it. The forwarding layer does not depend on what is watched.
//!
//! ## Limitations
//! - **Objects of another instance.** Using an object of a plain instance or of another wrapped one is a validation
//!   error with a clear message. Plain wgpu would panic or use another object with the same number. In an encoder, the
//!   error is reported when the encoder is finished, as for wgpu's own errors. Objects that are created from such an
//!   object are invalid.
//! - **The HAL API.** `as_hal` returns `None` for each object (and the closure of `CommandEncoder::as_hal_mut` receives
//!   `None`), as does `Instance::generate_report`. `create_*_from_hal` panics in wgpu itself, before this crate is
//!   called.
//! - **The web.** wgpu's traits have other methods there. This crate is for native targets.
//!
//! - **Error messages.** The buffers of checked dispatches can be copied from. An error that lists the usage of a
//!   buffer therefore also lists `COPY_SRC`, and an error about a destroyed buffer may refer to the copy instead of the
//!   dispatch.
//!
//! ## What is not watched
//! Render and mesh pipelines ([`UnwatchedPipeline`]), and shaders without a readable form ([`Source::Passthrough`],
//! [`Source::Unread`]), are forwarded without checks. Watchers are notified of them.
//!
//! The modules: `watch` (checks dispatches), `hooks` (the interface for watchers), `forward` (the implementation of
//! wgpu's traits, one file per kind of object).

#[cfg(target_family = "wasm")]
compile_error!("hirace-wgpu is for native targets: on the web, wgpu's traits have other methods");

mod forward;
mod hooks;
mod inner_errors;
pub mod watch;

pub use hooks::{
    BoundGroup, BoundGroupOffsets, BoundSampler, BufferPart, ComputePipeline, CreatedPipeline,
    Dispatch, Entry, GroupLayout, Hooks, Layout, Module, NoHooks, PipelineRequest, Record,
    Resource, Source, Step, Submission, UnwatchedPipeline, View, Watcher, Workgroups,
};

/// The wrapped version of wgpu, whose types are part of this crate's signatures.
pub use wgpu;

use hirace_core::diagnostic::Diagnostic;
use hirace_core::report::text;
use std::sync::Arc;
use watch::embedded_inner;
pub use watch::{Mode, Settings, WatchHooks};

/// Creates an instance in place of `wgpu::Instance::new`. All compute dispatches are watched according to the
/// environment ([`Settings::of_environment`]). With `HIRACE=off`, this returns a plain wgpu instance.
///
/// # Panics
/// Panics like `wgpu::Instance::new` if no back end was compiled in. Also panics if an environment variable has an
/// invalid value, because continuing would watch something other than requested, and as [`WatchHooks::new`] does.
#[must_use]
pub fn instance(descriptor: wgpu::InstanceDescriptor) -> wgpu::Instance {
    match Settings::of_environment() {
        Ok(settings) => {
            create_instance(descriptor, settings.clone(), || WatchHooks::of_process(settings))
        }
        Err(error) => refuse(&error),
    }
}

/// Panics with an error of the settings or of the command that runs the process.
fn refuse(error: &Diagnostic) -> ! {
    panic!("hirace: {}", text::diagnostic(error, text::Style::default()))
}

/// Creates an instance that is watched with these settings. If several such instances write to the same file, the last
/// one overwrites the others.
///
/// # Panics
/// Panics as [`WatchHooks::new`] does.
#[must_use]
pub fn instance_with(descriptor: wgpu::InstanceDescriptor, settings: Settings) -> wgpu::Instance {
    create_instance(descriptor, settings.clone(), || WatchHooks::new(settings))
}

fn create_instance(
    descriptor: wgpu::InstanceDescriptor,
    settings: Settings,
    watching: impl FnOnce() -> WatchHooks,
) -> wgpu::Instance {
    if settings.embedded {
        return wrap_instance(embedded_inner(descriptor), Arc::new(watching().embedded()));
    }
    let inner = wgpu::Instance::new(descriptor);
    match settings.mode {
        Mode::Off => inner,
        Mode::Check | Mode::Cover | Mode::Mutant(_) => wrap_instance(inner, Arc::new(watching())),
    }
}

/// Creates an instance that forwards everything to `inner`, and calls `hooks`.
#[must_use]
pub fn wrap_instance(inner: wgpu::Instance, hooks: Arc<dyn Hooks>) -> wgpu::Instance {
    wgpu::Instance::from_custom(forward::Instance::new(inner, hooks))
}

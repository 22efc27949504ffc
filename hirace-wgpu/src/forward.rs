//! Implementations of wgpu's traits. Each is a struct that holds an inner wgpu object and calls its public methods.
//!
//! - `object`: the common part of these structs, and the lookup of inner objects.
//! - `shared`: the state of a device; `recorder`: that of an encoder; `scope`: errors and their scopes; `submissions`: submissions that can be waited for.
//! - The other modules: one file per kind of object.

mod acceleration;
mod adapter;
mod bind_group;
mod buffer;
mod bundle;
mod command_buffer;
mod compute_pass;
mod compute_pipeline;
mod copies;
mod device;
mod encoder;
mod instance;
mod kinds;
mod object;
mod query;
mod queue;
mod recorder;
mod render_pass;
mod render_pipeline;
mod scope;
mod shader;
mod shared;
mod submissions;
mod surface;
mod surface_output;
mod texture;

pub(crate) use instance::Instance;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex even if it is poisoned. No update in this module can be left incomplete by a panic.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

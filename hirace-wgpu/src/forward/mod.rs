//! wgpu's traits, each on a struct that holds the inner object of wgpu's and calls its public methods.
//!
//! - `object`: what all such structs have in common, and how inner objects are found;
//! - `shared`: what everything of a device knows; `scope`: error scopes; `submissions`: what can be waited for;
//! - the others: one file for each kind of object.

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
mod object;
mod query;
mod queue;
mod render_pass;
mod render_pipeline;
mod scope;
mod shader;
mod shared;
mod submissions;
mod surface;
mod texture;

pub(crate) use encoder::Parts;
pub(crate) use instance::Instance;
pub(crate) use scope::{caught, now};

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, whether or not somebody panicked while holding it: nothing here is left half done.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

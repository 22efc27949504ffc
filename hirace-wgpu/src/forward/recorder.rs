//! The state that an encoder and its passes share.

use super::lock;
use super::object::{Fault, Outer};
use super::shared::Shared;
use crate::hooks::{Parts, Record, Watcher};
use std::fmt;
use std::sync::{Arc, Mutex};

/// The state that an encoder and its passes share.
pub(crate) struct Recorder {
    pub(crate) shared: Arc<Shared>,
    pub(crate) state: Mutex<State>,
}

pub(crate) struct State {
    /// The inner encoder; `None` once it is finished.
    pub(crate) inner: Option<wgpu::CommandEncoder>,
    pub(crate) records: Vec<Record>,
    pub(crate) parts: Parts,
    pub(crate) label: Option<String>,
    /// The first error about an object of another instance. The encoder is then invalid.
    pub(crate) fault: Option<Fault>,
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("shared", &self.shared).finish_non_exhaustive()
    }
}

impl Recorder {
    /// Returns the inner object. If there is none, the encoder becomes invalid.
    pub(crate) fn open<'a, O: Outer>(&self, outer: &'a O) -> Option<&'a O::Inner> {
        self.noted(self.shared.home.open(outer))
    }

    /// Returns the value. If it is an error, the encoder becomes invalid.
    pub(crate) fn noted<T>(&self, found: Result<T, Fault>) -> Option<T> {
        found.map_err(|fault| lock(&self.state).fault.get_or_insert(fault).clone()).ok()
    }

    /// Lets the watcher record in the encoder, if there is a watcher and the encoder is open.
    pub(crate) fn watched(
        &self,
        act: impl FnOnce(&dyn Watcher, &mut wgpu::CommandEncoder, &mut Vec<Record>),
    ) {
        let Some(watcher) = &self.shared.watcher else { return };
        let State { inner, records, .. } = &mut *lock(&self.state);
        if let Some(inner) = inner {
            act(watcher.as_ref(), inner, records);
        }
    }

    /// Uses the inner encoder if it is open; wgpu does not allow calls on a finished encoder.
    pub(crate) fn with_inner<T>(
        &self,
        act: impl FnOnce(&mut wgpu::CommandEncoder) -> T,
    ) -> Option<T> {
        lock(&self.state).inner.as_mut().map(act)
    }
}

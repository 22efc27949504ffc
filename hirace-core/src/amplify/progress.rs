//! Reports the progress of a long run to a callback.

use std::fmt;
use std::sync::Arc;

type Callback = dyn Fn(&str) + Send + Sync;

/// A callback that is told what is running.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<Callback>>);

impl Progress {
    /// Creates a progress whose `hear` is called with what is running, more often than can be read.
    pub fn new(hear: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(hear)))
    }

    pub(super) fn report(&self, what: impl FnOnce() -> String) {
        if let Some(hear) = &self.0 {
            hear(&what());
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Progress(heard)" } else { "Progress" })
    }
}

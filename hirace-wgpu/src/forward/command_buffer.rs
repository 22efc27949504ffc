//! What an encoder has recorded.

use super::lock;
use super::object::{Fault, Home};
use crate::hooks::Record;
use std::fmt;
use std::sync::Mutex;
use wgpu::custom::CommandBufferInterface;

/// What is submitted, or why it is invalid.
pub(crate) type Content = Result<Recorded, Fault>;

/// What an encoder has recorded.
pub(crate) struct Recorded {
    /// What is submitted before the rest, each with what the watcher does then.
    pub(crate) parts: Vec<(wgpu::CommandBuffer, Record)>,
    pub(crate) rest: wgpu::CommandBuffer,
    /// What was noted.
    pub(crate) records: Vec<Record>,
}

/// A command buffer, around another, until it is submitted.
pub(crate) struct CommandBuffer {
    home: Home,
    content: Mutex<Option<Content>>,
}

impl CommandBuffer {
    pub(crate) fn new(home: Home, content: Content) -> Self {
        Self { home, content: Mutex::new(Some(content)) }
    }

    pub(crate) fn home(&self) -> Home {
        self.home
    }

    /// To submit it.
    pub(crate) fn take(&self) -> Content {
        let content = lock(&self.content).take();
        content.unwrap_or_else(|| Err(Fault::new("the command buffer was submitted before")))
    }
}

impl fmt::Debug for CommandBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandBuffer").field("home", &self.home).finish_non_exhaustive()
    }
}

impl CommandBufferInterface for CommandBuffer {}

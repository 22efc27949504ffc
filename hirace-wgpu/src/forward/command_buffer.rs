//! Finished command buffers.

use super::lock;
use super::object::{Fault, Home};
use crate::hooks::Record;
use std::fmt;
use std::sync::Mutex;
use wgpu::custom::CommandBufferInterface;

/// The recorded commands, or the reason why they are invalid.
pub(crate) type Content = Result<RecordedCommands, Fault>;

/// The commands that an encoder has recorded.
pub(crate) struct RecordedCommands {
    /// The parts that are submitted before the rest, each with the record for the watcher's step after it.
    pub(crate) parts: Vec<(wgpu::CommandBuffer, Record)>,
    pub(crate) rest: wgpu::CommandBuffer,
    /// The records of the watcher.
    pub(crate) records: Vec<Record>,
}

/// A command buffer that wraps an inner one until it is submitted.
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

    /// Takes the content in order to submit it.
    pub(crate) fn take(&self) -> Content {
        let content = lock(&self.content).take();
        content.unwrap_or_else(|| Err(Fault::new("the command buffer has already been submitted")))
    }
}

impl fmt::Debug for CommandBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandBuffer").field("home", &self.home).finish_non_exhaustive()
    }
}

impl CommandBufferInterface for CommandBuffer {}

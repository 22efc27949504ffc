//! What a program and a launch ask of a device, held against what it has: what is too much is refused here, at
//! the variable or the entry point that asks for it. wgpu would refuse it too, in words that do not know the
//! source; or not at all, and the driver would crash.
//!
//! - `resources`: what a launch binds;
//! - `entry`: the grid, the workgroups and what they use;
//! - `features`: what the device has to be able to do.

mod entry;
mod features;
mod resources;

use super::about::about;
use super::failure::could_not_run;
use crate::diagnostic::Diagnostic;
use crate::program::Program;
use crate::source_map::Span;
use hirace_gpu::Opened;
use naga::{GlobalVariable, Handle};

/// A program, and the device that is to run it.
#[derive(Clone, Copy)]
pub struct Needs<'a> {
    pub device: &'a Opened,
    pub program: &'a Program,
}

impl Needs<'_> {
    fn name(&self, handle: Handle<GlobalVariable>) -> &str {
        self.program.module.global_variables[handle].name.as_deref().unwrap_or("(unnamed)")
    }

    fn place(&self, handle: Handle<GlobalVariable>) -> Option<Span> {
        Some(self.program.module.global_variables.get_span(handle).into())
    }

    fn refuse(&self, at: Option<Span>, message: String) -> Box<Diagnostic> {
        let mut refused = could_not_run(message)
            .note(format!("the device is {}", about(self.device.about())))
            .help("check it without --device: the embedded executor has no such limit");
        if let Some(at) = at {
            refused.source_map = Some(self.program.source.clone());
            refused.labels.push((at, String::new()));
        }
        Box::new(refused)
    }
}

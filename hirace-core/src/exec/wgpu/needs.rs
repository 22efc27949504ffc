//! Compares the requirements of a program and a launch with the device. What exceeds its limits is refused here, at the variable
//! or the entry point that needs it. wgpu would refuse it too, but without knowledge of the source; or not at all, and the driver
//! would crash.
//!
//! - `resources`: the resources of a launch;
//! - `entry`: the grid, the workgroups and the resources that they use;
//! - `features`: the features that the device must have.

mod entry;
mod features;
mod resources;

use super::device_info::about;
use super::failure::could_not_run;
use crate::diagnostic::Diagnostic;
use crate::program::Program;
use crate::source_map::Span;
use hirace_gpu::OpenDevice;
use naga::{GlobalVariable, Handle};

/// A program, and the device that is to run it.
#[derive(Clone, Copy)]
pub struct Needs<'a> {
    pub device: &'a OpenDevice,
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
            .of_unsupported()
            .note(format!("the device is {}", about(self.device.about())))
            .help("check it without --device: the embedded executor has no such limit");
        if let Some(at) = at {
            refused.source_map = Some(self.program.source.clone());
            refused.labels.push((at, String::new()));
        }
        Box::new(refused)
    }
}

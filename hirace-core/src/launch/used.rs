//! The variables that a launch uses.

use super::Dispatch;
use crate::program::Program;
use naga::{GlobalVariable, Handle};

/// Returns whether one of `dispatches` accesses `global`.
pub fn is_used(program: &Program, dispatches: &[Dispatch], global: Handle<GlobalVariable>) -> bool {
    dispatches.iter().any(|dispatch| {
        dispatch.entry < program.module.entry_points.len()
            && !program.info.get_entry_point(dispatch.entry)[global].is_empty()
    })
}

//! What is checked: one entry point, and what is known of its launches.

use crate::exec::Watch;
use crate::facts::Assumption;
use crate::launch::spec::LaunchSpec;
use crate::program::Program;

/// One entry point, and what is known of its launches.
pub(super) struct Subject<'a> {
    pub program: &'a Program,
    pub spec: &'a LaunchSpec,
    pub entry: usize,
    pub watch: &'a Watch,
    pub schedules: u32,
    /// What was guessed before there was a program.
    pub assumptions: &'a [Assumption],
}

impl Subject<'_> {
    /// What the entry point is called.
    pub fn name(&self) -> &str {
        self.program.module.entry_points.get(self.entry).map_or("", |entry| &entry.name)
    }
}

//! The subject of a check: one entry point, and what is known of its launches.

use crate::exec::Watch;
use crate::facts::Assumption;
use crate::launch::spec::LaunchSpec;
use crate::program::Program;

/// An entry point to check, and what is known of its launches.
pub(super) struct Subject<'a> {
    pub program: &'a Program,
    pub spec: &'a LaunchSpec,
    pub entry: usize,
    pub watch: &'a Watch,
    pub schedules: u32,
    /// The assumptions that were made to build the program.
    pub assumptions: &'a [Assumption],
}

impl Subject<'_> {
    /// Returns the name of the entry point.
    pub fn name(&self) -> &str {
        self.program.module.entry_points.get(self.entry).map_or("", |entry| &entry.name)
    }
}

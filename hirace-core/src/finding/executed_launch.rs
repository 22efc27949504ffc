//! A launch that ran, from which findings are built.

use super::certainty::InferredParts;
use crate::exec::Outcome;
use crate::facts::{Assumption, DeviceInfo, FieldValue, Flag, Grid, Replay};
use crate::launch::Launch;
use crate::program::Program;

/// A launch that ran, with everything that its findings depend on.
#[derive(Clone, Copy)]
pub struct ExecutedLaunch<'a> {
    /// The program.
    pub program: &'a Program,
    /// The launch.
    pub launch: &'a Launch,
    /// The outcome of the launch.
    pub outcome: &'a Outcome,
    /// The device that the launch ran on.
    pub device: &'a DeviceInfo,
    /// The flags that select that device.
    pub flags: &'a [Flag],
    /// What was guessed about the launch.
    pub inferred: &'a InferredParts<'a>,
}

impl ExecutedLaunch<'_> {
    /// Returns the command that re-runs this launch, if there is one.
    pub(crate) fn replay(&self) -> Option<Replay> {
        let flags = self.launch.replay.as_ref()?.iter().chain(self.flags).cloned().collect();
        Some(Replay { source: self.program.source.name().to_owned(), flags })
    }

    /// Returns the numbers that were guessed.
    pub(crate) fn inferred_values(&self) -> Vec<FieldValue> {
        let of = |assumption: &Assumption| match assumption {
            Assumption::Parameters { fields, .. } => fields.clone(),
            _ => Vec::new(),
        };
        self.launch.assumptions.iter().flat_map(of).collect()
    }

    /// Returns the shape of the dispatch with this index; an empty grid if there is no such dispatch.
    pub(crate) fn grid(&self, dispatch: usize) -> Grid {
        let Some(dispatch) = self.launch.dispatches.get(dispatch) else {
            return Grid { workgroups: [0; 3], workgroup_size: [1; 3] };
        };
        let entry = self.program.module.entry_points.get(dispatch.entry);
        Grid {
            workgroups: dispatch.workgroups,
            workgroup_size: entry.map_or([1; 3], |entry| entry.workgroup_size),
        }
    }
}

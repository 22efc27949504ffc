//! Builds the finding of a run that makes no progress.

use super::Dispatch;
use super::drive::Resident;
use crate::vm::engine::fragment::{Fragment, State};
use crate::vm::run::{Invocation, NoProgress};
use crate::vm::workgroup::place;

/// Maximum number of waiting invocations that are named.
const EXAMPLES: usize = 16;

impl Dispatch<'_> {
    /// Returns the finding for a resident workgroup of which a fragment exceeded the step limit.
    pub(super) fn too_long<const N: usize, W>(
        &self,
        residents: &[Resident<N, W>],
        turn: usize,
        not_started: u32,
    ) -> Option<NoProgress> {
        let limit = self.options.limits.steps;
        let stuck =
            residents.get(turn)?.workgroup.fragments.iter().position(|f| f.steps > limit)?;
        self.no_progress(residents, (turn, stuck), not_started, false)
    }

    /// Returns the finding for a run in which every started workgroup waits for memory to change, and nothing
    /// can change it.
    pub(super) fn deadlock<const N: usize, W>(
        &self,
        residents: &[Resident<N, W>],
        not_started: u32,
    ) -> Option<NoProgress> {
        let spins = |f: &Fragment<N>| matches!(f.state, State::Spinning(_));
        let mut all = residents.iter().enumerate();
        let stuck = all.find_map(|(turn, resident)| {
            Some((turn, resident.workgroup.fragments.iter().position(spins)?))
        });
        self.no_progress(residents, stuck?, not_started, true)
    }

    /// Builds the finding. `stuck` is the workgroup and its fragment to name first.
    fn no_progress<const N: usize, W>(
        &self,
        residents: &[Resident<N, W>],
        stuck: (usize, usize),
        not_started: u32,
        proven: bool,
    ) -> Option<NoProgress> {
        let workgroup = &residents.get(stuck.0)?.workgroup;
        let fragment = workgroup.fragments.get(stuck.1)?;
        let lane = if fragment.mask != 0 { fragment.mask } else { fragment.lanes };
        let local = fragment.first + lane.trailing_zeros();
        let invocation = Invocation { workgroup: workgroup.index, local };
        let waiting = || {
            let all =
                residents.iter().flat_map(|r| r.workgroup.unfinished_invocations(&self.setup));
            all.filter(|(other, _)| *other != invocation)
        };
        let not_started = u64::from(not_started) * u64::from(self.setup.code.invocations());
        Some(NoProgress {
            stuck: (invocation, place(self.setup.code, fragment)),
            waiting: waiting().take(EXAMPLES).collect(),
            unfinished: waiting().count() as u64 + 1 + not_started,
            steps: fragment.steps,
            proven,
        })
    }
}

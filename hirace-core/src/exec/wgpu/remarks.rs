//! What is to be known of a dispatch beside what was found: what a device does not report, what was asked for and not
//! done, and what its shadow was like.

use super::dispatch::OnDevice;
use crate::analysis::uniformity::{NonUniformBarrier, non_uniform_barriers};
use crate::facts::warning::{BarriersUnjudged, Unjudged};
use crate::facts::{Place, Shadow, ShadowWords, Warning};
use crate::shadow::fields::Width;
use crate::shadow::layout::Layout;
use crate::shadow::log::Stopped;
use crate::shadow::plan::Plan;
use crate::shadow::trail::Trails;
use crate::vm::schedule::Schedule;

impl OnDevice<'_> {
    /// What was asked for, and only the embedded executor does.
    pub fn unheard(&self) -> impl Iterator<Item = Warning> {
        let schedule = self.launch.schedule;
        // Nobody asked for that which a second chance chooses.
        let is_own = schedule.is_plain() || schedule == Schedule::favouring();
        let schedule = (!is_own).then_some(Warning::ScheduleNotFollowed(schedule));
        let oracle = self.watch.oracle.then_some(Warning::OracleNotAsked);
        schedule.into_iter().chain(oracle)
    }

    /// What the trails say of barriers that may be in non-uniform control flow; `None`: there was no room for them.
    /// Loops that were ended leave invocations where they would not have been.
    pub fn judged_barriers(&self, trails: Option<Trails>, loops_ended: bool) -> JudgedBarriers {
        let why = match &trails {
            None => Some(BarriersUnjudged::NoRoom),
            Some(_) if loops_ended => Some(BarriersUnjudged::LoopsEnded),
            Some(trails) if !trails.incomplete.is_empty() => Some(BarriersUnjudged::NotAllEnded),
            Some(_) => None,
        };
        let unjudged = why.map(|why| Warning::BarriersNotJudged { barriers: self.places(), why });
        let Trails { diverged, incomplete } = match loops_ended {
            true => Trails::default(),
            false => trails.unwrap_or_default(),
        };
        let unwatched = diverged.split_first().map(|(&first, others)| {
            Warning::NotWatchedAfterDivergence { first, others: others.len() as u32 }
        });
        let warnings = unwatched.into_iter().chain(unjudged).collect();
        let mut distrusted = [&diverged[..], &incomplete].concat();
        distrusted.sort_unstable();
        JudgedBarriers { diverged, distrusted, warnings }
    }

    /// The barriers that may be in non-uniform control flow.
    fn places(&self) -> Vec<Place> {
        let barriers = non_uniform_barriers(self.program, self.dispatch.entry);
        let place = |found: &NonUniformBarrier| Place::of(self.program, found.barrier);
        let mut places: Vec<Place> = barriers.iter().map(place).collect();
        places.dedup_by_key(|place| place.span.start);
        places
    }
}

/// What is known of barriers that not all invocations may reach.
pub struct JudgedBarriers {
    /// The workgroups in which not all came to the same ones.
    pub diverged: Vec<u32>,
    /// Those, and the ones in which it is not known: nothing that they did by themselves is to be believed.
    pub distrusted: Vec<u32>,
    /// What was not checked.
    pub warnings: Vec<Warning>,
}

/// How the words of the shadow are laid out.
pub fn shadow_of(plan: &Plan, layout: &Layout) -> Shadow {
    let clock = |of_workgroup: bool| {
        let mut clocks = layout.clocks.iter();
        let found = clocks.find(|(name, _)| (*name == "workgroup") == of_workgroup);
        found.map(|(_, bits)| *bits)
    };
    Shadow::Words(ShadowWords {
        word_bits: match plan.width {
            Width::Narrow => 32,
            Width::Wide => 64,
        },
        storage_clock: clock(false),
        workgroup_clock: clock(true),
        buffers: (plan.spread().0 > 1).then_some(plan.shadow.len()),
        slots: layout.slots.map(|slots| slots.count),
    })
}

/// What was not judged.
pub fn unjudged(stopped: Stopped) -> impl Iterator<Item = Warning> {
    let all = [
        (stopped.dispatch, Warning::ClockRanOut(Unjudged::Dispatch)),
        (stopped.workgroup, Warning::ClockRanOut(Unjudged::Workgroup)),
        (stopped.slots, Warning::NoShadowInTime),
    ];
    all.into_iter().filter(|(is_so, _)| *is_so).map(|(_, warning)| warning)
}

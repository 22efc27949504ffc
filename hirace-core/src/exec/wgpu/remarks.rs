//! Warnings about a dispatch: what a device does not report, options that it ignores, and the layout of its shadow memory.

use super::dispatch::DeviceDispatch;
use crate::analysis::uniformity::{NonUniformBarrier, non_uniform_barriers};
use crate::facts::warning::{self, UncheckedBarriersReason};
use crate::facts::{Place, Shadow, ShadowWords, Warning};
use crate::shadow::fields::Width;
use crate::shadow::layout::Layout;
use crate::shadow::log::UncheckedMemory;
use crate::shadow::plan::Plan;
use crate::shadow::trail::Trails;
use crate::vm::schedule::Schedule;

impl DeviceDispatch<'_> {
    /// Returns warnings about options that only the embedded executor supports.
    pub fn ignored_options(&self) -> impl Iterator<Item = Warning> {
        let schedule = self.launch.schedule;
        // The user did not request the schedule that is chosen when a launch is repeated.
        let is_own = schedule.is_plain() || schedule == Schedule::favoring();
        let schedule = (!is_own).then_some(Warning::ScheduleNotFollowed(schedule));
        let oracle = self.watch.oracle.then_some(Warning::OracleNotUsed);
        schedule.into_iter().chain(oracle)
    }

    /// Judges the trails at barriers that may be in non-uniform control flow. `None`: there was no room for trails. Invocations
    /// whose loops were terminated may be at a barrier that they would not have reached.
    pub fn judged_barriers(&self, trails: Option<Trails>, loops_ended: bool) -> JudgedBarriers {
        let why = match &trails {
            None => Some(UncheckedBarriersReason::NoRoom),
            Some(_) if loops_ended => Some(UncheckedBarriersReason::LoopsEnded),
            Some(trails) if !trails.incomplete.is_empty() => {
                Some(UncheckedBarriersReason::NotAllEnded)
            }
            Some(_) => None,
        };
        let unjudged = why.map(|why| Warning::BarriersNotChecked { barriers: self.places(), why });
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
        JudgedBarriers { diverged, distrusted_workgroups: distrusted, warnings }
    }

    /// Returns the barriers that may be in non-uniform control flow.
    fn places(&self) -> Vec<Place> {
        let barriers = non_uniform_barriers(self.program, self.dispatch.entry);
        let place = |found: &NonUniformBarrier| Place::of(self.program, found.barrier);
        let mut places: Vec<Place> = barriers.iter().map(place).collect();
        places.dedup_by_key(|place| place.span.start);
        places
    }
}

/// The judgement of barriers that not all invocations may reach.
pub struct JudgedBarriers {
    /// The workgroups in which not all invocations reached the same barriers.
    pub diverged: Vec<u32>,
    /// These workgroups, and those in which it is unknown. Races within them are unreliable.
    pub distrusted_workgroups: Vec<u32>,
    /// What was not checked.
    pub warnings: Vec<Warning>,
}

/// Returns the layout of the shadow words.
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

/// Returns the warnings about what was not judged.
pub fn unjudged_warnings(stopped: UncheckedMemory) -> impl Iterator<Item = Warning> {
    let all = [
        (stopped.dispatch, Warning::ClockRanOut(warning::UncheckedMemory::Dispatch)),
        (stopped.workgroup, Warning::ClockRanOut(warning::UncheckedMemory::Workgroup)),
        (stopped.slots, Warning::NoShadowInTime),
    ];
    all.into_iter().filter(|(is_so, _)| *is_so).map(|(_, warning)| warning)
}

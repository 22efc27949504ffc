//! Converts the records of an instrumented dispatch, except for races, to the types that executors return.

use crate::ir::scalars::Footprint;
use crate::ir::sites::{SiteId, SiteKind};
use crate::launch::Launch;
use crate::observe::Granule;
use crate::observe::trace::{Event, Trace, WrittenBits};
use crate::program::Program;
use crate::shadow::layout::Layout;
use crate::shadow::plan::Plan;
use crate::shadow::record;
use crate::shadow::tally::{self, SiteError, SiteTally};
use crate::vm::observer::{MemoryId, Space};
use crate::vm::run::{ExecutionCount, Invocation, NoProgress, OutOfBounds, Run};
use rustc_hash::FxHashSet;

/// The records of a dispatch.
#[derive(Debug, Default)]
pub struct DispatchRecords {
    executed: Vec<ExecutionCount>,
    out_of_bounds: Vec<OutOfBounds>,
    wanted: Vec<(MemoryId, u64)>,
    /// The loops that were cut off, each with the first invocation that did not leave the loop.
    endless: Vec<(SiteId, SiteError)>,
}

impl DispatchRecords {
    /// Reads the tally from the words of the shadow buffer.
    pub fn read(program: &Program, launch: &Launch, layout: &Layout, words: &[u32]) -> Self {
        let mut dispatch_records = Self::default();
        let sites = program.sites.list.len() as u32;
        let records = tally::read(words, layout.tally, sites);
        for (site, SiteTally { ran, reached_by_two: by_several, wrong }) in
            (0..).map(SiteId).zip(records)
        {
            let count = u64::from(ran) + u64::from(by_several);
            dispatch_records
                .executed
                .push(ExecutionCount { count, by_several_invocations: by_several });
            let Some(wrong) = wrong else { continue };
            match program.sites.get(site).map(|site| &site.kind) {
                Some(SiteKind::Access(access)) => {
                    let ty = program.module.global_variables[access.global].ty;
                    let memory = MemoryId(access.global.index() as u32);
                    let buffer = launch.resources.buffer(memory);
                    match wrong.most {
                        Some(most) if buffer.is_some_and(|buffer| buffer.elastic) => {
                            let footprint = Footprint::of(&program.module, ty);
                            let stride = u64::from(footprint.stride.unwrap_or(1));
                            let bytes = (u64::from(most) + 1) * stride;
                            dispatch_records
                                .wanted
                                .push((memory, u64::from(footprint.fixed) + bytes));
                        }
                        _ => {
                            dispatch_records.out_of_bounds.push(out_of_bounds(site, memory, wrong))
                        }
                    }
                }
                _ => dispatch_records.endless.push((site, wrong)),
            }
        }
        dispatch_records.wanted.sort_unstable();
        dispatch_records.wanted.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            kept.1 = if same { kept.1.max(later.1) } else { kept.1 };
            same
        });
        dispatch_records
    }

    /// Returns whether a loop that was cut off after `max_iterations` iterations might have terminated. This is the case if the
    /// launch allows more iterations. It is also the case if there are several workgroups: the loop may wait for another workgroup,
    /// and no device reports how far that workgroup ran in the meantime.
    pub fn loops_may_terminate(
        &self,
        launch: &Launch,
        workgroups: u64,
        max_iterations: u32,
    ) -> bool {
        !self.endless.is_empty()
            && (u64::from(max_iterations) < launch.limits.steps || workgroups > 1)
    }

    /// Adds the records to `run`.
    pub fn add_to(self, run: &mut Run, max_iterations: u32) {
        run.no_progress =
            self.endless.iter().max_by_key(|(_, wrong)| wrong.count).map(|&(site, wrong)| {
                NoProgress {
                    stuck: (invocation(wrong), site),
                    waiting: Vec::new(),
                    unfinished: wrong.count.into(),
                    steps: max_iterations.into(),
                    proven: false,
                }
            });
        run.executed = self.executed;
        run.out_of_bounds = self.out_of_bounds;
        run.wanted_lengths = self.wanted;
    }
}

fn invocation(wrong: SiteError) -> Invocation {
    Invocation { workgroup: wrong.workgroup, local: wrong.local }
}

fn out_of_bounds(site: SiteId, memory: MemoryId, wrong: SiteError) -> OutOfBounds {
    OutOfBounds {
        site,
        span: Default::default(),
        memory: Some(memory),
        invocation: invocation(wrong),
        index: match wrong.signed {
            true => i64::from(wrong.index as i32),
            false => wrong.index.into(),
        },
        length: wrong.last.saturating_add(1),
        count: wrong.count.into(),
        is_used: true,
    }
}

/// Converts the log of a recording dispatch to a trace. An access is omitted if an earlier access equals it in everything that
/// happens-before depends on.
pub fn trace_of(
    program: &Program,
    plan: &Plan,
    events: &[record::Event],
    dropped: u32,
    subgroup_size: u32,
) -> Trace {
    let mut seen = FxHashSet::default();
    let events = events.iter().filter_map(|event| {
        let access = program.sites.access(event.site)?;
        let own = plan.watched(access.global)?.space == Space::Workgroup;
        let granule = Granule {
            memory: MemoryId(access.global.index() as u32),
            workgroup: if own { event.workgroup } else { 0 },
            index: event.granule,
        };
        let invocation = Invocation { workgroup: event.workgroup, local: event.local };
        let key = (granule, invocation, event.site, event.epoch, event.subgroup_epoch);
        seen.insert(key).then_some(Event {
            granule,
            invocation,
            subgroup: match plan.has_subgroups() {
                true => event.subgroup,
                false => event.local / subgroup_size.max(1),
            },
            site: event.site,
            action: access.action,
            epoch: event.epoch,
            subgroup_epoch: event.subgroup_epoch,
            barriers: event.barriers,
            last_barrier: (event.last_barrier != SiteId::NONE).then_some(event.last_barrier),
            written: WrittenBits::Unknown,
        })
    });
    Trace { events: events.collect(), dropped: dropped.into() }
}

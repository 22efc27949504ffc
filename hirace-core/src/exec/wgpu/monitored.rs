//! Runs one dispatch under the monitor, to find races or to record the accesses to racy words.

use super::dispatch::{DeviceDispatch, RunStatus};
use super::dispatch_cache::InstrumentedDispatch;
use super::dispatch_records::{DispatchRecords, trace_of};
use super::memory::UploadedResources;
use super::needs::Needs;
use super::remarks::{shadow_of, unjudged_warnings};
use crate::diagnostic::Result;
use crate::exec::DispatchOutcome;
use crate::exec::proven::proven_words;
use crate::exec::shadow_reader::ShadowReader;
use crate::exec::sliced::SliceDecision;
use crate::facts::Warning;
use crate::observe::Granule;
use crate::observe::trace::Trace;
use crate::shadow::fields::Width;
use crate::shadow::layout::Layout;
use crate::shadow::plan::{Options, Purpose, Table};
use crate::shadow::trail::Trails;
use crate::shadow::{log, record};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

impl DeviceDispatch<'_> {
    /// Runs the dispatch with this index on `memory` and finds races: by its slice if that decides everything, and under the
    /// monitor otherwise.
    pub fn run(
        &self,
        number: usize,
        memory: &UploadedResources,
        stop: Option<&AtomicBool>,
    ) -> Result<RunStatus<DispatchOutcome>> {
        let _span = self.span().entered();
        let sliced = self.sliced(number, stop);
        let ran = match &*sliced {
            Some(sliced) if sliced.is_whole() => self.run_decided(sliced, memory, stop)?,
            sliced => self.run_watched(sliced.as_ref(), memory, stop)?,
        };
        let RunStatus::Completed(mut dispatched) = ran else { return Ok(ran) };
        let warnings = memory.warnings.iter().cloned().chain(self.ignored_options());
        dispatched.warnings.splice(0..0, warnings);
        Ok(RunStatus::Completed(dispatched))
    }

    /// Runs the dispatch under the monitor, which watches what `sliced` does not decide.
    fn run_watched(
        &self,
        sliced: Option<&SliceDecision>,
        memory: &UploadedResources,
        stop: Option<&AtomicBool>,
    ) -> Result<RunStatus<DispatchOutcome>> {
        let mut dispatched = DispatchOutcome::default();
        let ready = self.ready(Purpose::Detect, sliced, None)?;
        let InstrumentedDispatch { watched, monitored, layout, .. } = &*ready.made;
        dispatched.unwatched = watched.unwatched().collect();
        dispatched.unwatched.extend(layout.unwatched.iter().cloned());
        dispatched.watched = layout.granules + proven_words(watched, &self.known());
        dispatched.shadow = Some(shadow_of(&monitored.plan, layout));
        if !self.submit(&ready, memory, stop)? {
            dispatched.run.stopped = true;
            return Ok(RunStatus::Completed(dispatched));
        }
        let buffers = self.read(&ready, log::ENTRY)?;
        let reading = ShadowReader { program: self.program, plan: &monitored.plan, layout };
        let mut found = reading.parse(&buffers);
        if found.unrecorded_error {
            return Ok(RunStatus::UnrecordedError);
        }
        let Some(dispatch_records) = self.read_records(layout, &buffers[0]) else {
            return Ok(RunStatus::LoopsTerminated);
        };
        dispatch_records.add_to(&mut dispatched.run, self.max_iterations());
        if found.stopped.dispatch && self.width == Width::Narrow && self.limits().wide {
            return Ok(RunStatus::ClockOverflow);
        }
        if monitored.plan.trails {
            let trails = reading.trails(&buffers, self.shape());
            let cut = dispatched.run.no_progress.is_some();
            let judged = self.judged_barriers(trails, cut);
            if !judged.distrusted_workgroups.is_empty() {
                reading.distrust(&buffers, &judged.distrusted_workgroups, &mut found.racy);
            }
            dispatched.warnings.extend(judged.warnings);
            dispatched.diverged = judged.diverged;
        }
        dispatched.racy = found.racy;
        if found.dropped > 0 {
            dispatched.warnings.push(Warning::DeviceLogFull(found.dropped));
        }
        dispatched.warnings.extend(unjudged_warnings(found.stopped));
        if let Some(SliceDecision { dispatched: decided, exact, .. }) = sliced {
            dispatched.watched += decided.watched;
            if *exact {
                dispatched.racy.extend(&decided.racy);
                dispatched.warnings.extend(decided.warnings.iter().cloned());
            }
        }
        Ok(RunStatus::Completed(dispatched))
    }

    /// Runs the dispatch on `memory` and logs the accesses to `granules`.
    pub fn record(
        &self,
        memory: &UploadedResources,
        granules: &[Granule],
        stop: Option<&AtomicBool>,
    ) -> Result<RunStatus<Trace>> {
        let _span = self.span().entered();
        // Only the workgroup memory of these workgroups needs room. (For other memory, the workgroup is 0.)
        let workgroups: BTreeSet<u32> = granules.iter().map(|granule| granule.workgroup).collect();
        let ready = self.ready(Purpose::Record, None, Some(workgroups.len() as u32))?;
        let InstrumentedDispatch { monitored, layout, .. } = &*ready.made;
        let mut slots = FxHashMap::default();
        if let (Some(shared), Some(head)) = (layout.slots, ready.shadow.first()) {
            for (workgroup, slot) in workgroups.into_iter().zip(0..shared.count) {
                self.write(head, shared.of_workgroups + workgroup, slot + 1)?;
                slots.insert(workgroup, slot);
            }
        }
        for granule in granules {
            let mut stretches = layout.stretches.iter();
            let of = stretches.find(|s| s.global.index() as u32 == granule.memory.0);
            let Some(stretch) = of else { continue };
            let instance = match stretch.shared {
                true => slots.get(&granule.workgroup).copied(),
                false => Some(granule.workgroup),
            };
            let Some(instance) = instance else { continue };
            let (buffer, word) = layout.word(stretch, instance * stretch.granules + granule.index);
            if let Some(buffer) = ready.shadow.get(buffer) {
                self.write(buffer, word as u32, record::MARK)?;
            }
        }
        if !self.submit(&ready, memory, stop)? {
            return Ok(RunStatus::Completed(Trace::default()));
        }
        let buffers = self.read(&ready, record::WORDS)?;
        if self.read_records(layout, &buffers[0]).is_none() {
            return Ok(RunStatus::LoopsTerminated);
        }
        let reading = ShadowReader { program: self.program, plan: &monitored.plan, layout };
        let trails = reading.trails(&buffers, self.shape());
        if trails.is_some_and(|trails| trails != Trails::default()) {
            return Ok(RunStatus::Diverged);
        }
        let (events, dropped) = record::read(&buffers[0], layout.log_entries);
        let size = self.subgroup_size();
        Ok(RunStatus::Completed(trace_of(self.program, &monitored.plan, &events, dropped, size)))
    }

    /// Reads what a dispatch has recorded in addition to races. Returns `None` if a loop was cut off that might have terminated.
    fn read_records(&self, layout: &Layout, words: &[u32]) -> Option<DispatchRecords> {
        let records = DispatchRecords::read(self.program, self.launch, layout, words);
        let (workgroups, max_iterations) = (self.workgroups(), self.max_iterations());
        let may_terminate = records.loops_may_terminate(self.launch, workgroups, max_iterations);
        (!may_terminate).then_some(records)
    }

    /// Returns the duration of the dispatch on `memory`, under the monitor with the transition table in this location or
    /// unmonitored, without the creation of buffers and pipelines.
    pub fn time(&self, memory: &UploadedResources, table: Option<Table>) -> Result<Duration> {
        Needs { device: self.device, program: self.program }.check_dispatch(self.dispatch)?;
        let options = self.options()?;
        let tally = table.is_some();
        let options = Options { tally, table: table.unwrap_or(options.table), ..options };
        let mut ready = self.prepare(self.watched(None), &options, self.limits())?;
        // Drivers compile a shader when it first runs.
        self.submit(&ready, memory, None)?;
        ready.shadow = self.shadow(&ready.made.layout)?;
        let started = Instant::now();
        self.submit(&ready, memory, None)?;
        Ok(started.elapsed())
    }
}

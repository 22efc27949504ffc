//! Caches instrumented dispatches of programs that are launched many times: each is instrumented, laid out and compiled once for
//! all launches of one shape.
//!
//! A program is identified by its address, and is held as long as the cache uses that address.

use crate::diagnostic::Result;
use crate::pass::monitor::MonitoredProgram;
use crate::program::Program;
use crate::shadow::layout::Layout;
use crate::watch::WatchPlan;
use hirace_gpu::wgpu::ComputePipeline;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The maximum number of programs, and of shapes per program. The most recent ones are kept.
const PROGRAMS: usize = 16;
const SHAPES: usize = 16;

/// An instrumented dispatch, without its own memory.
#[derive(Debug)]
pub struct InstrumentedDispatch {
    pub watched: WatchPlan,
    pub monitored: MonitoredProgram,
    pub layout: Layout,
    pub pipeline: ComputePipeline,
}

/// The cache of instrumented dispatches.
#[derive(Debug, Default)]
pub struct DispatchCache(Mutex<Vec<ProgramEntry>>);

#[derive(Debug)]
struct ProgramEntry {
    program: Arc<Program>,
    /// The dispatches, by the shape of the launch.
    made: Vec<(String, Arc<InstrumentedDispatch>)>,
}

impl DispatchCache {
    fn all(&self) -> MutexGuard<'_, Vec<ProgramEntry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts to cache dispatches of this program.
    pub fn keep(&self, program: &Arc<Program>) {
        let mut all = self.all();
        if all.iter().any(|of| Arc::ptr_eq(&of.program, program)) {
            return;
        }
        if all.len() >= PROGRAMS {
            all.remove(0);
        }
        all.push(ProgramEntry { program: Arc::clone(program), made: Vec::new() });
    }

    /// Returns whether dispatches of this program are cached.
    pub fn has(&self, program: &Program) -> bool {
        self.all().iter().any(|of| ptr::eq(&*of.program, program))
    }

    /// Returns the cached dispatch of `program` for launches of this shape, or creates it. The shape contains everything on which
    /// the dispatch depends, except the program.
    pub fn get_or_create(
        &self,
        program: &Program,
        shape: impl FnOnce() -> String,
        make: impl FnOnce() -> Result<InstrumentedDispatch>,
    ) -> Result<Arc<InstrumentedDispatch>> {
        let is_this = |of: &ProgramEntry| ptr::eq(&*of.program, program);
        if !self.has(program) {
            return Ok(Arc::new(make()?));
        }
        let shape = shape();
        let known = |all: &[ProgramEntry]| {
            let of = all.iter().find(|of| is_this(of))?;
            let (_, made) = of.made.iter().find(|(known, _)| *known == shape)?;
            Some(Arc::clone(made))
        };
        if let Some(kept) = known(&self.all()) {
            return Ok(kept);
        }
        let made = Arc::new(make()?);
        if let Some(of) = self.all().iter_mut().find(|of| is_this(of)) {
            if of.made.len() >= SHAPES {
                of.made.remove(0);
            }
            of.made.push((shape, Arc::clone(&made)));
        }
        Ok(made)
    }

    /// Drops all dispatches, which are invalid after the device is reopened.
    pub fn forget(&self) {
        self.all().iter_mut().for_each(|of| of.made.clear());
    }
}

//! What was made of programs of which there are many launches: instrumented, laid out and compiled once for all launches of
//! one shape.
//!
//! A program is known by where it is, and is held as long as that says which it is.

use crate::diagnostic::Result;
use crate::pass::monitor::Monitored;
use crate::program::Program;
use crate::shadow::layout::Layout;
use crate::watch::WatchPlan;
use hirace_gpu::wgpu::ComputePipeline;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many programs are held, and how many shapes of each: those that were asked for last.
const PROGRAMS: usize = 16;
const SHAPES: usize = 16;

/// An instrumented dispatch, without memory of its own.
#[derive(Debug)]
pub struct Made {
    pub watched: WatchPlan,
    pub monitored: Monitored,
    pub layout: Layout,
    pub pipeline: ComputePipeline,
}

/// See the [module](self).
#[derive(Debug, Default)]
pub struct Kept(Mutex<Vec<OfProgram>>);

#[derive(Debug)]
struct OfProgram {
    program: Arc<Program>,
    /// By the shape of a launch.
    made: Vec<(String, Arc<Made>)>,
}

impl Kept {
    fn all(&self) -> MutexGuard<'_, Vec<OfProgram>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on, what is made of this program is kept.
    pub fn keep(&self, program: &Arc<Program>) {
        let mut all = self.all();
        if all.iter().any(|of| Arc::ptr_eq(&of.program, program)) {
            return;
        }
        if all.len() >= PROGRAMS {
            all.remove(0);
        }
        all.push(OfProgram { program: Arc::clone(program), made: Vec::new() });
    }

    /// Whether what is made of this program is kept.
    pub fn has(&self, program: &Program) -> bool {
        self.all().iter().any(|of| ptr::eq(&*of.program, program))
    }

    /// What is kept of `program` for launches of this shape, or is made now. The shape says all that what is made hangs on,
    /// beside the program.
    pub fn made(
        &self,
        program: &Program,
        shape: impl FnOnce() -> String,
        make: impl FnOnce() -> Result<Made>,
    ) -> Result<Arc<Made>> {
        let is_this = |of: &OfProgram| ptr::eq(&*of.program, program);
        if !self.has(program) {
            return Ok(Arc::new(make()?));
        }
        let shape = shape();
        let known = |all: &[OfProgram]| {
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

    /// Drops what was made, which is of no use on a device that is opened anew.
    pub fn forget(&self) {
        self.all().iter_mut().for_each(|of| of.made.clear());
    }
}

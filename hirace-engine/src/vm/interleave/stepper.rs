//! Runs a dispatch step by step, any number of times, as a [`Chooser`] decides.

use super::Chooser;
use super::execution::{Execution, SteppedRun};
use crate::diagnostic::{Diagnostic, Result};
use crate::vm::code::Code;
use crate::vm::machine::{Machine, Mark, UndoMemory};
use crate::vm::memory::Resources;
use crate::vm::observer::Observer;
use crate::vm::run::Options;

/// Maximum number of bytes for the registers of all units.
const MAX_MEMORY_BYTES: u64 = 1 << 31;

/// Maximum number of units.
const MAX_UNITS: u64 = 1 << 20;

/// A dispatch that can be run step by step any number of times: each run begins with the initial memory.
pub struct Stepper<'a> {
    machine: Machine<'a>,
    options: Options<'a>,
    /// Number of invocations of a workgroup.
    size: u32,
    memory: UndoMemory,
    before: Mark,
}

impl<'a> Stepper<'a> {
    /// Creates a stepper for a dispatch of `code`. The options for the schedule, the number of resident
    /// workgroups and parallelism are ignored. Returns an error if a resource is not bound or if there are
    /// too many invocations.
    pub fn new(code: &'a Code, resources: &'a Resources, options: &Options<'a>) -> Result<Self> {
        let Options { workgroups, subgroup_size, limits, .. } = *options;
        let machine = Machine::new(code, resources, workgroups, subgroup_size, limits.steps)?;
        let size = code.invocations();
        let units = u64::from(machine.workgroups()) * u64::from(size);
        if units > MAX_UNITS || units * u64::from(code.registers) * 4 > MAX_MEMORY_BYTES {
            let message =
                format!("{units} invocations are too many to be interleaved step by step");
            let help = "launch fewer workgroups, or use a schedule that does not choose every step";
            return Err(Diagnostic::new(message).help(help).into());
        }
        let memory = UndoMemory::new(&machine, resources);
        let before = memory.mark();
        Ok(Self { machine, options: *options, size, memory, before })
    }

    /// Returns the number of units.
    pub fn units(&self) -> u32 {
        self.machine.workgroups() * self.size
    }

    /// Runs the dispatch from its start and shows the observer everything it does.
    pub fn run<O: Observer>(&mut self, chooser: &mut dyn Chooser, observer: &O) -> SteppedRun {
        self.floor(observer).run(chooser, &|steps| observer.has_enough(steps))
    }

    /// Runs the dispatch once and writes the final memory to the resources. Its memory use does not grow with
    /// the number of writes.
    pub fn run_once<O: Observer>(
        mut self,
        chooser: &mut dyn Chooser,
        resources: &Resources,
        observer: &O,
    ) -> SteppedRun {
        let stepped = self.floor(observer).once().run(chooser, &|steps| observer.has_enough(steps));
        self.memory.write_back(resources);
        stepped
    }

    /// Creates a run that has not started, over the initial memory.
    fn floor<'f, O: Observer>(&'f mut self, observer: &'f O) -> Execution<'f, 'a> {
        self.memory.roll_back(self.before);
        Execution::new(&self.machine, &self.options, self.size, &mut self.memory, observer)
    }

    /// Returns the final memory of the last run, or the initial memory before the first run.
    pub fn memory(&self) -> &UndoMemory {
        &self.memory
    }
}

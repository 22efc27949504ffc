//! Runs a dispatch step by step, as a [`Chooser`] says, as often as one wants.

use super::Chooser;
use super::floor::{Floor, Stepped};
use crate::diagnostic::{Diagnostic, Result};
use crate::vm::code::Code;
use crate::vm::machine::{Machine, Mark, UndoMemory};
use crate::vm::memory::Resources;
use crate::vm::observer::Observer;
use crate::vm::run::Options;

/// The most bytes that registers of all units may take.
const MOST_MEMORY: u64 = 1 << 31;

/// The most units.
const MOST_UNITS: u64 = 1 << 20;

/// A dispatch that is run step by step, as often as one wants: each run begins with the memory that it had at first.
pub struct Stepper<'a> {
    machine: Machine<'a>,
    options: Options<'a>,
    /// Invocations of a workgroup.
    size: u32,
    memory: UndoMemory,
    before: Mark,
}

impl<'a> Stepper<'a> {
    /// For a dispatch of `code`. Of the options, the schedule, the number of those resident and whether workgroups run
    /// in parallel mean nothing here. An error if something is not bound, or if there are too many invocations.
    pub fn new(code: &'a Code, resources: &'a Resources, options: &Options<'a>) -> Result<Self> {
        let Options { workgroups, subgroup_size, limits, .. } = *options;
        let machine = Machine::new(code, resources, workgroups, subgroup_size, limits.steps)?;
        let size = code.invocations();
        let units = u64::from(machine.workgroups()) * u64::from(size);
        if units > MOST_UNITS || units * u64::from(code.registers) * 4 > MOST_MEMORY {
            let message =
                format!("{units} invocations are too many to be interleaved step by step");
            let help = "launch fewer workgroups, or use a schedule that does not choose every step";
            return Err(Diagnostic::new(message).help(help).into());
        }
        let memory = UndoMemory::new(&machine, resources);
        let before = memory.mark();
        Ok(Self { machine, options: *options, size, memory, before })
    }

    /// How many units there are.
    pub fn units(&self) -> u32 {
        self.machine.workgroups() * self.size
    }

    /// Runs the dispatch from its start, and shows the observer all that it does.
    pub fn run<O: Observer>(&mut self, chooser: &mut dyn Chooser, observer: &O) -> Stepped {
        self.floor(observer).run(chooser, &|steps| observer.has_enough(steps))
    }

    /// Runs it once, and writes the memory that it left to where it came from. However much is written, no more memory
    /// is taken for it.
    pub fn run_once<O: Observer>(
        mut self,
        chooser: &mut dyn Chooser,
        resources: &Resources,
        observer: &O,
    ) -> Stepped {
        let stepped = self.floor(observer).once().run(chooser, &|steps| observer.has_enough(steps));
        self.memory.write_back(resources);
        stepped
    }

    /// A run that has not begun, over memory as it was at first.
    fn floor<'f, O: Observer>(&'f mut self, observer: &'f O) -> Floor<'f, 'a> {
        self.memory.roll_back(self.before);
        Floor::new(&self.machine, &self.options, self.size, &mut self.memory, observer)
    }

    /// The memory that the last run left; at first, what was there before.
    pub fn memory(&self) -> &UndoMemory {
        &self.memory
    }
}

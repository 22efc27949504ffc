//! Tests interleavings with small kernels whose interleavings are known.

mod bugs;
mod exhaustive;
mod model;
mod pct;
mod replay;
mod waiting;
mod watched;

use super::{Kernel, Options, options};
use crate::vm::Code;
use crate::vm::interleave::{Chooser, SteppedRun, Stepper};
use crate::vm::lower::lower;
use crate::vm::machine::Place;
use crate::vm::observer::{MemoryId, NoObserver, Space};

/// A kernel over one buffer of words, `m`. The statements of each unit are a case of a `switch`.
struct Small {
    kernel: Kernel,
    code: Code,
    options: Options<'static>,
}

impl Small {
    /// Creates the kernel in which `units` run these statements, in workgroups of `size`; `m` initially holds
    /// `words`.
    fn new(units: &[&str], size: u32, words: &[u32]) -> Self {
        let cases: String = units
            .iter()
            .enumerate()
            .map(|(unit, does)| format!("case {unit}: {{ {does} }} "))
            .collect();
        let text = format!("fn unit(u: u32) {{ switch u {{ {cases} default: {{}} }} }}");
        Self::of_text(
            &format!("{text} fn all(u: u32) {{ unit(u); }}"),
            units.len() as u32,
            size,
            words,
        )
    }

    /// Creates a kernel from a text with a function `all`, which is called with the number of each unit.
    fn of_text(text: &str, units: u32, size: u32, words: &[u32]) -> Self {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> m: array<u32>;
            {text}
            @compute @workgroup_size({size}) fn main(@builtin(global_invocation_id) id: vec3u) {{
                all(id.x);
            }}"
        );
        Self::of_kernel(Kernel::new(&text).words("m", words), units, size)
    }

    fn of_kernel(kernel: Kernel, units: u32, size: u32) -> Self {
        let code = lower(&kernel.program, 0).unwrap();
        let workgroups = [units / size, 1, 1];
        Self { kernel, code, options: Options { workgroups, subgroup_size: 1, ..options() } }
    }

    fn stepper(&self) -> Stepper<'_> {
        Stepper::new(&self.code, &self.kernel.resources, &self.options).unwrap()
    }

    /// Returns the words of `m` after the last run.
    fn words(&self, stepper: &Stepper<'_>) -> Vec<u32> {
        let memory = MemoryId(self.kernel.index("m") as u32);
        let place = Place { memory, space: Space::Storage, workgroup: 0 };
        // If nothing touched the memory, it has its initial contents.
        stepper.memory().words(place).map_or_else(|| self.kernel.result("m"), <[u32]>::to_vec)
    }

    /// Executes one run; returns its result and its final words.
    fn run(&self, stepper: &mut Stepper<'_>, chooser: &mut dyn Chooser) -> (SteppedRun, Vec<u32>) {
        let stepped = stepper.run(chooser, &NoObserver);
        (stepped, self.words(stepper))
    }
}

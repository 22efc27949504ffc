//! The choices of a list, one after another, and then the default order: `choices:LIST`.
//!
//! A list of another program, or of another launch, still gives a run, and always the same: a choice that there are not
//! enough units for is the last one.

use super::{Chooser, Choices, Enabled, Kind, Unit};

/// See the module.
pub static KIND: Kind = Kind {
    name: "choices",
    parameters: &[],
    takes_choices: true,
    make: |_, choices| Box::new(Replay { choices: choices.clone(), run: 0, done: 0 }),
};

#[derive(Debug)]
struct Replay {
    choices: Choices,
    /// Which run of the list comes next.
    run: usize,
    /// How many of its choices were made.
    done: u64,
}

impl Chooser for Replay {
    fn next(&mut self, enabled: &Enabled) -> Unit {
        let Some(&(choice, count)) = self.choices.runs().get(self.run) else {
            return enabled.of_choice(0);
        };
        self.done += 1;
        if self.done == count {
            (self.run, self.done) = (self.run + 1, 0);
        }
        enabled.of_choice(choice as usize)
    }
}

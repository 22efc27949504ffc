//! Replays a list of choices and then continues in the default order: `choices:LIST`.
//!
//! A list of another program or launch also gives a deterministic run: a choice that exceeds the number of
//! enabled units means the last one.

use super::{Chooser, Choices, EnabledUnits, Kind, Unit};

/// The `choices` strategy.
pub static KIND: Kind = Kind {
    name: "choices",
    parameters: &[],
    takes_choices: true,
    make: |_, choices| Box::new(Replay { choices: choices.clone(), run: 0, done: 0 }),
};

#[derive(Debug)]
struct Replay {
    choices: Choices,
    /// The index of the current run-length entry of the list.
    run: usize,
    /// Number of choices of this entry that were made.
    done: u64,
}

impl Chooser for Replay {
    fn next(&mut self, enabled: &EnabledUnits) -> Unit {
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

//! Each step is done by an enabled unit that is drawn uniformly: `random:SEED`.

use super::{Chooser, EnabledUnits, Kind, Parameter, Unit};
use crate::random::Random as Sequence;

/// The `random` strategy.
pub static KIND: Kind = Kind {
    name: "random",
    parameters: &[Parameter { name: "seed", least: 0, most: u64::MAX }],
    takes_choices: false,
    make: |numbers, _| {
        let seed = numbers.first().copied().unwrap_or_default();
        Box::new(Random { sequence: Sequence::new(seed) })
    },
};

#[derive(Debug)]
struct Random {
    sequence: Sequence,
}

impl Chooser for Random {
    fn next(&mut self, enabled: &EnabledUnits) -> Unit {
        let place = self.sequence.below(enabled.count());
        enabled.units().get(place).copied().unwrap_or_default()
    }
}

//! Schedules: a strategy and its arguments, which together make a run repeatable.

pub use super::limits::Limits;
use super::strategy::{self, Kind, MAX_ARGUMENTS, Strategy};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

/// A strategy with its arguments: it determines the order of workgroups, subgroups and single steps.
///
/// The text form is the strategy's name and its arguments, all of them numbers: `serial`, `seeded:7`.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    kind: &'static Kind,
    /// One number per parameter of the strategy; the rest are 0.
    arguments: [u64; MAX_ARGUMENTS],
}

#[doc(hidden)]
impl Schedule {
    /// Creates a schedule of this kind. Missing arguments are 0, and arguments past the last parameter are
    /// ignored.
    pub fn new(kind: &'static Kind, given: &[u64]) -> Self {
        let mut arguments = [0; MAX_ARGUMENTS];
        for ((to, _), from) in arguments.iter_mut().zip(kind.parameters).zip(given) {
            *to = *from;
        }
        Self { kind, arguments }
    }

    /// Creates the schedule of a seed. Seed 0 is the serial order: workgroups and subgroups in ascending
    /// order, each run until it waits. Any other seed is a random order with pre-emption between steps.
    pub fn seeded(seed: u64) -> Self {
        match seed {
            0 => Self::default(),
            seed => Self::new(&strategy::seeded::KIND, &[seed]),
        }
    }

    /// Creates the serial order in which one subgroup runs about as long as all others together.
    pub fn favoring() -> Self {
        Self::new(&strategy::favoring::KIND, &[])
    }

    /// Creates the schedule in which this workgroup runs to its end before all others start.
    /// [`strategy::targets`] draws targets to try.
    pub fn target_first(workgroup: u32) -> Self {
        Self::new(&strategy::target_first::KIND, &[workgroup.into()])
    }

    /// Creates the schedule in which at most `resident` workgroups, and at least one, are resident: the next
    /// starts when one ends.
    pub fn occupancy(resident: u32) -> Self {
        Self::new(&strategy::occupancy::KIND, &[resident.into()])
    }

    /// Returns the seed from which [`Schedule::seeded`] makes this schedule; `None` for any other strategy.
    pub fn seed(&self) -> Option<u64> {
        let is = |kind: &Kind| self.kind.name == kind.name;
        match is(&strategy::seeded::KIND) {
            true => self.arguments.first().copied(),
            false => is(&strategy::serial::KIND).then_some(0),
        }
    }

    /// Returns the workgroup that [`Schedule::target_first`] runs first; `None` for any other strategy.
    pub fn target(&self) -> Option<u64> {
        let is_it = self.kind.name == strategy::target_first::KIND.name;
        self.arguments.first().filter(|_| is_it).copied()
    }

    /// Returns whether this is the default order, under which workgroups may run in parallel.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }

    /// Creates the strategy of this schedule.
    pub fn strategy(&self, limits: &Limits) -> Box<dyn Strategy> {
        (self.kind.make)(self.arguments(), limits)
    }

    fn arguments(&self) -> &[u64] {
        &self.arguments[..self.kind.parameters.len().min(MAX_ARGUMENTS)]
    }
}

/// The default is the serial order.
impl Default for Schedule {
    fn default() -> Self {
        Self::new(&strategy::serial::KIND, &[])
    }
}

impl PartialEq for Schedule {
    fn eq(&self, other: &Self) -> bool {
        (self.kind.name, self.arguments()) == (other.kind.name, other.arguments())
    }
}

impl Eq for Schedule {}

impl Hash for Schedule {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.kind.name, self.arguments()).hash(hasher);
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name)?;
        self.arguments().iter().try_for_each(|argument| write!(f, ":{argument}"))
    }
}

/// An error in the text of a schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// No strategy has this name.
    #[error("no strategy is called `{name}`; expected one of {}", names())]
    Unknown {
        /// The name.
        name: String,
    },
    /// The number of arguments is wrong, or an argument is not a number.
    #[error("`{name}` takes {}", wanted(parameters))]
    Arguments {
        /// The strategy's name.
        name: &'static str,
        /// The names of the strategy's parameters.
        parameters: &'static [&'static str],
    },
}

fn names() -> String {
    quote_names(strategy::ALL.iter().map(|kind| kind.name))
}

/// Returns the names in backticks, separated by commas, for a message.
pub(super) fn quote_names<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn wanted(parameters: &[&str]) -> String {
    match parameters {
        [] => "no arguments".to_owned(),
        some => format!("these numbers: {}", some.join(", ")),
    }
}

#[doc(hidden)]
impl FromStr for Schedule {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Self, ScheduleError> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let kind = strategy::ALL.iter().find(|kind| kind.name == name);
        let Some(kind) = kind else {
            return Err(ScheduleError::Unknown { name: name.to_owned() });
        };
        let parameters = kind.parameters;
        let arguments: Option<Vec<u64>> = parts.map(|part| part.parse().ok()).collect();
        match arguments.filter(|arguments| arguments.len() == parameters.len()) {
            Some(arguments) => Ok(Self::new(kind, &arguments)),
            None => Err(ScheduleError::Arguments { name: kind.name, parameters }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_is_read_from_what_it_prints() {
        for (schedule, text) in [
            (Schedule::default(), "serial"),
            (Schedule::seeded(0), "serial"),
            (Schedule::seeded(7), "seeded:7"),
            (Schedule::seeded(u64::MAX), "seeded:18446744073709551615"),
            (Schedule::target_first(3), "target-first:3"),
            (Schedule::occupancy(2), "occupancy:2"),
        ] {
            assert_eq!(schedule.to_string(), text);
            assert_eq!(text.parse(), Ok(schedule));
        }
        assert_ne!(Schedule::seeded(1), Schedule::seeded(2));
        assert_eq!(Schedule::seeded(7).seed(), Some(7));
        assert!(Schedule::seeded(0).is_plain() && !Schedule::seeded(1).is_plain());
    }

    #[test]
    fn invalid_schedules_are_rejected() {
        for text in ["", "random", "serial:1", "seeded", "seeded:", "seeded:x", "seeded:1:2", "7"] {
            assert!(text.parse::<Schedule>().is_err(), "{text}");
        }
    }

    #[test]
    fn every_strategy_can_be_named_and_has_room_for_its_arguments() {
        for kind in strategy::ALL {
            assert!(kind.parameters.len() <= MAX_ARGUMENTS, "{}", kind.name);
            assert!(kind.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
            let schedule = Schedule::new(kind, &[1, 2, 3, 4]);
            assert_eq!(schedule.to_string().parse(), Ok(schedule));
        }
    }
}

//! The order in which a dispatch runs, as one value with a text form that reports show and replays read.
//!
//! A [`Schedule`] orders whole subgroups; all checks use it. An [`Interleaving`] chooses every step of every
//! invocation and runs on the stepper ([`super::interleave`]).

use super::Code;
use super::driver;
use super::interleave::{self, Choices, Interleaving, InterleavingError, Stepper};
use super::memory::Resources;
use super::observer::Observer;
use super::run::{Options, Run};
use super::schedule::{Schedule, ScheduleError, quote_names};
use super::strategy;
use crate::diagnostic::Result;
use std::fmt;
use std::str::FromStr;

/// An execution order: a schedule or an interleaving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// An order of whole subgroups: `serial`, `seeded:7`, `target-first:3`, `occupancy:2`.
    Schedule(Schedule),
    /// An order of single steps: `random:7`, `pct:7:3:40`, `choices:0x5,2`.
    Interleaving(Interleaving),
}

/// The default is the serial order.
impl Default for Order {
    fn default() -> Self {
        Self::Schedule(Schedule::default())
    }
}

impl From<Schedule> for Order {
    fn from(schedule: Schedule) -> Self {
        Self::Schedule(schedule)
    }
}

impl From<Interleaving> for Order {
    fn from(interleaving: Interleaving) -> Self {
        Self::Interleaving(interleaving)
    }
}

/// The result of a run in an order.
#[derive(Clone, Debug)]
pub struct OrderedRun {
    /// The result of the run itself.
    pub run: Run,
    /// The choices that reproduce the run, if an interleaving chose each step.
    pub choices: Option<Choices>,
}

impl Order {
    /// Runs one dispatch of `code` over `resources`, which keeps the final memory of the run. The order
    /// replaces the schedule in `options`. Returns an error if a resource is not bound or if there are too
    /// many invocations.
    pub fn run<O: Observer>(
        &self,
        code: &Code,
        resources: &Resources,
        options: &Options<'_>,
        observer: &O,
    ) -> Result<OrderedRun> {
        match self {
            Self::Schedule(schedule) => {
                let options = Options { schedule: *schedule, ..*options };
                let run = driver::run(code, resources, &options, observer)?;
                Ok(OrderedRun { run, choices: None })
            }
            Self::Interleaving(interleaving) => {
                let stepper = Stepper::new(code, resources, options)?;
                let stepped = stepper.run_once(&mut *interleaving.chooser(), resources, observer);
                Ok(OrderedRun { run: stepped.run, choices: Some(stepped.choices) })
            }
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Schedule(schedule) => schedule.fmt(f),
            Self::Interleaving(interleaving) => interleaving.fmt(f),
        }
    }
}

/// An error in the text of an order.
#[derive(Clone, Debug, thiserror::Error)]
pub enum OrderError {
    /// No schedule and no interleaving has this name.
    #[error("no schedule is called `{name}`; expected one of {}", names())]
    Unknown {
        /// The name.
        name: String,
    },
    /// The name is that of a schedule, and its arguments are invalid.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// The name is that of an interleaving, and its arguments are invalid.
    #[error(transparent)]
    Interleaving(#[from] InterleavingError),
}

fn names() -> String {
    let schedules = strategy::ALL.iter().map(|kind| kind.name);
    quote_names(schedules.chain(interleave::ALL.iter().map(|kind| kind.name)))
}

impl FromStr for Order {
    type Err = OrderError;

    fn from_str(text: &str) -> std::result::Result<Self, OrderError> {
        let name = text.split(':').next().unwrap_or_default();
        if strategy::ALL.iter().any(|kind| kind.name == name) {
            return Ok(Self::Schedule(text.parse()?));
        }
        if interleave::ALL.iter().any(|kind| kind.name == name) {
            return Ok(Self::Interleaving(text.parse()?));
        }
        Err(OrderError::Unknown { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn schedules_and_interleavings_round_trip_through_text() {
        for text in ["serial", "seeded:7", "target-first:3", "occupancy:2"] {
            let order: Order = text.parse().unwrap();
            assert!(matches!(order, Order::Schedule(_)) && order.to_string() == text);
        }
        for text in ["random:7", "pct:7:3:40", "choices:0x5,2", "choices:0"] {
            let order: Order = text.parse().unwrap();
            assert!(matches!(order, Order::Interleaving(_)) && order.to_string() == text);
        }
        assert_eq!(Order::default().to_string(), "serial");
    }

    #[test]
    fn invalid_orders_are_rejected_with_the_expected_form() {
        let said = |text: &str| text.parse::<Order>().unwrap_err().to_string();
        for name in ["serial", "target-first", "occupancy", "random", "pct", "choices"] {
            assert!(said("randon:1").contains(&format!("`{name}`")), "{}", said("randon:1"));
        }
        assert!(said("occupancy").contains("resident"), "{}", said("occupancy"));
        assert!(said("target-first:1:2").contains("workgroup"));
        assert!(said("pct:1").contains("DEPTH"));
    }

    proptest! {
        #[test]
        fn random_orders_round_trip_through_text(kind in 0..strategy::ALL.len() + 3, given: [u64; 3]) {
            let [a, b, c] = given;
            let order = match kind.checked_sub(strategy::ALL.len()) {
                None => Order::Schedule(Schedule::new(strategy::ALL[kind], &given)),
                Some(0) => Order::Interleaving(Interleaving::random(a)),
                Some(1) => Order::Interleaving(Interleaving::pct(a, b, c)),
                Some(_) => {
                    let choices = given.map(|bits| (bits as u32 % 5, bits >> 60));
                    Order::Interleaving(Interleaving::choices(choices.into_iter().collect()))
                }
            };
            prop_assert_eq!(order.to_string().parse::<Order>().ok(), Some(order));
        }
    }
}

//! Size limits of definitions: all executions of a test are enumerated, and their number grows factorially.

use crate::test::{Action, Test};

/// The maximum size of a file, in bytes.
pub const BYTES: usize = 1 << 20;
/// The maximum length of a name, in characters.
pub const NAME: usize = 100;
/// The maximum number of threads.
pub const THREADS: usize = 4;
/// The maximum number of actions of all threads.
pub const ACTIONS: usize = 12;
/// The maximum number of locations.
pub const LOCATIONS: usize = 4;
/// The maximum number of variables.
pub const VARIABLES: usize = 8;
/// The maximum value that is written or added.
pub const VALUE: u32 = 15;
/// The maximum number of conditions in all behaviors.
pub const CONDITIONS: usize = 1024;
/// The maximum nesting depth of conditions.
pub const DEPTH: usize = 64;
/// The maximum number of distinguished outcomes.
pub const OUTCOMES: u64 = 1 << 14;
/// The maximum number of executions, consistent or not: for each location, the orders of its writes times the choices
/// of a write for each of its reads.
pub const EXECUTIONS: u64 = 10_000;

/// Returns an upper bound of the number of executions.
pub(super) fn executions(test: &Test) -> u64 {
    let of = |location: usize| {
        let here = || test.actions().filter(move |action| touches(action, location));
        let writes = here().filter(|action| writes(action)).count() as u64;
        let reads = here().filter(|action| !self::writes(action)).count() as u32;
        let orders = (1..=writes).fold(1u64, u64::saturating_mul);
        orders.saturating_mul((writes + 1).saturating_pow(reads))
    };
    (0..test.locations()).map(of).fold(1, u64::saturating_mul)
}

/// Returns the number of distinguished outcomes, as [`crate::test::Space`] counts them.
pub(super) fn outcomes(test: &Test) -> u64 {
    let radix = |location: usize| {
        let values = test.actions().filter(|action| touches(action, location));
        let values = values.map(|action| match *action {
            Action::Write { value, .. } => (u64::from(value), 0),
            Action::Add { value, .. } => (0, u64::from(value)),
            _ => (0, 0),
        });
        let (written, added) =
            values.fold((0, 0), |(most, sum), (value, added)| (value.max(most), sum + added));
        written + added + 1
    };
    let registers = test.actions().filter(|action| action.register().is_some());
    let read = registers.filter_map(Action::location).map(usize::from).map(radix);
    (0..test.locations()).map(radix).chain(read).fold(1, u64::saturating_mul)
}

fn touches(action: &Action, location: usize) -> bool {
    action.location().is_some_and(|of| usize::from(of) == location)
}

fn writes(action: &Action) -> bool {
    matches!(action, Action::Write { .. } | Action::Add { .. } | Action::Read { update: true, .. })
}

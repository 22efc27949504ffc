//! How large a test may be that is read: all of its executions are enumerated, whose number grows as a factorial does.

use crate::test::{Action, Test};

/// Bytes of a file.
pub const BYTES: usize = 1 << 20;
/// Characters of a name.
pub const NAME: usize = 100;
/// Threads.
pub const THREADS: usize = 4;
/// Actions of all threads.
pub const ACTIONS: usize = 12;
/// Locations.
pub const LOCATIONS: usize = 4;
/// Variables.
pub const VARIABLES: usize = 8;
/// What is written or added.
pub const VALUE: u32 = 15;
/// Conditions in all behaviors.
pub const CONDITIONS: usize = 1024;
/// How deep conditions are in one another.
pub const DEPTH: usize = 64;
/// Outcomes that are told apart.
pub const OUTCOMES: u64 = 1 << 14;
/// Executions, consistent or not: of each location the orders of its writes, times the writes that each of its reads may see.
pub const EXECUTIONS: u64 = 10_000;

/// How many executions there are at most.
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

/// How many outcomes are told apart, as [`crate::test::Space`] does.
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

//! Launches in many orders: what the order of things changes in them.
//!
//! A launch is run once in the serial order. Then each of its dispatches is run in other orders, one dispatch at a time, with
//! the rest of the launch behind it, and what the launch leaves in memory is compared, whether it comes to an end, and
//! where memory races (`explore`). Which orders are tried is for the [`families`] to say: those that amplify what
//! schedules of devices seldom show («CLTestCheck», FASE 2019, section 4.3), random ones, PCT with its bound, and all
//! of them where they are few. On the embedded machine every order can be had once more ([`Scheduled`]), and one run of each is
//! enough.
//!
//! Numbers that hang on the order of things may do so by right: sums that are rounded, lists to which invocations append. So
//! what a test asserts is judged first ([`Outputs`]), and tolerances and sets are for the rest.

mod amplifier;
mod explore;
pub mod families;
mod on_device;
mod outputs;
mod places;
mod progress;
pub mod record;
mod reordered;
pub mod results;
#[cfg(test)]
mod schema;
mod settings;
mod stage;
mod stuck;
#[cfg(test)]
mod tests;

pub use crate::facts::{Scheduled, ScheduledError};
pub use amplifier::Amplifier;
pub use on_device::STRATEGIES as ON_DEVICE;
pub use outputs::Outputs;
pub use progress::Progress;
pub use settings::Settings;

//! Schedule amplification: runs launches in many orders and finds what depends on the order.
//!
//! A launch is run once in the serial order. Then each of its dispatches is run in other orders, one dispatch at a
//! time, followed by the rest of the launch in the serial order. For each run, `explore` compares the final memory,
//! whether the launch terminates, and which memory races. The [`families`] decide which orders are tried: those that
//! amplify what schedules of devices seldom show ("CLTestCheck", FASE 2019, section 4.3), random ones, PCT with its
//! bound, and all orders if they are few. On the embedded executor every order can be replayed ([`DispatchOrder`]), so one
//! run of each is enough.
//!
//! Outputs may legitimately depend on the order: rounded sums, or lists to which invocations append. So the assertions
//! of a test are judged first ([`Outputs`]); tolerances and comparison as sets are for the rest.

mod amplifier;
mod explore;
pub mod families;
mod locations;
mod on_device;
mod outputs;
mod progress;
pub mod record;
mod reordered;
pub mod results;
#[cfg(test)]
mod schema;
mod settings;
mod stage;
#[cfg(test)]
mod tests;
mod waits;

pub use crate::facts::{DispatchOrder, DispatchOrderError};
pub use amplifier::Amplifier;
pub use on_device::STRATEGIES as ON_DEVICE;
pub use outputs::Outputs;
pub use progress::Progress;
pub use settings::Settings;

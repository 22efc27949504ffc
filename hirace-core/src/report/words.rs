//! Converts facts to text, with one file for each kind of fact.
//!
//! All texts about a launch are in this module, so that they can be read and changed in one place. Nothing parses these
//! texts: code that makes decisions reads the facts.

mod assertion;
mod assumption;
mod bounds;
mod context;
mod contract;
mod device;
mod divergence;
mod doubt;
mod error;
mod exceeded_limit;
mod finding;
mod finding_text;
mod host;
pub(super) mod names;
mod not_checked;
mod note;
mod open_questions;
pub(super) mod picture;
mod progress;
mod race;
mod race_consequences;
mod replay;
pub mod spelling;
mod suggestion;
mod unwatched;
mod varying;
mod warning;

pub use assumption::assumption;
pub use context::{Context, location};
pub use contract::contract;
pub use device::shadow;
pub use doubt::doubt;
pub use error::{error, places};
pub use exceeded_limit::exceeded_limit;
pub use finding::{caused, finding};
pub use host::host;
pub use not_checked::not_checked;
pub use note::note;
pub use open_questions::{InconclusiveReasons, inconclusive_reasons, reason_lines};
pub use replay::{flags as replay_flags, quote, replay, replay_by};
pub use suggestion::suggestion;
pub use unwatched::not_watched;
pub use varying::varying;
pub use warning::warning;

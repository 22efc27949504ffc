//! Facts: what was seen of a launch, and what follows from it, as types.
//!
//! Observers and executors give them ([`warning`], [`device`]), launches ([`assumption`], [`replay`]),
//! and [`crate::finding`] makes findings of what ran. Whoever decides something (what is the same
//! finding, what is allowed, what may be concluded) asks them; only [`crate::report`] puts them into
//! words. Nothing here computes more than what a fact says by itself, and nothing here knows who made it.

pub mod assertion;
pub mod assumption;
pub mod barrier;
pub mod bounds;
pub mod device;
pub mod divergence;
pub mod doubt;
pub mod finding;
pub mod grid;
mod host;
pub mod kind;
pub mod launch;
pub mod leads_to;
pub mod memory;
pub mod not_checked;
pub mod number;
pub mod part;
pub mod picture;
pub mod place;
pub mod progress;
pub mod race;
pub mod replay;
pub mod scheduled;
pub mod suggestion;
pub mod varying;
pub mod warning;

pub use assertion::FailedAssertion;
pub use assumption::{Assumption, FieldValue};
pub use barrier::{Barrier, Class};
pub use bounds::{OutOfBounds, WildAccess};
pub use device::{About, Device, Shadow, ShadowWords};
pub use divergence::{Divergence, DivergenceAlone, Elsewhere, Missing};
pub use doubt::{Doubt, Guessed};
pub use finding::{Finding, FindingKind, Fingerprint};
pub use grid::Grid;
pub use host::HostDispatch;
pub use kind::{Certainty, Kind, Verdict};
pub use launch::{Allowed, AllowedBy, LaunchFacts, Stats, Wanted, What};
pub use leads_to::{Decided, Dependence, LeadsTo, Outcome, Reach, SameValue};
pub use memory::{Memory, Space};
pub use not_checked::{NotChecked, Why};
pub use number::Number;
pub use part::Part;
pub use picture::{LeftOut, Picture, Touch, Word};
pub use place::Place;
pub use progress::{NoProgress, Waiting};
pub use race::{Access, Actor, Hazard, Other, Race, Relation, Remark, Spread};
pub use replay::{Flag, Replay};
pub use scheduled::{Scheduled, ScheduledError};
pub use suggestion::Suggestion;
pub use varying::Varying;
pub use warning::Warning;

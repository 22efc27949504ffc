//! Facts: typed records of what was observed in a launch and of what follows from it.
//!
//! Observers and executors produce [`warning`] and [`device`], launches produce [`assumption`] and [`replay`], and
//! [`crate::finding`] builds findings from what ran. Code that makes decisions (whether two findings are the same,
//! whether a finding is suppressed, which verdict applies) reads facts. Only [`crate::report`] puts them into words. A
//! fact computes only what follows from its own fields, and no fact depends on its producer.
//!
//! No text is parsed to get a fact back: adding `--entry` to a replay adds a flag to a list. A finding is certain if it
//! has no doubt, and each doubt names the assumption that the finding depends on. Executors produce facts too, so this
//! module does not use them.

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

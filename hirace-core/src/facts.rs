//! Facts: typed records of what was observed in a launch and of what follows from it.
//!
//! Observers and executors produce [`warning`] and [`device`], launches produce [`assumption`] and [`replay`], and
//! [`crate::finding`] builds findings from what ran. Code that makes decisions (whether two findings are the same,
//! whether a finding is suppressed, which verdict applies) reads facts. Only [`crate::report`] writes messages. A
//! fact computes only what follows from its own fields, and no fact depends on its producer.
//!
//! No code parses text to recover a fact: for example, a replay has a list of flags, to which `--entry` can be added. A
//! finding is certain if it has no doubt, and each doubt names the assumption that the finding depends on. This module
//! does not use executors, because executors produce facts too.

pub mod assertion;
pub mod assumption;
pub mod barrier;
pub mod bounds;
pub mod contract;
pub mod device;
pub mod dispatch_order;
pub mod divergence;
pub mod doubt;
pub mod finding;
pub mod grid;
mod host;
pub mod kind;
pub mod launch;
pub mod launch_shard;
pub mod memory;
pub mod not_checked;
pub mod note;
pub mod number;
pub mod picture;
pub mod place;
pub mod progress;
pub mod race;
pub mod race_consequences;
pub mod replay;
pub mod suggestion;
pub mod varying;
pub mod warning;

pub use assertion::FailedAssertion;
pub use assumption::{Assumption, FieldValue};
pub use barrier::{Barrier, BarrierClass};
pub use bounds::{OutOfBounds, OutOfBoundsAccess};
pub use device::{Device, DeviceInfo, Shadow, ShadowWords};
pub use dispatch_order::{DispatchOrder, DispatchOrderError};
pub use divergence::{Divergence, InvocationLocation, MissingInvocations, UnlocatedDivergence};
pub use doubt::{Doubt, InferredInputs};
pub use finding::{Cause, CauseLink, Finding, FindingKind, Fingerprint};
pub use grid::Grid;
pub use host::HostDispatch;
pub use kind::{Certainty, Kind, Severity, Verdict};
pub use launch::{
    InputRequest, LaunchFacts, RequestedInput, Stats, SuppressedBy, SuppressedFinding,
};
pub use launch_shard::LaunchShard;
pub use memory::{Memory, Space};
pub use not_checked::{NotChecked, NotCheckedReason};
pub use note::{Note, NoteKind};
pub use number::Number;
pub use picture::{OmittedParts, Picture, Touch, Word};
pub use place::Place;
pub use progress::{NoProgress, Waiting};
pub use race::{Access, Actor, Hazard, OtherAccess, Race, RaceExtent, Relation, Remark};
pub use race_consequences::{
    DangerousUse, Dependence, Outcome, RaceConsequences, Reach, SameValue,
};
pub use replay::{Flag, Replay};
pub use suggestion::{Fix, Suggestion};
pub use varying::Varying;
pub use warning::Warning;

//! Converts what ran to findings.
//!
//! [`judge`] produces the facts about a launch: [`explain`] re-examines racy words, `group` groups them into races, and
//! `race` and `engine` build findings from them, with details from `reason`, [`certainty`] and `suggest`. [`trial`] tries
//! suggestions before they are shown. [`verdict`]
//! derives the verdict. [`suppress`] and [`baseline`] suppress findings. All modules work on [`crate::facts`], and none
//! of them produces text.
//!
//! The modules have no cyclic dependencies: those further down this list use those above.

mod assertion;
pub(crate) mod barriers;
pub mod baseline;
pub mod certainty;
pub mod coverage;
pub(crate) mod element;
pub mod explain;
pub mod fingerprint;
pub mod identity;
mod invocation_location;
mod structure;
pub mod suppress;
pub mod verdict;

mod consequences;
mod flag;
mod group;
mod log;
mod picture;
mod reason;

pub mod executed_launch;
pub mod suggest;

mod bounds;
mod divergence;
pub(crate) mod progress;
mod race;

pub mod trial;

mod causes;
mod engine;
pub mod judge;

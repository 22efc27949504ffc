//! From what ran to what was found.
//!
//! [`judge`] makes the facts about a launch of what it did: [`explain`] looks at racy words again,
//! `group` makes races of them, `race` and `engine` findings, with what `reason`, [`certainty`] and
//! `suggest` know of them; [`verdict`] says what may be concluded. What is meant is allowed by
//! [`suppress`] and [`baseline`]. All of it works on [`crate::facts`], and none of it speaks.
//!
//! No two files here need each other: those further down this list use those above.

mod assertion;
mod barriers;
pub mod baseline;
pub mod certainty;
pub mod coverage;
pub(crate) mod element;
pub mod explain;
pub mod fingerprint;
mod structure;
pub mod suppress;
pub mod verdict;
mod whereabouts;

mod flag;
mod group;
mod leads;
mod log;
mod picture;
mod reason;

pub mod ran;
pub mod suggest;

mod bounds;
mod divergence;
pub(crate) mod progress;
mod race;

mod engine;
pub mod judge;

#[cfg(test)]
pub(crate) mod fixture;

//! Shadow memory on a device: location and format of the access history of each granule.
//!
//! [`crate::watch`] decides what is watched. A [`plan`] places the shadow in an instrumented module. A [`layout`] contains the
//! sizes and widths for one launch as values of the module's overrides, so that one instrumented module serves every launch.
//! [`fit`] decides how wide shadow words are and how many bindings they use, and [`fields`] defines their format. The
//! instrumented module writes racy granules to a [`log`]. It may also [`tally`] its accesses at each site, and record the
//! [`trail`]s of its invocations from barrier to barrier. A recording module writes every access to some granules ([`record`]).

pub mod fields;
pub mod fit;
pub mod layout;
pub mod log;
pub mod plan;
pub mod record;
pub mod tally;
pub mod trail;

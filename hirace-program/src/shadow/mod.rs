//! Shadow memory on a device: where the history of each granule stands, and what it looks like.
//!
//! What is watched, [`crate::watch`] decides. A [`plan`] says where in an instrumented module the shadow of that
//! lives. A [`layout`] gives the sizes and widths for one launch: the values of the module's overrides, so
//! that one instrumented text serves every launch. [`fit`] says how long shadow words have to be and how many
//! bindings they take, and [`fields`] packs them. The
//! instrumented module writes racy granules to a [`log`] and may [`tally`] what else it sees of each
//! site, and the [`trail`]s of its invocations from barrier to barrier; one that records writes every access to some
//! granules ([`record`]).

pub mod fields;
pub mod fit;
pub mod layout;
pub mod log;
pub mod plan;
pub mod record;
pub mod tally;
pub mod trail;

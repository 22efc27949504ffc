//! Facts in words, one file a kind of fact.

pub mod unwatched;

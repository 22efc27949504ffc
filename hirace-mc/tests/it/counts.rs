//! Known counts.

//! Support for tests of several modules.

pub(crate) mod fixture;

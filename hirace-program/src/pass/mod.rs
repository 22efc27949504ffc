//! Passes: from a module to a module. None knows who will run it.

pub mod monitor;
pub mod specialise;

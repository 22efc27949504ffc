//! The core of hirace: launches, checks, findings and reports.
//!
//! This crate is not for direct use: use the crate `hirace` in the tests of a crate, or the command `hirace` of the
//! crate `hirace-cli`. This crate has what both need, and its interface changes with every version.
//!
//! Each arrow points to the module that is used: `facts` ← `launch` ← `analysis` ← `exec` ← `finding` ← `report`, and
//! `facts` ← `event`. `check` uses `exec`, `finding` and `event` and does not know reporters; `cover` uses `check`.

pub mod amplify;
pub mod analysis;
pub mod bounded;
pub mod check;
pub mod config;
pub mod contract;
pub mod cover;
pub mod deadline;
pub mod edit;
pub mod event;
pub mod exec;
pub mod facts;
pub mod finding;
pub mod folder;
pub mod front;
pub mod launch;
pub mod limits;
pub mod preprocessing;
pub mod process;
pub mod process_mutation;
pub mod process_request;
pub mod report;
pub mod shard;

pub use hirace_engine::{observe, random, vm};
pub use hirace_program::{
    diagnostic, ir, pass, points, program, prove, shadow, source_map, watch, webgpu,
};
pub use hirace_rust::postcondition;

#[cfg(test)]
mod tests;

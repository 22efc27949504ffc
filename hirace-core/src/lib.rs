//! What hirace does with what runs: launches, checks, findings and reports.
//!
//! Not meant to be used directly: the crate `hirace` is for the tests of a crate, `hirace-cli` is the command. What both
//! need stands here, and changes with every version.

pub mod amplify;
pub mod analysis;
pub mod bounded;
pub mod check;
pub mod config;
pub mod cover;
pub mod edit;
pub mod event;
pub mod exec;
pub mod facts;
pub mod finding;
pub mod folder;
pub mod launch;
pub mod limits;
pub mod mutated;
pub mod patience;
pub mod process;
pub mod report;
pub mod shard;

pub use hirace_engine::{observe, random, vm};
pub use hirace_program::{
    diagnostic, ensured, front, ir, pass, points, program, prove, shadow, source_map, watch, webgpu,
};

//! How well the tests of a kernel look for its bugs.
//!
//! What runs is counted in `hirace-core`; here is what it means for a suite: [`suite`] runs the tests, [`report`] shows what
//! they [`cover`], [`mutate`] what they would notice and [`amplify`] what the order of things changes in them. A [`gate`] says
//! whether it is enough.
//!
//! Not meant to be used directly: `hirace-cli` is the command. It changes with every version.

#![forbid(unsafe_code)]

pub mod amplify;
pub mod audit;
pub mod cover;
pub mod gate;
pub mod mutate;
pub mod report;
pub mod schema;
pub mod suite;
mod table;

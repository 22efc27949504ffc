//! Assesses how well the tests of a kernel detect bugs.
//!
//! `hirace-core` counts coverage and checks launches. This crate applies that to suites: [`suite`] runs the tests,
//! [`report`] shows what they [`cover`], [`mutate`] judges mutants by them, [`amplify`] runs them under other
//! schedules, and [`audit`] joins all of this. A [`gate`] is a threshold for a result.
//!
//! Not meant to be used directly: `hirace-cli` is the command. The API changes with every version.

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

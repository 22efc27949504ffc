//! Litmus campaigns as a service: a page that runs tests in browsers, an API that takes results and hands out the pieces of
//! campaigns, a database that keeps what comes, and its analysis.
//!
//! Nothing that is sent is believed but counts, times and names of devices: what follows from these has to follow
//! ([`hirace_litmus::results::check`]). Nothing that was answered is lost: it was committed before ([`store`]).
//!
//! Not meant to be used directly: `hirace litmus serve` is the command. It changes with every version.

#![forbid(unsafe_code)]

pub mod analyses;
pub mod api;
pub mod app;
mod body;
mod guard;
pub mod import;
pub mod known;
mod metrics;
mod observe;
mod page;
mod problem;
mod random;
mod rate;
pub mod server;
pub mod store;
pub mod submission;

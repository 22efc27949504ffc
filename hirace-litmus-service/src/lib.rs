//! Litmus campaigns as a service: a page that runs tests in browsers, an API that accepts results and leases the pieces
//! of campaigns, a database of the results, and their analysis.
//!
//! Only counts, times and names of devices are trusted in what clients send; everything that follows from these is
//! checked ([`hirace_litmus::results::check`]). What a successful response acknowledges is durable: it was committed
//! before ([`store`]).
//!
//! This crate is internal: use the command `hirace litmus serve`. The API changes with every version.
//!
//! The service is a separate program, so that building the command does not build it. [`hirace_litmus::remote`] defines
//! the messages between workers and the service.

#![forbid(unsafe_code)]

pub mod analyses;
pub mod api;
pub mod app;
mod body;
pub mod campaign_cache;
mod guard;
pub mod import;
mod memory_limit;
mod metrics;
mod observe;
mod page;
mod problem;
mod random;
mod rate;
mod router;
pub mod server;
pub mod store;
mod streamed;
pub mod submission;

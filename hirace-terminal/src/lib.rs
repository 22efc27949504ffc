//! What the commands share: how they print and with which exit status they end ([`output`]), how they are stopped
//! ([`stop`]), and how they write files ([`mod@file`]).
//!
//! What is printed and written is for `hirace-core` and the commands to say.

#![forbid(unsafe_code)]

pub mod file;
pub mod output;
pub mod stop;

pub use output::{Color, Exit, Output};

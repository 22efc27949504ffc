//! The code that the commands share: printing and exit statuses ([`output`]), stopping on signals ([`stop`]), and
//! writing files ([`mod@file`]).
//!
//! The texts that are printed and written come from `hirace-core` and the commands.

#![forbid(unsafe_code)]

pub mod file;
pub mod output;
pub mod stop;

pub use output::{Color, Exit, Output};

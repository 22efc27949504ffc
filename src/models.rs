//! Fences in models (`#[hirace::model]`).
#![allow(
    unused_variables,
    reason = "the functions represent verified operations and have no bodies"
)]

use crate::prelude::{Scope, never_executed};
use std::sync::atomic::Ordering;

/// Executes a fence for the invocations in `scope`. `std::sync::atomic::fence(ordering)` is a fence for the device.
pub fn fence(ordering: Ordering, scope: Scope) {
    never_executed()
}

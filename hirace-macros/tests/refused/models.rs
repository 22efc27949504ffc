//! Models: errors for memory orders and scopes, at their tokens.

use hirace::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

#[hirace::model(workgroup_size(1))]
fn refused(flag: &AtomicU32) {
    flag.within(Scope::Device);
    flag.store(1, Ordering::Acquire);
    let x: u32 = flag.load(Ordering::Acquire);
}

fn main() {
    let _ = refused;
}

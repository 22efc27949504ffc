//! Postconditions: rustc checks their names and types.

use std::sync::atomic::{AtomicU32, Ordering};

#[hirace::model(workgroup_size(1))]
#[ensures(count == 1 && seen == 2)]
fn names_what_is_not_there(count: &AtomicU32) {
    count.store(1, Ordering::Release);
}

fn main() {
    let _ = names_what_is_not_there;
}

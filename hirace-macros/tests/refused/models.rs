//! Models: orders that std forbids, at their tokens; and a model's kernel, which is none.

use hirace::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

#[hirace::model(workgroup_size(1))]
fn refused(flag: &AtomicU32) {
    flag.within(Scope::Device);
    let x: u32 = flag.load(Ordering::Acquire);
}

#[hirace::model]
mod good {
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering, fence};

    #[kernel(workgroup_size(1))]
    pub fn passes(flag: &AtomicU32, own: &Atomic<u32>, data: &mut [u32]) {
        flag.within(Scope::Workgroup).store(1, Ordering::Release);
        own.within(Scope::Subgroup).fetch_add(1);
        fence(Ordering::SeqCst);
        hirace::fence(Ordering::Acquire, hirace::Scope::System);
        data[flag.load(Ordering::Relaxed)] = 1;
    }
}

fn main() {
    let _ = good::passes;
    let _ = good::passes::kernel();
}

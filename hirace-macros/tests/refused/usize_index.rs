//! An index of type `isize`, which hirace rejects in a kernel. For unfinished code, only rustc reports it, through
//! rust-analyzer, with each index rewritten to `index(…)`, in the same words.

use hirace::prelude::*;

#[hirace::monitor(workgroup_size(64))]
pub fn refused(#[builtin(local_invocation_index)] lane: u32, out: &mut [u32]) {
    let last: isize = 3;
    out[last] = lane;
}

pub fn as_rustc_sees_it(out: &mut [u32], last: isize) {
    out[index(last)] = 1;
}

fn main() {
    let _ = refused::kernel();
}

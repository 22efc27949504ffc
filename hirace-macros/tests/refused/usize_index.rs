//! An index of type `isize`: ours to refuse in a kernel. What is half written rustc alone sees, through
//! rust-analyzer, with each index given as `index(…)`: it says the same.

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

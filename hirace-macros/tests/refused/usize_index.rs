//! An index of type `usize`: ours to refuse in a kernel. What is half written rustc alone sees, through
//! rust-analyzer, with each index given as `index(…)`: it says the same.

use hirace::prelude::*;

#[hirace::monitor(workgroup_size(64))]
pub fn refused(#[builtin(local_invocation_index)] lane: u32, out: &mut [u32]) {
    let last: usize = out.len();
    out[last] = lane;
}

pub fn as_rustc_sees_it(out: &mut [u32], last: usize) {
    out[index(last)] = 1;
}

fn main() {
    let _ = refused::kernel();
}

//! A helper that uses what is not marked is refused itself; the kernel that uses it is not blamed.

use hirace::prelude::*;

fn plain(x: u32) -> u32 {
    x
}

#[hirace::monitor]
fn helper(x: u32) -> u32 {
    plain(x) + 1
}

#[hirace::monitor(workgroup_size(64))]
fn kernel(#[builtin(global_invocation_id)] id: UVec3, out: &mut [u32]) {
    out[id.x] = helper(id.x);
}

fn main() {
    let _ = kernel::kernel();
}

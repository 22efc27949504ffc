//! An error in a kernel that uses others, and an unknown name.

use hirace::prelude::*;

#[hirace::monitor]
fn helper(x: u32) -> u32 {
    x
}

#[hirace::monitor(workgroup_size(64))]
fn kernel(#[builtin(global_invocation_id)] id: UVec3, out: &mut [u32]) {
    let name = "text";
    out[id.x] = helper(id.x);
}

#[hirace::monitor(workgroup_size(64))]
fn typo(#[builtin(global_invocation_id)] id: UVec3, out: &mut [u32]) {
    out[id.x] = helpr(id.x);
}

fn main() {
    let _ = (kernel::kernel(), typo::kernel());
}

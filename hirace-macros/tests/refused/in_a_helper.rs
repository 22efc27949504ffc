//! An error in a helper is reported there, once, for any number of kernels that use it.

use hirace::prelude::*;

#[hirace::monitor]
fn helper(x: u32) -> u32 {
    let twice = |y: u32| 2 * y;
    let text = "two";
    x
}

#[hirace::monitor(workgroup_size(64))]
fn one(#[builtin(global_invocation_id)] id: UVec3, out: &mut [u32]) {
    out[id.x] = helper(id.x);
}

#[hirace::monitor(workgroup_size(64))]
fn two(#[builtin(global_invocation_id)] id: UVec3, out: &mut [u32]) {
    out[id.x] = helper(id.x) + 1;
}

#[hirace::monitor]
fn step(x: u32) -> u32 {
    x
}

#[hirace::monitor]
enum Shape {
    Round,
}

fn main() {
    let _ = (one::kernel(), two::kernel());
}

//! Rejected kernels next to a good one. There are no errors for the good one, nor for uses of either.

use hirace::prelude::*;

#[hirace::monitor(workgroup_size(64))]
fn refused(#[builtin(global_invocation_id)] id: UVec3, out: &mut [u32]) {
    let i: usize = 3;
    out[i] = "text";
    out[id.x] = 1.5;
}

#[hirace::monitor(workgroup_size(64))]
fn generic<const N: usize>(out: &mut [u32], #[workgroup] tile: &mut [u32; N]) {
    tile[0] = 1;
    println!("{}", out[0]);
}

#[hirace::monitor(workgroup_size(64))]
fn good(#[builtin(global_invocation_id)] id: UVec3, out: &mut [u32]) {
    out[id.x] = id.x;
}

fn main() {
    let _: [hirace::Kernel; 3] = [refused::kernel(), generic::kernel::<64>(), good::kernel()];
}

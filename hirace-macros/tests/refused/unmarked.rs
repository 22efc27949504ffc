//! Unmarked items that a kernel uses are reported at their names, all at once.

use hirace::prelude::*;

mod helpers {
    pub fn square(x: u32) -> u32 {
        x * x
    }

    pub struct Params {
        pub scale: u32,
    }
}

use helpers::{Params, square};

const TILE: usize = 4;

#[hirace::monitor(workgroup_size(64))]
fn kernel(
    #[builtin(global_invocation_id)] id: UVec3,
    params: &Params,
    out: &mut [u32],
    #[workgroup] tile: &mut [u32; TILE],
) {
    tile[id.x % 4] = 1;
    out[id.x] = square(id.x) + params.scale + helpers::square(2);
}

fn main() {
    let _ = kernel::kernel();
}

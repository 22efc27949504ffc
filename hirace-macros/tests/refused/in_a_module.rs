//! A module with a rejected kernel, a helper and a struct. The other kernel and all names are kept.

#[hirace::monitor]
mod kernels {
    use hirace::prelude::*;

    #[derive(Clone, Copy)]
    pub struct Cell {
        pub alive: u32,
    }

    fn twice(x: u32) -> u32 {
        x * 2
    }

    #[kernel(workgroup_size(64))]
    pub fn refused(#[builtin(global_invocation_id)] id: UVec3, cells: &mut [Cell]) {
        let r = &mut cells[id.x];
        r.alive = twice(1.0);
    }

    #[kernel(workgroup_size(64))]
    pub fn good(#[builtin(global_invocation_id)] id: UVec3, cells: &mut [Cell]) {
        cells[id.x].alive = twice(id.x);
    }
}

fn main() {
    let _ = [kernels::refused::kernel(), kernels::good::kernel()];
    let _ = kernels::Cell { alive: 1 };
}

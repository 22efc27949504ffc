//! The prelude together with other preludes.

// Tests of kernels import both: neither hides a name of the other.
use crate::prelude::*;
use crate::{Launch, Result, check};
use proptest::prelude::*;

#[hirace::monitor(workgroup_size(4))]
fn some(#[builtin(global_invocation_id)] id: UVec3, out: &mut [u32]) {
    if any(id.xy().cmpgt(uvec2(1, 0))) {
        out[id.x] = 1;
    }
}

#[hirace::monitor]
mod own {
    use hirace::prelude::*;

    /// A function of the module has precedence over WGSL's.
    fn any(x: u32) -> u32 {
        x + 1
    }

    #[kernel(workgroup_size(4))]
    pub fn kernel(#[builtin(global_invocation_id)] id: UVec3, out: &mut [u32]) {
        out[id.x] = any(id.x);
    }
}

#[test]
fn any_is_wgsls_in_kernels_and_proptests_in_tests() -> Result<()> {
    let _: &dyn Strategy<Value = u32, Tree = _> = &any::<u32>();
    let launch = || Launch::new().workgroups(1).zeros("out", 4);
    let out = check(&some::kernel(), launch())?.assert_clean().buffer::<Vec<u32>>("out")?;
    assert_eq!(out, [0, 0, 1, 1]);
    let out = check(&own::kernel::kernel(), launch())?.assert_clean().buffer::<Vec<u32>>("out")?;
    assert_eq!(out, [1, 2, 3, 4]);
    Ok(())
}

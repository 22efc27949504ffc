#[hirace::monitor]
mod kernels {
    use hirace::prelude::*;

    pub struct Params {
        width: u32,
        scale: f32,
    }

    const LIMIT: u32 = 64;

    fn double(x: u32) -> u32 {
        x * 2
    }

    fn fill(tile: &mut [f32; 64], value: f32) {
        tile[0] = value;
    }

    #[kernel(workgroup_size(64))]
    pub fn kernel(
        #[builtin(global_invocation_id)] gid: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        input: &[f32],
        output: &mut [f32],
        data: &mut [u32],
        points: &[Vec3],
        hits: &Atomic<u32>,
        counts: &[Atomic<u32>],
        #[uniform] params: Params,
        #[workgroup] tile: &mut [f32; 64],
    ) {
        BODY
    }
}

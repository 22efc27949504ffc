//! Counts the edges that lead to a higher vertex, in one cell: a workgroup shares the edges of a vertex.
#[hirace::monitor]
pub mod conditional_vertex {
    use hirace::prelude::*;

    #[kernel(workgroup_size(64))]
    pub fn kernel(
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(num_workgroups)] grid: UVec3, //~ persistent
        #[builtin(local_invocation_index)] lane: u32,
        #[uniform] vertices: u32,
        nindex: &[u32],
        nlist: &[u32],
        data1: &mut [Data],
        #[workgroup] carry: &mut [Data; 64],
    ) {
        for i in (group.x..vertices).step_by(grid.x) { //~ persistent
        let i = group.x; //~ !persistent
        if i < vertices { //~ !persistent
            workgroup_barrier(); //~ persistent
            let mut count = 0 as Data;
            let beg = nindex[i];
            let end = nindex[i + 1];
            for at in (beg + lane..end).step_by(64) {
                let nei = nlist[at];
                if nei > i {
                    count += 1;
                    break; //~ break
                }
            }
            carry[lane] = count;
            workgroup_barrier();
            let mut stride = 32;
            while stride > 0 {
                if lane < stride {
                    carry[lane] = carry[lane] + carry[lane + stride];
                }
                workgroup_barrier();
                stride /= 2;
            }
            if lane == 0 {
                let total = carry[0];
                atomic_add(&mut data1[0], total); //~ !atomicBug
                data1[0] += total; //~ atomicBug
            }
        }
    }
}

//! Lists the edges that lead to a higher vertex: a workgroup shares the edges of a vertex.
#[hirace::monitor]
pub mod populate_worklist {
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
        data2: &mut [Data],
    ) {
        for i in (group.x..vertices).step_by(grid.x) { //~ persistent
        let i = group.x; //~ !persistent
        if i < vertices { //~ !persistent
            let beg = nindex[i];
            let end = nindex[i + 1];
            for at in (beg + lane..end).step_by(64) {
                let nei = nlist[at];
                if nei > i {
                    let slot = atomic_add(&mut data2[0], 1); //~ !atomicBug
                    let slot = data2[0]; //~ atomicBug
                    data2[0] = slot + 1; //~ atomicBug
                    data1[slot as u32] = at as Data; //~ +atomicBug
                    break; //~ break
                }
            }
        }
    }
}

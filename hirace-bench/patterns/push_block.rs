//! Each vertex lowers the values at the ends of its edges to its own value: a workgroup shares the edges of a vertex.
#[hirace::monitor]
pub mod push {
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
        data2: &[Data],
    ) {
        for i in (group.x..vertices).step_by(grid.x) { //~ persistent
        let i = group.x; //~ !persistent
        if i < vertices { //~ !persistent
            let value = data2[i];
            let beg = nindex[i];
            let end = nindex[i + 1];
            for at in (beg + lane..end).step_by(64) {
                let nei = nlist[at];
                if nei > i { //~ cond
                { //~ !cond
                    atomic_min(&mut data1[nei], value); //~ !atomicBug
                    data1[nei] = min(data1[nei], value); //~ atomicBug
                    break; //~ break
                }
            }
        }
    }
}

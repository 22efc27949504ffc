//! Lists the edges that lead to a higher vertex: a subgroup shares the edges of a vertex.
#[hirace::monitor]
pub mod populate_worklist {
    use hirace::prelude::*;

    #[kernel(workgroup_size(64))]
    pub fn kernel(
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(num_workgroups)] grid: UVec3, //~ persistent
        #[builtin(subgroup_id)] subgroup: u32,
        #[builtin(num_subgroups)] subgroups: u32,
        #[builtin(subgroup_invocation_id)] lane: u32,
        #[builtin(subgroup_size)] lanes: u32,
        #[uniform] vertices: u32,
        nindex: &[u32],
        nlist: &[u32],
        data1: &mut [Data],
        data2: &mut [Data],
    ) {
        for i in (group.x * subgroups + subgroup..vertices).step_by(grid.x * subgroups) { //~ persistent
        let i = group.x * subgroups + subgroup; //~ !persistent
        if i < vertices { //~ !persistent
            let beg = nindex[i];
            let end = nindex[i + 1];
            for at in (beg + lane..end).step_by(lanes) {
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

//! Lists the edges that lead to a higher vertex: an invocation processes one edge of its vertex.
#[hirace::monitor]
pub mod populate_worklist {
    use hirace::prelude::*;

    #[kernel(workgroup_size(64))]
    pub fn kernel(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(num_workgroups)] grid: UVec3, //~ persistent
        #[uniform] vertices: u32,
        nindex: &[u32],
        nlist: &[u32],
        data1: &mut [Data],
        data2: &mut [Data],
    ) {
        for i in (id.x..vertices).step_by(64 * grid.x) { //~ persistent
        let i = id.x; //~ !persistent
        if i < vertices { //~ !persistent
            let beg = nindex[i];
            let end = nindex[i + 1];
            if beg < end { //~ !boundsBug
            { //~ boundsBug
                let at = beg; //~ !last
                let at = end - 1; //~ last
                let nei = nlist[at];
                if nei > i {
                    let slot = atomic_add(&mut data2[0], 1); //~ !atomicBug
                    let slot = data2[0]; //~ atomicBug
                    data2[0] = slot + 1; //~ atomicBug
                    data1[slot as u32] = at as Data; //~ +atomicBug
                }
            }
        }
    }
}

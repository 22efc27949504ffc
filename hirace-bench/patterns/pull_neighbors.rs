//! Each vertex adds the values at the ends of its edges to its own value: an invocation processes all edges of its vertex.
#[hirace::monitor]
pub mod pull {
    use hirace::prelude::*;

    #[kernel(workgroup_size(64))]
    pub fn kernel(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(num_workgroups)] grid: UVec3, //~ persistent
        #[uniform] vertices: u32,
        nindex: &[u32],
        nlist: &[u32],
        data1: &mut [Data],
        data2: &[Data],
    ) {
        for i in (id.x..vertices).step_by(64 * grid.x) { //~ persistent
        let i = id.x; //~ !persistent
        if i < vertices { //~ !persistent,!boundsBug
        { //~ !persistent,boundsBug
            let beg = nindex[i];
            let end = nindex[i + 1];
            for at in beg..end { //~ !reverse
            for at in (beg..end).rev() { //~ reverse
                let nei = nlist[at];
                if nei > i { //~ cond
                { //~ !cond
                    data1[i] += data2[nei];
                    break; //~ break
                }
            }
        }
    }
}

//! Computes the largest value at the end of an edge, in one cell: a subgroup shares the edges of a vertex.
#[hirace::monitor]
pub mod conditional_edge {
    use hirace::prelude::*;
    const ZERO: Data = 0; //~ !f32
    const ZERO: Data = 0.0; //~ f32

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
        data2: &[Data],
    ) {
        for i in (group.x * subgroups + subgroup..vertices).step_by(grid.x * subgroups) { //~ persistent
        let i = group.x * subgroups + subgroup; //~ !persistent
        if i < vertices { //~ !persistent
            let mut best = ZERO;
            let beg = nindex[i];
            let end = nindex[i + 1];
            for at in (beg + lane..end).step_by(lanes) {
                let nei = nlist[at];
                if nei > i { //~ cond
                { //~ !cond
                    best = max(best, data2[nei]);
                    break; //~ break
                }
            }
            let mut distance = lanes / 2;
            while distance > 0 {
                best = max(best, subgroup_shuffle_xor(best, distance));
                distance /= 2;
            }
            if lane == 0 {
                let value = best;
                if data1[0] < value { //~ guardBug
                { //~ !guardBug
                    atomic_max(&mut data1[0], value); //~ !atomicBug,+guardBug
                    data1[0] = max(data1[0], value); //~ atomicBug
                }
            }
        }
    }
}

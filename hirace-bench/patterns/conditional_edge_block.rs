//! Computes the largest value at the end of an edge, in one cell: a workgroup shares the edges of a vertex.
#[hirace::monitor]
pub mod conditional_edge {
    use hirace::prelude::*;
    const ZERO: Data = 0; //~ !f32
    const ZERO: Data = 0.0; //~ f32

    #[kernel(workgroup_size(64))]
    pub fn kernel(
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(num_workgroups)] grid: UVec3, //~ persistent
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(subgroup_id)] subgroup: u32, //~ shfl
        #[builtin(num_subgroups)] subgroups: u32, //~ shfl
        #[builtin(subgroup_invocation_id)] place: u32, //~ shfl
        #[builtin(subgroup_size)] lanes: u32, //~ shfl
        #[uniform] vertices: u32,
        nindex: &[u32],
        nlist: &[u32],
        data1: &mut [Data],
        data2: &[Data],
        #[workgroup] carry: &mut [Data; 64],
    ) {
        for i in (group.x..vertices).step_by(grid.x) { //~ persistent
        let i = group.x; //~ !persistent
        if i < vertices { //~ !persistent
            workgroup_barrier(); //~ persistent
            let mut best = ZERO;
            let beg = nindex[i];
            let end = nindex[i + 1];
            for at in (beg + lane..end).step_by(64) {
                let nei = nlist[at];
                if nei > i { //~ cond
                { //~ !cond
                    best = max(best, data2[nei]);
                    break; //~ break
                }
            }
            carry[lane] = best; //~ !shfl,+syncBug
            workgroup_barrier(); //~ !shfl,!syncBug
            let mut stride = 32; //~ !shfl
            while stride > 0 { //~ !shfl
                if lane < stride { //~ !shfl
                    carry[lane] = max(carry[lane], carry[lane + stride]); //~ !shfl,+syncBug
                } //~ !shfl
                workgroup_barrier(); //~ !shfl
                stride /= 2; //~ !shfl
            } //~ !shfl
            let mut distance = lanes / 2; //~ shfl
            while distance > 0 { //~ shfl
                best = max(best, subgroup_shuffle_xor(best, distance)); //~ shfl
                distance /= 2; //~ shfl
            } //~ shfl
            if place == 0 { //~ shfl
                carry[subgroup] = best; //~ shfl
            } //~ shfl
            workgroup_barrier(); //~ shfl
            if lane == 0 { //~ shfl
                for other in 1..subgroups { //~ shfl
                    carry[0] = max(carry[0], carry[other]); //~ shfl
                } //~ shfl
            } //~ shfl
            if lane == 0 {
                let value = carry[0];
                if data1[0] < value { //~ guardBug
                { //~ !guardBug
                    atomic_max(&mut data1[0], value); //~ !atomicBug,+guardBug
                    data1[0] = max(data1[0], value); //~ atomicBug
                }
            }
        }
    }
}

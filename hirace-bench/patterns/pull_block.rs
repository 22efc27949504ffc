//! Each vertex adds the values at the ends of its edges to its own value: a workgroup shares the edges of a vertex.
#[hirace::monitor]
pub mod pull {
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
            let mut sum = ZERO;
            let beg = nindex[i];
            let end = nindex[i + 1];
            for at in (beg + lane..end).step_by(64) {
                let nei = nlist[at];
                if nei > i { //~ cond
                { //~ !cond
                    sum += data2[nei];
                    break; //~ break
                }
            }
            carry[lane] = sum; //~ !shfl,+syncBug
            workgroup_barrier(); //~ !shfl,!syncBug
            let mut stride = 32; //~ !shfl
            while stride > 0 { //~ !shfl
                if lane < stride { //~ !shfl
                    carry[lane] = carry[lane] + carry[lane + stride]; //~ !shfl,+syncBug
                } //~ !shfl
                workgroup_barrier(); //~ !shfl
                stride /= 2; //~ !shfl
            } //~ !shfl
            let mut distance = lanes / 2; //~ shfl
            while distance > 0 { //~ shfl
                sum = sum + subgroup_shuffle_xor(sum, distance); //~ shfl
                distance /= 2; //~ shfl
            } //~ shfl
            if place == 0 { //~ shfl
                carry[subgroup] = sum; //~ shfl
            } //~ shfl
            workgroup_barrier(); //~ shfl
            if lane == 0 { //~ shfl
                for other in 1..subgroups { //~ shfl
                    carry[0] = carry[0] + carry[other]; //~ shfl
                } //~ shfl
            } //~ shfl
            if lane == 0 {
                data1[i] += carry[0];
            }
        }
    }
}

//! Counts the edges that lead to a higher vertex, in one cell: a subgroup shares the edges of a vertex, and votes.
#[hirace::monitor]
pub mod conditional_vertex {
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
    ) {
        for i in (group.x * subgroups + subgroup..vertices).step_by(grid.x * subgroups) { //~ persistent
        let i = group.x * subgroups + subgroup; //~ !persistent
        if i < vertices { //~ !persistent
            let beg = nindex[i];
            let end = nindex[i + 1];
            let mut first = beg;
            while first < end {
                let at = first + lane;
                let mut higher = false;
                if at < end {
                    higher = nlist[at] > i;
                }
                let votes = subgroup_ballot(higher);
                let ones = count_one_bits(votes);
                let count = (ones.x + ones.y + ones.z + ones.w) as Data;
                if lane == 0 && count > 0 {
                    atomic_add(&mut data1[0], count); //~ !atomicBug
                    data1[0] += count; //~ atomicBug
                }
                if count > 0 { //~ break
                    break; //~ break
                } //~ break
                first += lanes;
            }
        }
    }
}

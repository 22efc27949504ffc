// The linear index that this workgroup has taken.
var<workgroup> hirace_workgroup: u32;

// Returns the id of this workgroup. The first workgroup to start takes the id of the target, and the others take the remaining ids
// in ascending order.
fn hirace_begin(
    local_index: u32, workgroup_size: u32, workgroup_id: vec3<u32>, num_workgroups: vec3<u32>,
) -> vec3<u32> {
    if local_index == 0u {
        let ticket = atomicAdd(&hirace_order.tickets, 1u);
        let target_workgroup = hirace_order.target_workgroup;
        var workgroup_index = ticket;
        if target_workgroup < num_workgroups.x * num_workgroups.y * num_workgroups.z && ticket <= target_workgroup {
            workgroup_index = select(ticket - 1u, target_workgroup, ticket == 0u);
        }
        hirace_workgroup = workgroup_index;
        WAIT
    }
    let workgroup_index = workgroupUniformLoad(&hirace_workgroup);
    return vec3<u32>(
        workgroup_index % num_workgroups.x,
        workgroup_index / num_workgroups.x % num_workgroups.y,
        workgroup_index / num_workgroups.x / num_workgroups.y,
    );
}

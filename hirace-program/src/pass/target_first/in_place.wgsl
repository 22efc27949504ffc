// Waits for the target and returns the id of this workgroup, which stays the same.
fn hirace_begin(
    local_index: u32, workgroup_size: u32, workgroup_id: vec3<u32>, num_workgroups: vec3<u32>,
) -> vec3<u32> {
    if local_index == 0u {
        let workgroup_index = workgroup_id.x + num_workgroups.x * (workgroup_id.y + num_workgroups.y * workgroup_id.z);
        WAIT
    }
    workgroupBarrier();
    return workgroup_id;
}

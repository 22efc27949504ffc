
// The word of a location of the one instance.
fn place(instance: u32, instances: u32, location: u32) -> u32 {
    return shuffled_workgroups[0] * WORKGROUP_SIZE % instances + (location << parameters.mem_stride);
}

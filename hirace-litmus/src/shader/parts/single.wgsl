
// Returns the index of the word of a location. There is only one instance.
fn location_index(instance: u32, instances: u32, location: u32) -> u32 {
    return shuffled_workgroups[0] * WORKGROUP_SIZE % instances + (location << parameters.mem_stride);
}


// Returns the index of the word of a location of an instance. Each location permutes the instances once more than the one before.
fn location_index(instance: u32, instances: u32, location: u32) -> u32 {
    var permuted = instance;
    for (var i = 0u; i < location; i++) {
        permuted = permuted * parameters.permute_second % instances;
    }
    return permuted * LOCATIONS * parameters.mem_stride + location * parameters.location_offset;
}

// Returns a workgroup other than `shuffled`, which depends on the lane and on the thread.
fn other_workgroup(shuffled: u32, lane: u32, thread: u32) -> u32 {
    let others = parameters.testing_workgroups - 1u;
    return (shuffled + 1u + (lane + thread) % others) % parameters.testing_workgroups;
}

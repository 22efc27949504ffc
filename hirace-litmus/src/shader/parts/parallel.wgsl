
// The word of a location of one of so many instances: each location is elsewhere than the one before.
fn place(instance: u32, instances: u32, location: u32) -> u32 {
    var permuted = instance;
    for (var before = 0u; before < location; before++) {
        permuted = permuted * parameters.permute_second % instances;
    }
    return permuted * LOCATIONS * parameters.mem_stride + location * parameters.location_offset;
}

// Another workgroup than `shuffled`: which one hangs on the invocation, and each turn is yet another.
fn stripe(shuffled: u32, lane: u32, turn: u32) -> u32 {
    let others = parameters.testing_workgroups - 1u;
    return (shuffled + 1u + (lane + turn) % others) % parameters.testing_workgroups;
}

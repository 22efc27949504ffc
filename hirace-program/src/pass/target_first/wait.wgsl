// Returns whether all invocations of the target have ended.
fn hirace_poll(workgroup_size: u32) -> bool {
    return atomicAdd(&hirace_order.ended, 0u) >= workgroup_size;
}

// Polls up to 4 times.
fn hirace_poll_4_times(workgroup_size: u32) -> bool {
    return hirace_poll(workgroup_size) || hirace_poll(workgroup_size)
        || hirace_poll(workgroup_size) || hirace_poll(workgroup_size);
}

// Polls up to 16 times.
fn hirace_poll_16_times(workgroup_size: u32) -> bool {
    return hirace_poll_4_times(workgroup_size) || hirace_poll_4_times(workgroup_size)
        || hirace_poll_4_times(workgroup_size) || hirace_poll_4_times(workgroup_size);
}

// Waits until the target has ended, or until a workgroup has polled the maximum number of times. The target itself only records
// that it has started.
fn hirace_wait_for_target(workgroup_index: u32, workgroup_size: u32, workgroups: u32) {
    let target_workgroup = hirace_order.target_workgroup;
    if target_workgroup >= workgroups {
        return;
    }
    if workgroup_index == target_workgroup {
        atomicStore(&hirace_order.started, 1u);
        return;
    }
    var is_done = false;
    for (var polls = 0u; ; polls += 16u) {
        is_done = hirace_poll_16_times(workgroup_size);
        if is_done || polls >= hirace_order.max_polls || atomicAdd(&hirace_order.timed_out, 0u) > 0u {
            break;
        }
    }
    if !is_done {
        atomicAdd(&hirace_order.timed_out, 1u);
        if atomicLoad(&hirace_order.started) == 0u {
            atomicAdd(&hirace_order.absent, 1u);
        }
    }
}

// Records the end of an invocation if it is one of the target.
fn hirace_end(workgroup_id: vec3<u32>, num_workgroups: vec3<u32>) {
    if workgroup_id.x + num_workgroups.x * (workgroup_id.y + num_workgroups.y * workgroup_id.z)
        == hirace_order.target_workgroup {
        atomicAdd(&hirace_order.ended, 1u);
    }
}

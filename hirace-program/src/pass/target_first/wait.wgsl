fn hirace_poll(size: u32) -> bool {
    return atomicAdd(&hirace_order.ended, 0u) >= size;
}
fn hirace_poll_4(size: u32) -> bool {
    return hirace_poll(size) || hirace_poll(size) || hirace_poll(size) || hirace_poll(size);
}
fn hirace_poll_16(size: u32) -> bool {
    return hirace_poll_4(size) || hirace_poll_4(size) || hirace_poll_4(size) || hirace_poll_4(size);
}
fn hirace_wait(taken: u32, size: u32, all: u32) {
    let first = hirace_order.first;
    if first >= all {
        return;
    }
    if taken == first {
        atomicStore(&hirace_order.started, 1u);
        return;
    }
    var is_done = false;
    for (var polls = 0u; ; polls += 16u) {
        is_done = hirace_poll_16(size);
        if is_done || polls >= hirace_order.polls || atomicAdd(&hirace_order.early, 0u) > 0u {
            break;
        }
    }
    if !is_done {
        atomicAdd(&hirace_order.early, 1u);
        if atomicLoad(&hirace_order.started) == 0u {
            atomicAdd(&hirace_order.absent, 1u);
        }
    }
}
fn hirace_end(id: vec3<u32>, count: vec3<u32>) {
    if id.x + count.x * (id.y + count.y * id.z) == hirace_order.first {
        atomicAdd(&hirace_order.ended, 1u);
    }
}

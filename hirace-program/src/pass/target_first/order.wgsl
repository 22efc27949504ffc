// The state of a dispatch in which one workgroup, the target, goes first.
struct hirace_Order {
    // The linear index of the target.
    target_workgroup: u32,
    // The maximum number of polls of a workgroup.
    max_polls: u32,
    // The number of workgroups that have taken a ticket.
    tickets: atomic<u32>,
    // Whether the target has started.
    started: atomic<u32>,
    // The number of invocations of the target that have ended.
    ended: atomic<u32>,
    // The number of workgroups that continued before the target had ended.
    timed_out: atomic<u32>,
    // The number of those that continued before the target had started.
    absent: atomic<u32>,
}
@group(GROUP) @binding(BINDING)
var<storage, read_write> hirace_order: hirace_Order;

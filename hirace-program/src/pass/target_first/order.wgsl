struct hirace_Order {
    first: u32,
    polls: u32,
    tickets: atomic<u32>,
    started: atomic<u32>,
    ended: atomic<u32>,
    early: atomic<u32>,
    absent: atomic<u32>,
}
@group(GROUP) @binding(BINDING)
var<storage, read_write> hirace_order: hirace_Order;

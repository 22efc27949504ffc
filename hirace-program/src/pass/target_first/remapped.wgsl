var<workgroup> hirace_taken: u32;
fn hirace_begin(local: u32, size: u32, id: vec3<u32>, count: vec3<u32>) -> vec3<u32> {
    if local == 0u {
        let ticket = atomicAdd(&hirace_order.tickets, 1u);
        let first = hirace_order.first;
        var taken = ticket;
        if first < count.x * count.y * count.z && ticket <= first {
            taken = select(ticket - 1u, first, ticket == 0u);
        }
        hirace_taken = taken;
        WAIT
    }
    let taken = workgroupUniformLoad(&hirace_taken);
    return vec3<u32>(taken % count.x, taken / count.x % count.y, taken / count.x / count.y);
}

var<private> hirace_workgroup: u32;
var<private> hirace_visits: array<u32, BARRIERS>;
fn hirace_enter(id: vec3<u32>, count: vec3<u32>) {
    hirace_workgroup = id.x + count.x * (id.y + count.y * id.z);
}
fn hirace_visit(barrier: u32) {
    hirace_visits[barrier] += 1u;
}
fn hirace_leave() {
    for (var barrier = 0u; barrier < BARRIERS; barrier += 1u) {
        let at = FIRST_OF_BARRIERS + 2u * (hirace_workgroup * BARRIERS + barrier);
        atomicMax(&hirace_counts[at], hirace_visits[barrier]);
        atomicMax(&hirace_counts[at + 1u], ~hirace_visits[barrier]);
    }
}

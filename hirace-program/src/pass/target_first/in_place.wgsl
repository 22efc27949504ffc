fn hirace_begin(local: u32, size: u32, id: vec3<u32>, count: vec3<u32>) -> vec3<u32> {
    if local == 0u {
        let taken = id.x + count.x * (id.y + count.y * id.z);
        WAIT
    }
    workgroupBarrier();
    return id;
}

// check: --workgroups 2 --buffer message=zeros --buffer ready=zeros --buffer results=zeros:2
// Rule: there is no acquire and no release: a flag in an atomic does not publish plain data to
// another workgroup.
@group(0) @binding(0) var<storage, read_write> message: u32;
@group(0) @binding(1) var<storage, read_write> ready: atomic<u32>;
@group(0) @binding(2) var<storage, read_write> results: array<u32>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    if (group.x == 0u) {
        message = 42u;
//      ^^^^^^^ race: write/read on message
        storageBarrier();
        atomicStore(&ready, 1u);
    } else if (atomicLoad(&ready) == 1u) {
        results[group.x] = message;
//                         ^^^^^^^ race: read/write on message
    }
}

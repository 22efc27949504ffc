// check: --workgroups 1 --buffer found=zeros
// A race that is meant is allowed at its line, with the reason.
@group(0) @binding(0) var<storage, read_write> found: u32;

@compute @workgroup_size(64)
fn main() {
    found = 1u; // hirace: allow(race): every invocation writes the same value
}

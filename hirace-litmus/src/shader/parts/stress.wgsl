
@group(0) @binding(1) var<storage, read_write> results: array<u32>;
@group(0) @binding(3) var<storage, read_write> arrived: atomic<u32>;
@group(0) @binding(4) var<storage, read_write> scratchpad: array<u32>;
@group(0) @binding(5) var<storage, read> scratch_locations: array<u32>;

// Waits a while for so many invocations to be here.
fn spin(invocations: u32) {
    var here = atomicAdd(&arrived, 1u) + 1u;
    for (var polls = 0u; here < invocations && polls < 1024u; polls++) {
        here = atomicAdd(&arrived, 0u);
    }
}

// Reads and writes the word of the scratch memory that a workgroup stresses. Others do so too, and nothing hangs on what
// is read: no one writes what ends the loop, which is there so that reads are not left out.
fn stress(turns: u32, pattern: u32, workgroup: u32) {
    let word = scratch_locations[workgroup];
    for (var turn = 0u; turn < turns; turn++) {
        if (pattern & 2u) == 0u {
            scratchpad[word] = turn;
        } else if scratchpad[word] > 100000u {
            break;
        }
        if (pattern & 1u) == 0u {
            scratchpad[word] = turn + 1u;
        } else if scratchpad[word] > 100000u {
            break;
        }
    }
}

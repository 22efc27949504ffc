
@group(0) @binding(1) var<storage, read_write> results: array<u32>;
@group(0) @binding(3) var<storage, read_write> arrived: atomic<u32>;
@group(0) @binding(4) var<storage, read_write> scratchpad: array<u32>;
@group(0) @binding(5) var<storage, read> scratch_locations: array<u32>;

// Waits until `invocations` invocations have arrived, for at most 1024 polls.
fn spin(invocations: u32) {
    var arrivals = atomicAdd(&arrived, 1u) + 1u;
    for (var polls = 0u; arrivals < invocations && polls < 1024u; polls++) {
        arrivals = atomicAdd(&arrived, 0u);
    }
}

// Reads and writes the word of the scratch memory that a workgroup stresses. Other workgroups do the same, and the results do not
// depend on the values: no invocation writes a value that ends the loop. The comparisons keep compilers from removing the reads.
fn stress(iterations: u32, pattern: u32, workgroup: u32) {
    let word = scratch_locations[workgroup];
    for (var i = 0u; i < iterations; i++) {
        if (pattern & 2u) == 0u {
            scratchpad[word] = i;
        } else if scratchpad[word] > 100000u {
            break;
        }
        if (pattern & 1u) == 0u {
            scratchpad[word] = i + 1u;
        } else if scratchpad[word] > 100000u {
            break;
        }
    }
}

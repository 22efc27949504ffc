@group(GROUP) @binding(BINDING)
var<storage, read_write> hirace_counts: array<atomic<u32>>;

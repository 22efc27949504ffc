// The counters, followed by the numbers of visits of barriers.
@group(GROUP) @binding(BINDING)
var<storage, read_write> hirace_counts: array<atomic<u32>>;

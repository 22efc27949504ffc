// check: --workgroups 1 --buffer points=zeros:1 --buffer results=zeros:2
// Rule: reads do not race with one another.
@group(0) @binding(0) var<storage, read_write> points: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> results: array<f32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lane: u32) {
    results[lane] = points[0].x + points[0].w;
}

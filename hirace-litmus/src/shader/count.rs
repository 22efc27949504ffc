//! The shader that counts outcomes: an invocation per instance, and a counter per outcome of the test's [`Space`].

use super::Shape;
use crate::environment::Layout;
use crate::test::Space;
use std::fmt::Write;

const MEMORY: &str = "
@group(0) @binding(0) var<storage, read> locations: array<u32>;
@group(0) @binding(1) var<storage, read> results: array<u32>;
@group(0) @binding(7) var<storage, read_write> counters: array<atomic<u32>>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) invocation: vec3<u32>) {
    let instance = invocation.x;
    let instances = WORKGROUP_SIZE * parameters.testing_workgroups;
";

/// Returns the WGSL of the shader.
pub fn text(shape: &Shape<'_>) -> String {
    let space = Space::of(shape.test);
    let run = match shape.layout {
        Layout::Parallel => "instances",
        Layout::Single => "1u",
    };
    let mut text = shape.common() + MEMORY;
    let mut line = |statement: String| {
        let _ = writeln!(text, "    {statement}");
    };
    line(format!("if instance >= {run} {{ return; }}"));
    line("var counter = 0u;".to_owned());
    line("var is_known = true;".to_owned());
    let registers = space.registers.iter().enumerate().map(|(register, radix)| {
        (format!("results[instance * {}u + {register}u]", space.registers.len()), radix)
    });
    let memory = space.memory.iter().enumerate().map(|(location, radix)| {
        (format!("locations[location_index(instance, instances, {location}u)]"), radix)
    });
    for (digit, (word, radix)) in registers.chain(memory).enumerate() {
        line(format!("let digit_{digit} = {word};"));
        line(format!("counter = counter * {radix}u + digit_{digit};"));
        line(format!("is_known = is_known && digit_{digit} < {radix}u;"));
    }
    let other = space.counters() - 1;
    line(format!("atomicAdd(&counters[select({other}u, counter, is_known)], 1u);"));
    text + "}\n"
}

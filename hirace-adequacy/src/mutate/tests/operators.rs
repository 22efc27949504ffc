//! Tests every operator in each language that has it. Each row gives a mutant, and a launch kills the mutant.

use super::{changed, judged, launched};
use crate::mutate::judge::TestOutcome;
use crate::mutate::operators::CLASSES;
use crate::mutate::results::KillCause;
use crate::mutate::source::Source;
use crate::mutate::syntax::{Atomic, Language, Loop, Rmw, Syntax, Token};
use hirace_core::edit::Edit;
use hirace_core::source_map::Span;
use std::collections::BTreeSet;

/// An operator, a statement, and the mutated statement. Three invocations have `x` = 7, 2, 5 and `y` = 2, 7, 5, and
/// write the final value of `v`, which must differ.
const EXPRESSIONS: &[(&str, &str, &str)] = &[
    ("plus-to-minus", "v = x + y;", "v = x - y;"),
    ("plus-to-times", "v = x + y;", "v = x * y;"),
    ("plus-to-divide", "v = x + y;", "v = x / y;"),
    ("minus-to-plus", "v = x - y;", "v = x + y;"),
    ("minus-to-times", "v = x - y;", "v = x * y;"),
    ("minus-to-divide", "v = x - y;", "v = x / y;"),
    ("times-to-divide", "v = x * y;", "v = x / y;"),
    ("times-to-plus", "v = x * y;", "v = x + y;"),
    ("times-to-minus", "v = x * y;", "v = x - y;"),
    ("divide-to-times", "v = x / y;", "v = x * y;"),
    ("divide-to-plus", "v = x / y;", "v = x + y;"),
    ("divide-to-minus", "v = x / y;", "v = x - y;"),
    ("remainder-to-times", "v = x % y;", "v = x * y;"),
    ("remainder-to-plus", "v = x % y;", "v = x + y;"),
    ("remainder-to-minus", "v = x % y;", "v = x - y;"),
    ("remainder-to-divide", "v = x % y;", "v = x / y;"),
    ("less-to-greater", "v = number(x < y);", "v = number(x > y);"),
    ("less-to-less-equal", "v = number(x < y);", "v = number(x <= y);"),
    ("less-to-greater-equal", "v = number(x < y);", "v = number(x >= y);"),
    ("greater-to-less", "v = number(x > y);", "v = number(x < y);"),
    ("greater-to-less-equal", "v = number(x > y);", "v = number(x <= y);"),
    ("greater-to-greater-equal", "v = number(x > y);", "v = number(x >= y);"),
    ("less-equal-to-greater-equal", "v = number(x <= y);", "v = number(x >= y);"),
    ("less-equal-to-greater", "v = number(x <= y);", "v = number(x > y);"),
    ("less-equal-to-less", "v = number(x <= y);", "v = number(x < y);"),
    ("greater-equal-to-less-equal", "v = number(x >= y);", "v = number(x <= y);"),
    ("greater-equal-to-less", "v = number(x >= y);", "v = number(x < y);"),
    ("greater-equal-to-greater", "v = number(x >= y);", "v = number(x > y);"),
    ("equal-to-not-equal", "v = number(x == y);", "v = number(x != y);"),
    ("not-equal-to-equal", "v = number(x != y);", "v = number(x == y);"),
    ("and-to-or", "v = number(x < y && y > 9u);", "v = number(x < y || y > 9u);"),
    ("or-to-and", "v = number(x < y || y > 9u);", "v = number(x < y && y > 9u);"),
    ("not-deleted", "v = number(!(x < y));", "v = number((x < y));"),
    ("bit-and-to-bit-or", "v = x & y;", "v = x | y;"),
    ("bit-or-to-bit-and", "v = x | y;", "v = x & y;"),
    ("bit-xor-to-bit-and", "v = x ^ y;", "v = x & y;"),
    ("shift-left-to-shift-right", "v = x << y;", "v = x >> y;"),
    ("shift-right-to-shift-left", "v = x >> y;", "v = x << y;"),
    ("plus-assign-to-minus-assign", "v += y;", "v -= y;"),
    ("plus-assign-to-times-assign", "v += y;", "v *= y;"),
    ("plus-assign-to-divide-assign", "v += y;", "v /= y;"),
    ("minus-assign-to-plus-assign", "v -= y;", "v += y;"),
    ("minus-assign-to-times-assign", "v -= y;", "v *= y;"),
    ("minus-assign-to-divide-assign", "v -= y;", "v /= y;"),
    ("times-assign-to-plus-assign", "v *= y;", "v += y;"),
    ("times-assign-to-minus-assign", "v *= y;", "v -= y;"),
    ("times-assign-to-divide-assign", "v *= y;", "v /= y;"),
    ("divide-assign-to-plus-assign", "v /= y;", "v += y;"),
    ("divide-assign-to-minus-assign", "v /= y;", "v -= y;"),
    ("divide-assign-to-times-assign", "v /= y;", "v *= y;"),
    ("remainder-assign-to-times-assign", "v %= y;", "v *= y;"),
    ("remainder-assign-to-plus-assign", "v %= y;", "v += y;"),
    ("remainder-assign-to-minus-assign", "v %= y;", "v -= y;"),
    ("remainder-assign-to-divide-assign", "v %= y;", "v /= y;"),
    ("shift-left-assign-to-shift-right-assign", "v <<= y;", "v >>= y;"),
    ("shift-right-assign-to-shift-left-assign", "v >>= y;", "v <<= y;"),
    ("bit-and-assign-to-bit-or-assign", "v &= y;", "v |= y;"),
    ("bit-or-assign-to-bit-and-assign", "v |= y;", "v &= y;"),
    ("bit-xor-assign-to-bit-and-assign", "v ^= y;", "v &= y;"),
    ("plus-assign-to-minus-assign", "v += 1u;", "v -= 1u;"),
    ("plus-assign-to-times-assign", "v += 1u;", "v *= 1u;"),
    ("plus-assign-to-divide-assign", "v += 1u;", "v /= 1u;"),
    ("minus-assign-to-plus-assign", "v -= 1u;", "v += 1u;"),
    ("minus-assign-to-times-assign", "v -= 1u;", "v *= 1u;"),
    ("minus-assign-to-divide-assign", "v -= 1u;", "v /= 1u;"),
];

/// A language, and an operator, a statement and the mutated statement in this language.
const STATEMENTS: &[(Language, &str, &str, &str)] = &[
    (Language::Wgsl, "negate-deleted", "v = u32(-i32(x));", "v = u32(i32(x));"),
    (Language::Glsl, "negate-deleted", "v = uint(-int(x));", "v = uint(int(x));"),
    (Language::Rust, "negate-deleted", "v = (-(x as i32)) as u32;", "v = ((x as i32)) as u32;"),
    (Language::Wgsl, "complement-deleted", "v = ~x;", "v = x;"),
    (Language::Glsl, "complement-deleted", "v = ~x;", "v = x;"),
    (Language::Rust, "complement-deleted", "v = !x & 255;", "v = x & 255;"),
    (Language::Wgsl, "increment-to-decrement", "v++;", "v--;"),
    (Language::Wgsl, "decrement-to-increment", "v--;", "v++;"),
    (Language::Glsl, "increment-to-decrement", "v++;", "v--;"),
    (Language::Glsl, "decrement-to-increment", "v--;", "v++;"),
    (
        Language::Wgsl,
        "loop-skipped",
        "for (var k = 0u; k < y; k++) { v += 3u; }",
        "for (var k = 0u; false; k++) { v += 3u; }",
    ),
    (
        Language::Wgsl,
        "one-iteration-less",
        "for (var k = 0u; k < y; k++) { v += 3u; }",
        "for (var k = 0u; k + 1 < y; k++) { v += 3u; }",
    ),
    (
        Language::Wgsl,
        "one-iteration-more",
        "for (var k = 0u; k < y; k++) { v += 3u; }",
        "for (var k = 0u; k < y + 1; k++) { v += 3u; }",
    ),
    (
        Language::Wgsl,
        "loop-skipped",
        "loop { if v >= 20u { break; } v += y; }",
        "loop { if (true) { break; } if v >= 20u { break; } v += y; }",
    ),
    (
        Language::Wgsl,
        "one-iteration-less",
        "loop { if v >= 20u { break; } v += y; }",
        "loop { if v + y >= 20u { break; } v += y; }",
    ),
    (
        Language::Wgsl,
        "one-iteration-more",
        "loop { continuing { v += y; break if v > 20u; } }",
        "loop { continuing { v += y; break if v > 20u + y; } }",
    ),
    (
        Language::Glsl,
        "loop-skipped",
        "for (uint k = 0u; k < y; k++) { v += 3u; }",
        "for (uint k = 0u; false; k++) { v += 3u; }",
    ),
    (
        Language::Glsl,
        "loop-skipped",
        "do { v += 3u; } while (v < 20u);",
        "do { if (true) { break; } v += 3u; } while (v < 20u);",
    ),
    (
        Language::Glsl,
        "one-iteration-less",
        "for (uint k = 0u; k < y; k += 1u) { v += 3u; }",
        "for (uint k = 0u; k + 1u < y; k += 1u) { v += 3u; }",
    ),
    (
        Language::Glsl,
        "one-iteration-more",
        "for (uint k = 0u; k < y; k += 1u) { v += 3u; }",
        "for (uint k = 0u; k < y + 1u; k += 1u) { v += 3u; }",
    ),
    (
        Language::Rust,
        "loop-skipped",
        "for k in 0..y { v += k; }",
        "for k in 0..y { if true { break; } v += k; }",
    ),
    (
        Language::Rust,
        "one-iteration-less",
        "for k in 0..y { v += k; }",
        "for k in 0..max(y, 0 + 1) - 1 { v += k; }",
    ),
    (
        Language::Rust,
        "one-iteration-more",
        "for k in 0..y { v += k; }",
        "for k in 0..y + 1 { v += k; }",
    ),
    (Language::Wgsl, "id-plus-one", "v = lane + x;", "v = (lane + 1) + x;"),
    (Language::Wgsl, "id-minus-one", "v = lane + x;", "v = (lane - 1) + x;"),
    (Language::Glsl, "id-plus-one", "v = lane.x + x;", "v = (lane.x + 1u) + x;"),
    (Language::Glsl, "id-minus-one", "v = lane.x + x;", "v = (lane.x - 1u) + x;"),
    (Language::Rust, "id-plus-one", "v = lane + x;", "v = (lane + 1) + x;"),
    (Language::Rust, "id-minus-one", "v = lane + x;", "v = (lane - 1) + x;"),
    // Unusual formatting.
    (Language::Wgsl, "times-to-divide", "v = x*/* y */y;", "v = x/ /* y */y;"),
    (
        Language::Rust,
        "greater-to-less",
        "v = (x as u32 > y) as u32;",
        "v = ((x as u32) < y) as u32;",
    ),
    (
        Language::Rust,
        "shift-right-to-shift-left",
        "v = 1 + x as u32 >> y;",
        "v = 1 + (x as u32) << y;",
    ),
    (Language::Glsl, "minus-to-plus", "v = v++ - y;", "v = v++ + y;"),
];

/// A kernel, its launch, and its mutants: the operator, the changed line, and the cause of the kill.
struct Kernel {
    language: Language,
    workgroups: [u32; 3],
    buffers: &'static str,
    text: &'static str,
    mutants: &'static [(&'static str, &'static str, KillCause)],
}

const KERNELS: &[Kernel] = &[
    Kernel {
        language: Language::Wgsl,
        workgroups: [1, 1, 1],
        buffers: "stored=zeros:64 out=zeros:64",
        text: "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
            @group(0) @binding(1) var<storage, read_write> stored: array<u32>;
            var<workgroup> tile: array<u32, 64>;
            @compute @workgroup_size(64)
            fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_size) size: u32) {
                tile[i] = i;
                workgroupBarrier();
                stored[i] = tile[63 - i];
                storageBarrier();
                out[i] = stored[63 - i];
            }",
        mutants: &[
            ("workgroup-barrier-to-subgroup-barrier", "subgroupBarrier();", KillCause::Assertion),
            ("storage-barrier-to-subgroup-barrier", "subgroupBarrier();", KillCause::Assertion),
        ],
    },
    Kernel {
        language: Language::Rust,
        workgroups: [1, 1, 1],
        buffers: "stored=zeros:64 out=zeros:64",
        text: "#[hirace::monitor(workgroup_size(64))]
            fn main(
                #[builtin(local_invocation_index)] i: u32,
                #[builtin(subgroup_size)] size: u32,
                #[workgroup] tile: &mut [u32; 64],
                stored: &mut [u32],
                out: &mut [u32],
            ) {
                tile[i] = i;
                workgroup_barrier();
                stored[i] = tile[63 - i];
                storage_barrier();
                out[i] = stored[63 - i];
            }",
        mutants: &[
            ("workgroup-barrier-to-subgroup-barrier", "subgroup_barrier();", KillCause::Assertion),
            ("storage-barrier-to-subgroup-barrier", "subgroup_barrier();", KillCause::Assertion),
        ],
    },
    Kernel {
        language: Language::Wgsl,
        workgroups: [1, 1, 1],
        buffers: "out=zeros:64",
        text: "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
            var<workgroup> tile: array<u32, 64>;
            @compute @workgroup_size(64)
            fn main(@builtin(local_invocation_index) i: u32) {
                tile[i] = i;
                workgroupBarrier();
                out[i] = tile[63 - i];
            }",
        mutants: &[
            ("barrier-deleted", "", KillCause::Finding),
            ("workgroup-barrier-to-storage-barrier", "storageBarrier();", KillCause::Finding),
            ("workgroup-to-private", "var<private> tile: array<u32, 64>;", KillCause::Assertion),
            ("workgroup-size-plus-one", "@compute @workgroup_size(65)", KillCause::Finding),
            ("workgroup-size-minus-one", "@compute @workgroup_size(63)", KillCause::Assertion),
        ],
    },
    Kernel {
        language: Language::Glsl,
        workgroups: [1, 1, 1],
        buffers: "o=zeros:4",
        text: "#version 450
            layout(local_size_x = 4) in;
            layout(std430, binding = 0) buffer Out { uint v[]; } o;
            shared uint tile[4];
            void main() {
                uint i = gl_LocalInvocationID.x;
                tile[i] = i;
                barrier();
                o.v[i] = tile[3u - i];
            }",
        mutants: &[
            ("barrier-deleted", "", KillCause::Finding),
            ("workgroup-to-private", "uint tile[4];", KillCause::Assertion),
            ("workgroup-size-plus-one", "layout(local_size_x = 5) in;", KillCause::Finding),
            ("workgroup-size-minus-one", "layout(local_size_x = 3) in;", KillCause::Assertion),
            (
                "local-id-to-workgroup-id",
                "uint i = gl_WorkGroupID.x;",
                KillCause::Finding,
            ),
            ("id-x-to-y", "uint i = gl_LocalInvocationID.y;", KillCause::Finding),
        ],
    },
    Kernel {
        language: Language::Rust,
        workgroups: [1, 1, 1],
        buffers: "out=zeros:64",
        text: "#[hirace::monitor(workgroup_size(64))]
            fn main(
                #[builtin(local_invocation_index)] i: u32,
                #[workgroup] tile: &mut [u32; 64],
                out: &mut [u32],
            ) {
                tile[i] = i;
                workgroup_barrier();
                out[i] = tile[63 - i];
            }",
        mutants: &[
            ("barrier-deleted", "", KillCause::Finding),
            ("workgroup-barrier-to-storage-barrier", "storage_barrier();", KillCause::Finding),
            ("workgroup-to-private", "#[private] tile: &mut [u32; 64],", KillCause::Assertion),
            (
                "workgroup-size-plus-one",
                "#[hirace::monitor(workgroup_size(65))]",
                KillCause::Finding,
            ),
            (
                "workgroup-size-minus-one",
                "#[hirace::monitor(workgroup_size(63))]",
                KillCause::Assertion,
            ),
        ],
    },
    Kernel {
        language: Language::Wgsl,
        workgroups: [1, 1, 1],
        buffers: "tile=zeros:64 out=zeros:64",
        text: "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
            @group(0) @binding(1) var<storage, read_write> tile: array<u32>;
            @compute @workgroup_size(64)
            fn main(@builtin(local_invocation_index) i: u32) {
                tile[i] = i;
                storageBarrier();
                out[i] = tile[63 - i];
            }",
        mutants: &[
            ("storage-barrier-to-workgroup-barrier", "workgroupBarrier();", KillCause::Finding),
        ],
    },
    Kernel {
        language: Language::Rust,
        workgroups: [1, 1, 1],
        buffers: "tile=zeros:64 out=zeros:64",
        text: "#[hirace::monitor(workgroup_size(64))]
            fn main(#[builtin(local_invocation_index)] i: u32, tile: &mut [u32], out: &mut [u32]) {
                tile[i] = i;
                storage_barrier();
                out[i] = tile[63 - i];
            }",
        mutants: &[
            ("storage-barrier-to-workgroup-barrier", "workgroup_barrier();", KillCause::Finding),
        ],
    },
    Kernel {
        language: Language::Wgsl,
        workgroups: [1, 1, 1],
        buffers: "out=zeros:4",
        text: "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
            var<workgroup> first: u32;
            @compute @workgroup_size(4)
            fn main(@builtin(local_invocation_index) i: u32) {
                if i == 2 { first = 9; }
                out[i] = workgroupUniformLoad(&first);
            }",
        mutants: &[("uniform-load-to-load", "out[i] = (*(&first));", KillCause::Finding)],
    },
    Kernel {
        language: Language::Rust,
        workgroups: [1, 1, 1],
        buffers: "out=zeros:4",
        text: "#[hirace::monitor(workgroup_size(4))]
            fn main(
                #[builtin(local_invocation_index)] i: u32,
                #[workgroup] first: &mut u32,
                out: &mut [u32],
            ) {
                if i == 2 { *first = 9; }
                out[i] = workgroup_uniform_load(first);
            }",
        mutants: &[("uniform-load-to-load", "out[i] = (*(first));", KillCause::Finding)],
    },
    Kernel {
        language: Language::Wgsl,
        workgroups: [2, 2, 1],
        buffers: "out=zeros:24",
        text: "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(3, 2)
            fn main(
                @builtin(global_invocation_id) id: vec3<u32>,
            ) {
                out[id.y * 6 + id.x] = 1;
            }",
        mutants: &[
            ("id-x-to-y", "out[id.y * 6 + id.y] = 1;", KillCause::Assertion),
            ("id-y-to-x", "out[id.x * 6 + id.x] = 1;", KillCause::Finding),
            ("global-id-to-local-id", "@builtin(local_invocation_id) id: vec3<u32>,", KillCause::Assertion),
            ("global-id-to-workgroup-id", "@builtin(workgroup_id) id: vec3<u32>,", KillCause::Assertion),
            (
                "workgroup-size-x-and-y-exchanged",
                "@compute @workgroup_size(2, 3)",
                KillCause::Finding,
            ),
        ],
    },
    Kernel {
        language: Language::Rust,
        workgroups: [2, 2, 1],
        buffers: "out=zeros:24",
        text: "#[hirace::monitor(workgroup_size(3, 2))]
            fn main(
                #[builtin(global_invocation_id)] id: UVec3,
                out: &mut [u32],
            ) {
                out[id.y * 6 + id.x] = 1;
            }",
        mutants: &[
            ("id-x-to-y", "out[id.y * 6 + id.y] = 1;", KillCause::Assertion),
            ("id-y-to-x", "out[id.x * 6 + id.x] = 1;", KillCause::Finding),
            ("global-id-to-local-id", "#[builtin(local_invocation_id)] id: UVec3,", KillCause::Assertion),
            ("global-id-to-workgroup-id", "#[builtin(workgroup_id)] id: UVec3,", KillCause::Assertion),
            (
                "workgroup-size-x-and-y-exchanged",
                "#[hirace::monitor(workgroup_size(2, 3))]",
                KillCause::Finding,
            ),
        ],
    },
    Kernel {
        language: Language::Wgsl,
        workgroups: [2, 1, 1],
        buffers: "out=zeros:8",
        text: "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(4)
            fn main(
                @builtin(local_invocation_id) lane: vec3<u32>,
            ) {
                if lane.x < 2 { atomicAdd(&sum, lane.x + 1); }
            }
            @group(0) @binding(1) var<storage, read_write> sum: atomic<u32>;",
        mutants: &[
            ("local-id-to-global-id", "@builtin(global_invocation_id) lane: vec3<u32>,", KillCause::Assertion),
            ("local-id-to-workgroup-id", "@builtin(workgroup_id) lane: vec3<u32>,", KillCause::Assertion),
            (
                "atomic-to-load-and-store",
                "if lane.x < 2 { atomicStore(&sum, atomicLoad(&sum) + (lane.x + 1)); }",
                KillCause::Assertion,
            ),
        ],
    },
    Kernel {
        language: Language::Rust,
        workgroups: [2, 1, 1],
        buffers: "sum=zeros",
        text: "#[hirace::monitor(workgroup_size(4))]
            fn main(
                #[builtin(local_invocation_id)] lane: UVec3,
                sum: &mut Atomic<u32>,
            ) {
                if lane.x < 2 { sum.fetch_add(lane.x + 1); }
            }",
        mutants: &[
            ("local-id-to-global-id", "#[builtin(global_invocation_id)] lane: UVec3,", KillCause::Assertion),
            ("local-id-to-workgroup-id", "#[builtin(workgroup_id)] lane: UVec3,", KillCause::Assertion),
            (
                "atomic-to-load-and-store",
                "if lane.x < 2 { sum.store(sum.load() + (lane.x + 1)); }",
                KillCause::Assertion,
            ),
        ],
    },
    Kernel {
        language: Language::Glsl,
        workgroups: [2, 1, 1],
        buffers: "s=zeros:1",
        text: "#version 450
            layout(local_size_x = 4) in;
            layout(std430, binding = 0) buffer Sum { uint v[]; } s;
            void main() {
                atomicAdd(s.v[0], 1u);
            }",
        mutants: &[(
            "atomic-to-load-and-store",
            "s.v[0] = s.v[0] + (1u);",
            KillCause::Finding,
        )],
    },
    Kernel {
        language: Language::Wgsl,
        workgroups: [2, 1, 1],
        buffers: "out=zeros:2",
        text: "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(1)
            fn main(
                @builtin(workgroup_id) group: vec3<u32>,
            ) {
                out[group.x] = 1;
            }",
        mutants: &[
            ("workgroup-id-to-local-id", "@builtin(local_invocation_id) group: vec3<u32>,", KillCause::Assertion),
            // In the last workgroup, the id plus one is out of bounds.
            ("id-plus-one", "out[(group.x + 1)] = 1;", KillCause::Finding),
        ],
    },
    Kernel {
        language: Language::Rust,
        workgroups: [2, 1, 1],
        buffers: "out=zeros:4",
        text: "#[hirace::monitor(workgroup_size(2))]
            fn main(
                #[builtin(workgroup_id)] group: UVec3,
                #[builtin(local_invocation_index)] i: u32,
                out: &mut [u32],
            ) {
                out[group.x * 2 + i] = 1;
            }",
        mutants: &[
            ("workgroup-id-to-local-id", "#[builtin(local_invocation_id)] group: UVec3,", KillCause::Assertion),
            ("workgroup-id-to-global-id", "#[builtin(global_invocation_id)] group: UVec3,", KillCause::Finding),
        ],
    },
    Kernel {
        language: Language::Wgsl,
        workgroups: [2, 1, 1],
        buffers: "out=zeros:4",
        text: "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(2)
            fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) i: u32) {
                out[group.x * 2 + i] = 1;
            }",
        mutants: &[(
            "workgroup-id-to-global-id",
            "fn main(@builtin(global_invocation_id) group: vec3<u32>, @builtin(local_invocation_index) i: u32) {",
            KillCause::Finding,
        )],
    },
    Kernel {
        language: Language::Wgsl,
        workgroups: [2, 1, 1],
        buffers: "out=zeros:4",
        text: "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
            struct Ids {
                @builtin(global_invocation_id) id: vec3<u32>,
                @builtin(local_invocation_id) lane: vec3<u32>,
                @builtin(workgroup_id) group: vec3<u32>,
            }
            @compute @workgroup_size(2)
            fn main(in: Ids) {
                out[in.id.x] = in.lane.x * 3 + in.group.x;
            }",
        mutants: &[
            ("global-id-to-local-id", "out[in.lane.x] = in.lane.x * 3 + in.group.x;", KillCause::Finding),
            ("global-id-to-workgroup-id", "out[in.group.x] = in.lane.x * 3 + in.group.x;", KillCause::Finding),
            ("local-id-to-global-id", "out[in.id.x] = in.id.x * 3 + in.group.x;", KillCause::Assertion),
            ("workgroup-id-to-local-id", "out[in.id.x] = in.lane.x * 3 + in.lane.x;", KillCause::Assertion),
            ("workgroup-id-to-global-id", "out[in.id.x] = in.lane.x * 3 + in.id.x;", KillCause::Assertion),
        ],
    },
    Kernel {
        language: Language::Rust,
        workgroups: [2, 1, 1],
        buffers: "out=zeros:4",
        text: "#[hirace::monitor(workgroup_size(2))]
            fn main(
                #[builtin(global_invocation_id)] id: UVec3,
                #[builtin(local_invocation_id)] lane: UVec3,
                #[builtin(workgroup_id)] group: UVec3,
                out: &mut [u32],
            ) {
                out[id.x] = lane.x * 3 + group.x;
            }",
        mutants: &[
            ("global-id-to-local-id", "out[lane.x] = lane.x * 3 + group.x;", KillCause::Finding),
            ("local-id-to-global-id", "out[id.x] = id.x * 3 + group.x;", KillCause::Assertion),
            ("local-id-to-workgroup-id", "out[id.x] = group.x * 3 + group.x;", KillCause::Assertion),
        ],
    },
    Kernel {
        language: Language::Wgsl,
        workgroups: [1, 1, 1],
        buffers: "volume=zeros:4x4x4",
        text: "@group(0) @binding(0) var volume: texture_storage_3d<r32uint, write>;
            @compute @workgroup_size(1)
            fn main() {
                textureStore(volume, vec3<u32>(1, 2, 3) - 0, vec4(7));
            }",
        mutants: &[
            ("x-plus-one", "textureStore(volume, (vec3<u32>(1, 2, 3) - 0) + vec3(1, 0, 0), vec4(7));", KillCause::Assertion),
            ("y-minus-one", "textureStore(volume, (vec3<u32>(1, 2, 3) - 0) - vec3(0, 1, 0), vec4(7));", KillCause::Assertion),
            ("z-plus-one", "textureStore(volume, (vec3<u32>(1, 2, 3) - 0) + vec3(0, 0, 1), vec4(7));", KillCause::Assertion),
            ("x-and-y-exchanged", "textureStore(volume, (vec3<u32>(1, 2, 3) - 0).yxz, vec4(7));", KillCause::Assertion),
            ("x-and-z-exchanged", "textureStore(volume, (vec3<u32>(1, 2, 3) - 0).zyx, vec4(7));", KillCause::Assertion),
            ("y-and-z-exchanged", "textureStore(volume, (vec3<u32>(1, 2, 3) - 0).xzy, vec4(7));", KillCause::Assertion),
            ("x-minus-one", "textureStore(volume, (vec3<u32>(1, 2, 3) - 0) - vec3(1, 0, 0), vec4(7));", KillCause::Assertion),
            ("y-plus-one", "textureStore(volume, (vec3<u32>(1, 2, 3) - 0) + vec3(0, 1, 0), vec4(7));", KillCause::Assertion),
            ("z-minus-one", "textureStore(volume, (vec3<u32>(1, 2, 3) - 0) - vec3(0, 0, 1), vec4(7));", KillCause::Assertion),
        ],
    },
    Kernel {
        language: Language::Rust,
        workgroups: [1, 1, 1],
        buffers: "volume=zeros:4x4x4 out=zeros",
        text: "#[hirace::monitor(workgroup_size(1))]
            fn main(volume: &TextureStorage3d<R32Uint, Write>, plane: &Texture2d<f32>, out: &mut f32) {
                volume.store(uvec3(1, 2, 3), uvec4(7, 7, 7, 7));
                texture_store(volume, uvec3(0, 1, 2), uvec4(7, 7, 7, 7));
            }",
        mutants: &[
            ("x-plus-one", "volume.store((uvec3(1, 2, 3)) + uvec3(1, 0, 0), uvec4(7, 7, 7, 7));", KillCause::Assertion),
            ("y-minus-one", "volume.store((uvec3(1, 2, 3)) - uvec3(0, 1, 0), uvec4(7, 7, 7, 7));", KillCause::Assertion),
            ("z-minus-one", "texture_store(volume, (uvec3(0, 1, 2)) - uvec3(0, 0, 1), uvec4(7, 7, 7, 7));", KillCause::Assertion),
            ("x-and-z-exchanged", "texture_store(volume, (uvec3(0, 1, 2)).zyx(), uvec4(7, 7, 7, 7));", KillCause::Assertion),
        ],
    },
    Kernel {
        language: Language::Glsl,
        workgroups: [1, 1, 1],
        buffers: "plane=zeros:4x4",
        text: "#version 450
            layout(local_size_x = 1) in;
            layout(r32f, binding = 0) uniform writeonly image2D plane;
            void main() {
                imageStore(plane, ivec2(1, 2), vec4(7.0));
            }",
        mutants: &[
            ("x-plus-one", "imageStore(plane, (ivec2(1, 2)) + ivec2(1, 0), vec4(7.0));", KillCause::Assertion),
            ("x-and-y-exchanged", "imageStore(plane, (ivec2(1, 2)).yx, vec4(7.0));", KillCause::Assertion),
        ],
    },
    Kernel {
        language: Language::Wgsl,
        workgroups: [1, 1, 1],
        buffers: "n=4 out=zeros:4",
        text: "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
            @group(0) @binding(1) var<storage> n: u32;
            @compute @workgroup_size(1)
            fn main() {
                var i = 0u;
                while i < n {
                    out[i] = 1;
                    i += 1;
                }
            }",
        mutants: &[
            ("plus-assign-to-times-assign", "i *= 1;", KillCause::Hang),
            ("one-iteration-less", "while i + 1 < n {", KillCause::Assertion),
            ("one-iteration-more", "while i < n + 1 {", KillCause::Finding),
            ("loop-skipped", "while false {", KillCause::Assertion),
        ],
    },
];

/// Returns a kernel that contains a statement.
fn around(language: Language, statement: &str) -> String {
    match language {
        Language::Wgsl => format!(
            "@group(0) @binding(0) var<storage> a: array<u32>;
            @group(0) @binding(1) var<storage> b: array<u32>;
            @group(0) @binding(2) var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(3)
            fn main(@builtin(local_invocation_index) lane: u32, @builtin(local_invocation_id) id: vec3<u32>) {{
                let i = id.x; let x = a[i]; let y = b[i]; var v = x;
                {statement}
                out[i] = v;
            }}"
        ),
        Language::Glsl => format!(
            "#version 450
            layout(local_size_x = 3) in;
            layout(std430, binding = 0) readonly buffer A {{ uint v[]; }} a;
            layout(std430, binding = 1) readonly buffer B {{ uint v[]; }} b;
            layout(std430, binding = 2) buffer Out {{ uint v[]; }} o;
            void main() {{
                uint i = gl_LocalInvocationID.x; uint x = a.v[i]; uint y = b.v[i]; uint v = x;
                {statement}
                o.v[i] = v;
            }}"
        ),
        Language::Rust => format!(
            "#[hirace::monitor(workgroup_size(3))]
            fn main(
                #[builtin(local_invocation_index)] lane: u32,
                #[builtin(local_invocation_id)] id: UVec3,
                a: &[u32],
                b: &[u32],
                out: &mut [u32],
            ) {{
                let i = id.x; let x = a[i]; let y = b[i]; let mut v = x;
                {statement}
                out[i] = v;
            }}"
        ),
    }
}

/// Returns a statement of the table in the syntax of a language.
fn written(language: Language, statement: &str) -> String {
    match language {
        Language::Wgsl => statement.replace("number(", "u32("),
        Language::Glsl => {
            statement.replace("number(", "uint(").replace("lane.x", "gl_LocalInvocationID.x")
        }
        Language::Rust => match statement.strip_prefix("v = number") {
            Some(rest) => format!("v = {} as u32;", rest.trim_end_matches(';')),
            None => statement.to_owned(),
        }
        .replace("1u", "1")
        .replace("9u", "9"),
    }
}

/// Returns whether this build supports a language: GLSL is a feature.
fn is_read(language: Language) -> bool {
    language != Language::Glsl || cfg!(feature = "glsl")
}

fn source(language: Language, text: &str) -> Source {
    let file = match language {
        Language::Wgsl => "kernel.wgsl",
        Language::Glsl => "kernel.comp",
        Language::Rust => "kernel.rs",
    };
    Source::new(file, text).unwrap()
}

/// Checks that every operator of a table produces its mutant, and that a launch kills it.
fn hold(
    source: &Source,
    workgroups: [u32; 3],
    buffers: &str,
    expected: &[(&str, String, KillCause)],
    failed: &mut Vec<String>,
) {
    let candidates = match source.mutants() {
        Ok(candidates) => candidates,
        Err(error) => return failed.push(format!("{error:?}\n{}", source.text)),
    };
    for (operator, line, how) in expected {
        let own = candidates.iter().filter(|candidate| candidate.mutant.operator == *operator);
        let found = own.clone().find(|own| changed(&source.text, &source.with(own)) == *line);
        let Some(found) = found else {
            let made: Vec<_> = own.map(|own| changed(&source.text, &source.with(own))).collect();
            failed.push(format!("{operator}: `{line}` is not made, but {made:?}"));
            continue;
        };
        let came = judged(source, launched(workgroups, buffers), &[found]);
        let Some(came) = came.first() else {
            failed.push(format!("does not pass as it is: {}", source.text));
            continue;
        };
        if *came != TestOutcome::Failed(*how) {
            failed.push(format!("{operator}: {line}: {came:?}"));
        }
    }
}

#[test]
fn every_operator_produces_a_mutant_that_a_launch_kills() {
    let mut failed = Vec::new();
    let languages = [Language::Wgsl, Language::Glsl, Language::Rust];
    let all = EXPRESSIONS.iter().flat_map(|row| languages.map(|language| (language, *row)));
    let own = STATEMENTS
        .iter()
        .map(|&(language, operator, statement, made)| (language, (operator, statement, made)));
    let rows = all.chain(own).filter(|(language, _)| is_read(*language));
    for (language, (operator, statement, made)) in rows {
        let text = around(language, &written(language, statement));
        let out = if language == Language::Glsl { "o" } else { "out" };
        let buffers = format!("a=7,2,5 b=2,7,5 {out}=zeros:3");
        let expected = [(operator, written(language, made), KillCause::Assertion)];
        hold(&source(language, &text), [1, 1, 1], &buffers, &expected, &mut failed);
    }
    for kernel in KERNELS.iter().filter(|kernel| is_read(kernel.language)) {
        let expected: Vec<_> = kernel
            .mutants
            .iter()
            .map(|&(operator, line, how)| (operator, line.to_owned(), how))
            .collect();
        let source = source(kernel.language, kernel.text);
        hold(&source, kernel.workgroups, kernel.buffers, &expected, &mut failed);
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Returns an example of each kind of syntax that operators can receive. New kinds of syntax must be added.
fn everything() -> Vec<Syntax> {
    let token = |text: &str| Token { at: Span::new(0, 1), text: text.to_owned() };
    let edit = || Edit::new(Span::new(0, 1), "");
    // Operators that a language does not have produce no mutants.
    let operators = [
        "+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "&", "|", "^", "<<",
        ">>", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--", "!", "~",
    ];
    let ids = ["global_invocation_id", "local_invocation_id", "workgroup_id"];
    let barriers = ["workgroupBarrier", "storageBarrier", "textureBarrier", "subgroupBarrier"];
    let mut all = Vec::new();
    for operator in operators {
        all.push(Syntax::Binary { token: token(operator), cast: None });
        all.push(Syntax::Unary(token(operator)));
        all.push(Syntax::Step(token(operator)));
        for by_one in [false, true] {
            all.push(Syntax::Assign { token: token(operator), by_one });
        }
    }
    for name in barriers {
        let (name, statement) = (token(name), Span::new(0, 1));
        all.push(Syntax::Barrier { name, statement, has_subgroups: true });
    }
    for dimensions in 1..=3 {
        all.push(Syntax::Texel { coordinates: Span::new(0, 1), dimensions });
    }
    for name in ids {
        all.push(Syntax::Builtin { name: token(name), declared: Vec::new() });
        let others = ids.iter().map(|&other| (other.to_owned(), format!("of_{other}")));
        all.push(Syntax::IdName {
            name: token("id"),
            builtin: name.to_owned(),
            others: others.collect(),
        });
        for axis in ["x", "y", "z"] {
            let axis = Some(token(axis));
            all.push(Syntax::Id { at: Span::new(0, 1), of: token(name), axis });
        }
    }
    all.push(Syntax::UniformLoad { call: Span::new(0, 9), place: Span::new(5, 8) });
    all.push(Syntax::Loop(Loop { none: edit(), less: Some(edit()), more: Some(edit()) }));
    all.push(Syntax::Atomic(Atomic {
        statement: Span::new(0, 1),
        before: String::new(),
        old: None,
        kept: None,
        operation: Rmw::Add,
        operand: String::new(),
        load: String::new(),
        store: [String::new(), String::new()],
    }));
    all.push(Syntax::Workgroup(token("workgroup")));
    all.push(Syntax::WorkgroupSize(vec![token("2"), token("N"), token("1")]));
    // This match fails to compile for a new kind of syntax, which must be added above.
    for syntax in &all {
        match syntax {
            Syntax::Binary { .. } | Syntax::Unary(_) | Syntax::Assign { .. } | Syntax::Step(_) => {}
            Syntax::Barrier { .. } | Syntax::UniformLoad { .. } | Syntax::Texel { .. } => {}
            Syntax::Loop(_) | Syntax::Atomic(_) | Syntax::Builtin { .. } | Syntax::Id { .. } => {}
            Syntax::IdName { .. } | Syntax::Workgroup(_) | Syntax::WorkgroupSize(_) => {}
        }
    }
    all
}

#[test]
fn every_operator_that_can_be_made_is_in_the_tables() {
    let mut made = BTreeSet::new();
    for syntax in everything() {
        for (_, operators) in CLASSES {
            for language in [Language::Wgsl, Language::Glsl, Language::Rust] {
                made.extend(operators(&syntax, language).into_iter().map(|made| made.operator));
            }
        }
    }
    let kernels = KERNELS.iter().flat_map(|kernel| kernel.mutants).map(|(operator, ..)| *operator);
    let statements = STATEMENTS.iter().map(|(_, operator, ..)| *operator);
    let expressions = EXPRESSIONS.iter().map(|(operator, ..)| *operator);
    let tested: BTreeSet<String> =
        kernels.chain(statements).chain(expressions).map(str::to_owned).collect();
    assert_eq!(made, tested);
}

/// A language, a statement that is easily misparsed, an operator, and all mutants of the statement by this operator.
const ODD: &[(Language, &str, &str, &[&str])] = &[
    // Loops without such mutants: a conditional step, a product, a counter that the body changes, or a step that divides.
    (Language::Wgsl, "while v < y { if x > 2 { v += 1; } }", "one-iteration-less", &[]),
    (Language::Wgsl, "while v < y { v = v * 2 + 1; }", "one-iteration-less", &[]),
    (Language::Wgsl, "for (var k = 0u; k * 2 < y; k++) { v++; }", "one-iteration-less", &[]),
    (Language::Wgsl, "for (var k = 0u; k < y; k++) { k += v; }", "one-iteration-more", &[]),
    (Language::Wgsl, "for (var k = y; k > 0; k /= 2) { v++; }", "one-iteration-more", &[]),
    (Language::Rust, "while v < y { if x > 2 { v += 1; } }", "one-iteration-less", &[]),
    (Language::Rust, "while v * 2 < y { v += 1; }", "one-iteration-less", &[]),
    (
        Language::Wgsl,
        "for (var k = 0u; k < y; k++) { for (var k = 0u; k < 2; k++) { v++; } }",
        "one-iteration-less",
        &[
            "for (var k = 0u; k + 1 < y; k++) { for (var k = 0u; k < 2; k++) { v++; } }",
            "for (var k = 0u; k < y; k++) { for (var k = 0u; k + 1 < 2; k++) { v++; } }",
        ],
    ),
    (Language::Wgsl, "v = u32(1e-5);", "minus-to-plus", &[]),
    (Language::Glsl, "if (x > 9u) barrier(); v = y;", "barrier-deleted", &["if (x > 9u) ; v = y;"]),
];

#[test]
fn operators_parse_ambiguous_syntax_correctly() {
    for (language, statement, operator, expected) in ODD.iter().filter(|row| is_read(row.0)) {
        let source = source(*language, &around(*language, statement));
        let candidates = source.mutants().unwrap_or_else(|error| panic!("{statement}: {error:?}"));
        let own = candidates.iter().filter(|candidate| candidate.mutant.operator == *operator);
        let made: Vec<_> = own.map(|own| changed(&source.text, &source.with(own))).collect();
        assert_eq!(made, *expected, "{operator}: {statement}");
    }
}

#[test]
fn an_id_becomes_each_of_the_others_but_they_are_never_exchanged() {
    let both = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(4)
        fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) lid: vec3<u32>) {
            out[id.x] = lid.x;
        }";
    let source = source(Language::Wgsl, both);
    let shown: Vec<_> = source.mutants().unwrap().into_iter().map(|of| of.mutant).collect();
    let of = |operator: &str| -> Vec<(u32, &str, &str)> {
        let own = shown.iter().filter(|mutant| mutant.operator == operator);
        own.map(|of| (of.line, &of.original[..], &of.replacement[..])).collect()
    };
    assert_eq!(of("global-id-to-local-id"), [(4, "id", "lid")]);
    assert_eq!(of("local-id-to-global-id"), [(4, "lid", "id")]);
    assert_eq!(of("local-id-to-workgroup-id"), [(3, "local_invocation_id", "workgroup_id")]);
    assert!(shown.iter().all(|mutant| !mutant.operator.contains("exchanged")));
}

#[test]
fn barriers_of_subgroups_need_a_program_that_uses_subgroups() {
    let kernel = |enable: &str| {
        format!(
            "{enable}var<workgroup> a: u32; @compute @workgroup_size(4) fn main() {{ a = 1; workgroupBarrier(); a = 2; }}"
        )
    };
    for (enable, offered) in [
        ("", false),
        ("// subgroups\n", false),
        ("enable subgroups;", true),
        ("fn f() { subgroupBarrier(); }", true),
    ] {
        let source = source(Language::Wgsl, &kernel(enable));
        let mutants = source.possible_mutants().unwrap();
        let found = mutants.iter().any(|of| of.mutant.replacement == "subgroupBarrier");
        assert_eq!(found, offered, "{enable}");
    }
}

#[test]
fn what_is_shown_of_a_mutant_makes_its_text() {
    let cases = [
        (Language::Wgsl, around(Language::Wgsl, "for (var k = 0u; k < y; k++) { v += 3u; }")),
        (Language::Rust, around(Language::Rust, "v = (x as u32 + y < 3) as u32;")),
        (
            Language::Rust,
            around(Language::Rust, "v = if x as u32 > y { 1 } else { -1i32 as u32 };"),
        ),
    ];
    let kernels = KERNELS.iter().map(|kernel| (kernel.language, kernel.text.to_owned()));
    for (language, text) in kernels.chain(cases).filter(|(language, _)| is_read(*language)) {
        let source = source(language, &text);
        for candidate in source.mutants().unwrap() {
            let mutant = &candidate.mutant;
            let range = candidate.at.range(&source.text);
            assert_eq!(mutant.original, source.text[range.clone()]);
            let mut pasted = source.text.clone();
            pasted.replace_range(range, &mutant.replacement);
            assert_eq!(pasted, source.with(&candidate), "{}", mutant.operator);
        }
    }
}

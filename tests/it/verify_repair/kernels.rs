//! Tests of kernels: the repair of each kind of fault.

use super::{applies, changed, repaired};
use libtest_mimic::Failed;
use std::path::Path;

/// A faulty kernel, and the lines that its repair removes and adds.
pub struct Case {
    pub name: &'static str,
    file: &'static str,
    /// The body, in a kernel of two invocations.
    body: &'static str,
    repair: &'static [&'static str],
}

pub const WGSL: &str = "\
struct Tally { most: u32, counts: array<u32, 2> }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> total: u32;
@group(0) @binding(2) var<storage, read_write> tally: Tally;
var<workgroup> tile: array<u32, 2>;
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) l: u32) {
";

const RUST_HEAD: &str = "\
use hirace::prelude::*;

#[hirace::monitor(workgroup_size(2))]
pub fn other(#[builtin(local_invocation_index)] l: u32, total: &mut [u32]) {
    total[l] = l;
}

#[hirace::monitor(workgroup_size(2))]
pub fn main(
    #[builtin(local_invocation_index)] l: u32,
    out: &mut [u32],
    total: &mut u32,
    #[workgroup] tile: &mut [u32; 2],
) {
";

pub const CASES: &[Case] = &[
    Case {
        name: "wgsl/missing",
        file: "it.wgsl",
        body: "    tile[l] = l + 1u;\n    let i = 1u - l;\n    out[l] = tile[i];\n",
        repair: &["+    workgroupBarrier();"],
    },
    Case {
        name: "wgsl/class",
        file: "it.wgsl",
        body: "    tile[l] = l + 1u;\n    storageBarrier();\n    out[l] = tile[1u - l];\n",
        repair: &["-    storageBarrier();", "+    workgroupBarrier();"],
    },
    Case {
        name: "wgsl/two_classes",
        file: "it.wgsl",
        body: "    tile[l] = l;\n    out[l] = l;\n    storageBarrier();\n    out[l + 2u] = out[1u - l] + tile[1u - l];\n",
        repair: &["+    workgroupBarrier();"],
    },
    Case {
        name: "wgsl/divergence",
        file: "it.wgsl",
        body: "    tile[l] = l + 1u;\n    if l == 0u {\n        workgroupBarrier();\n    }\n    out[l] = tile[1u - l];\n",
        repair: &["-        workgroupBarrier();", "+    workgroupBarrier();"],
    },
    Case {
        name: "wgsl/loop",
        file: "it.wgsl",
        body: "    for (var i = 0u; i < 2u; i++) {\n        tile[l] = l + i;\n        workgroupBarrier();\n        out[l] = tile[1u - l];\n    }\n",
        repair: &["+        workgroupBarrier();"],
    },
    Case {
        name: "wgsl/counter",
        file: "it.wgsl",
        body: "    total += l;\n",
        repair: &[
            "-@group(0) @binding(1) var<storage, read_write> total: u32;",
            "+@group(0) @binding(1) var<storage, read_write> total: atomic<u32>;",
            "-    total += l;",
            "+    atomicAdd(&total, l);",
        ],
    },
    Case {
        name: "wgsl/members",
        file: "it.wgsl",
        body: "    tally.counts[0] = tally.counts[0] + out[l];\n    tally.counts[1] |= l;\n    tally.counts[0]++;\n",
        repair: &[
            "-struct Tally { most: u32, counts: array<u32, 2> }",
            "+struct Tally { most: u32, counts: array<atomic<u32>, 2> }",
            "-    tally.counts[0] = tally.counts[0] + out[l];",
            "-    tally.counts[1] |= l;",
            "-    tally.counts[0]++;",
            "+    atomicAdd(&tally.counts[0], out[l]);",
            "+    atomicOr(&tally.counts[1], l);",
            "+    atomicAdd(&tally.counts[0], 1);",
        ],
    },
    Case {
        name: "rust/missing",
        file: "it.rs",
        body: "    tile[l] = l + 1;\n    let i = 1 - l;\n    out[l] = tile[i];\n",
        repair: &["+    workgroup_barrier();"],
    },
    Case {
        name: "rust/class",
        file: "it.rs",
        body: "    tile[l] = l + 1;\n    storage_barrier();\n    out[l] = tile[1 - l];\n",
        repair: &["-    storage_barrier();", "+    workgroup_barrier();"],
    },
    Case {
        name: "rust/divergence",
        file: "it.rs",
        body: "    tile[l] = l + 1;\n    if l == 0 {\n        workgroup_barrier();\n    }\n    out[l] = tile[1 - l];\n",
        repair: &["-        workgroup_barrier();", "+    workgroup_barrier();"],
    },
    Case {
        name: "rust/loop",
        file: "it.rs",
        body: "    for i in 0..2 {\n        tile[l] = l + i;\n        workgroup_barrier();\n        out[l] = tile[1 - l];\n    }\n",
        repair: &["+        workgroup_barrier();"],
    },
    Case {
        name: "rust/counter",
        file: "it.rs",
        body: "    *total += l;\n    out[l] = *total;\n",
        repair: &[
            "-    total: &mut u32,",
            "+    total: &mut Atomic<u32>,",
            "-    *total += l;",
            "-    out[l] = *total;",
            "+    total.fetch_add(l);",
            "+    out[l] = total.load();",
        ],
    },
    Case {
        name: "rust/beside_atomics",
        file: "it.rs",
        body: "    atomic_add(&mut out[0], 1);\n    out[0] += 1;\n",
        repair: &["-    out[0] += 1;", "+    atomic_add(&mut out[0], 1);"],
    },
];

impl Case {
    pub fn check(&self, folder: &Path) -> Result<(), Failed> {
        let head = if self.file.ends_with("rs") { RUST_HEAD } else { WGSL };
        let text = format!("{head}{}}}\n", self.body);
        let repair = repaired(folder, self.file, &text, &["--entry", "main"])?;
        let diff = repair["diff"].as_str().unwrap_or_default();
        assert_eq!(changed(diff), self.repair, "{repair}");
        assert_eq!(repair["verified"].as_bool(), Some(true), "{repair}");
        applies(folder, self.file, &text, &repair, &["--entry", "main"])
    }
}

//! Tests of repairs of models: which memory order a repair strengthens, and which scope it widens.

use super::{applies, changed, repaired};
use libtest_mimic::Failed;
use std::path::Path;

/// A faulty model, and the lines that its repair removes and adds.
pub struct Case {
    pub name: &'static str,
    /// The imports from `std::sync::atomic`, in addition to `AtomicU32`.
    uses: &'static str,
    parameters: &'static str,
    body: &'static str,
    flags: &'static [&'static str],
    repair: &'static [&'static str],
}

const TWO: &[&str] = &["--workgroups", "2"];
const FLAG: &str = "flag: &AtomicU32, data: &mut u32";
const TWO_FLAGS: &str = "first: &AtomicU32, second: &AtomicU32, data: &mut u32";
const LOCK: &str = "lock: &AtomicU32, count: &mut u32";

pub const CASES: &[Case] = &[
    Case {
        name: "model/release_of_a_lock",
        uses: "Ordering",
        parameters: LOCK,
        body: "
        while lock.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {}
        *count += 1;
        lock.store(0, Ordering::Relaxed);",
        flags: TWO,
        repair: &[
            "-        lock.store(0, Ordering::Relaxed);",
            "+        lock.store(0, Ordering::Release);",
        ],
    },
    Case {
        name: "model/order_that_is_not_imported",
        uses: "Ordering::{Relaxed, Release}",
        parameters: LOCK,
        body: "
        while lock.swap(1, Relaxed) == 1 {}
        *count += 1;
        lock.store(0, Release);",
        flags: TWO,
        repair: &[
            "-        while lock.swap(1, Relaxed) == 1 {}",
            "+        while lock.swap(1, std::sync::atomic::Ordering::Acquire) == 1 {}",
        ],
    },
    Case {
        name: "model/order_of_store_and_load",
        uses: "Ordering::*",
        parameters: FLAG,
        body: "
        if group.x == 0 {
            *data = 1;
            flag.store(1, Relaxed);
        } else if flag.load(Relaxed) == 1 {
            assert!(*data == 1);
        }",
        flags: TWO,
        repair: &[
            "-            flag.store(1, Relaxed);",
            "-        } else if flag.load(Relaxed) == 1 {",
            "+            flag.store(1, Release);",
            "+        } else if flag.load(Acquire) == 1 {",
        ],
    },
    Case {
        name: "model/order_of_an_update",
        uses: "Ordering::*",
        parameters: "done: &AtomicU32, data: &mut [u32; 2]",
        body: "
        data[group.x] = 1;
        if done.fetch_add(1, Release) == 1 {
            assert!(data[0] + data[1] == 2);
        }",
        flags: TWO,
        repair: &[
            "-        if done.fetch_add(1, Release) == 1 {",
            "+        if done.fetch_add(1, AcqRel) == 1 {",
        ],
    },
    Case {
        name: "model/order_of_a_failed_exchange",
        uses: "Ordering::*",
        parameters: FLAG,
        body: "
        if group.x == 0 {
            *data = 1;
            flag.store(1, Release);
        } else if let Err(1) = flag.compare_exchange(0, 0, Relaxed, Relaxed) {
            assert!(*data == 1);
        }",
        flags: TWO,
        repair: &[
            "-        } else if let Err(1) = flag.compare_exchange(0, 0, Relaxed, Relaxed) {",
            "+        } else if let Err(1) = flag.compare_exchange(0, 0, Relaxed, Acquire) {",
        ],
    },
    Case {
        name: "model/sequential_consistency",
        uses: "Ordering",
        parameters: "x: &AtomicU32, y: &AtomicU32, seen: &[AtomicU32; 2]",
        body: "
        if group.x == 0 {
            x.store(1, Ordering::Relaxed);
            seen[0].store(1 - y.load(Ordering::Relaxed), Ordering::Relaxed);
        } else {
            y.store(1, Ordering::Relaxed);
            seen[1].store(1 - x.load(Ordering::Relaxed), Ordering::Relaxed);
        }",
        flags: &["--workgroups", "2", "--assert", "seen[0] + seen[1] < 2"],
        repair: &[
            "-            x.store(1, Ordering::Relaxed);",
            "-            seen[0].store(1 - y.load(Ordering::Relaxed), Ordering::Relaxed);",
            "+            x.store(1, Ordering::SeqCst);",
            "+            seen[0].store(1 - y.load(Ordering::SeqCst), Ordering::Relaxed);",
            "-            y.store(1, Ordering::Relaxed);",
            "-            seen[1].store(1 - x.load(Ordering::Relaxed), Ordering::Relaxed);",
            "+            y.store(1, Ordering::SeqCst);",
            "+            seen[1].store(1 - x.load(Ordering::SeqCst), Ordering::Relaxed);",
        ],
    },
    Case {
        name: "model/scope_of_a_lock",
        uses: "Ordering",
        parameters: LOCK,
        body: "
        while lock.within(Scope::Workgroup).swap(1, Ordering::Acquire) == 1 {}
        *count += 1;
        lock
            .within(Scope::Workgroup)
            .store(0, Ordering::Release);",
        flags: TWO,
        repair: &[
            "-        while lock.within(Scope::Workgroup).swap(1, Ordering::Acquire) == 1 {}",
            "+        while lock.swap(1, Ordering::Acquire) == 1 {}",
            "-            .within(Scope::Workgroup)",
        ],
    },
    Case {
        name: "model/scope_of_subgroups",
        uses: "Ordering",
        parameters: "#[builtin(local_invocation_index)] lane: u32, flag: &AtomicU32, data: &mut u32",
        body: "
        if lane == 0 {
            *data = 1;
            flag.within(Scope::Subgroup).store(1, Ordering::Release);
        } else if flag.within(Scope::Workgroup).load(Ordering::Acquire) == 1 {
            assert!(*data == 1);
        }",
        flags: &["--override", "SIZE=2", "--subgroup-size", "1"],
        repair: &[
            "-            flag.within(Scope::Subgroup).store(1, Ordering::Release);",
            "+            flag.within(Scope::Workgroup).store(1, Ordering::Release);",
        ],
    },
    Case {
        name: "model/scope_of_workgroup_memory",
        uses: "Ordering",
        parameters: "#[builtin(local_invocation_index)] lane: u32, data: &mut u32, #[workgroup] flag: &AtomicU32",
        body: "
        if lane == 0 {
            *data = 1;
            flag.store(1, Ordering::Release);
        } else if flag.within(Scope::Subgroup).load(Ordering::Acquire) == 1 {
            assert!(*data == 1);
        }",
        flags: &["--override", "SIZE=2", "--subgroup-size", "1"],
        repair: &[
            "-        } else if flag.within(Scope::Subgroup).load(Ordering::Acquire) == 1 {",
            "+        } else if flag.load(Ordering::Acquire) == 1 {",
        ],
    },
    Case {
        name: "model/order_of_a_fence",
        uses: "Ordering, fence",
        parameters: TWO_FLAGS,
        body: "
        if group.x == 0 {
            *data = 1;
            fence(Ordering::Acquire);
            first.store(1, Ordering::Relaxed);
            second.store(1, Ordering::Relaxed);
        } else if first.load(Ordering::Acquire) == 1 || second.load(Ordering::Acquire) == 1 {
            fence(Ordering::Acquire);
            assert!(*data == 1);
        }",
        flags: TWO,
        repair: &[
            "-            fence(Ordering::Acquire);",
            "+            fence(Ordering::AcqRel);",
        ],
    },
    Case {
        name: "model/scope_of_a_fence",
        uses: "Ordering, fence",
        parameters: TWO_FLAGS,
        body: "
        if group.x == 0 {
            *data = 1;
            hirace::fence(Ordering::Release, Scope::Workgroup);
            first.store(1, Ordering::Relaxed);
            second.store(1, Ordering::Relaxed);
        } else if first.load(Ordering::Acquire) == 1 || second.load(Ordering::Acquire) == 1 {
            fence(Ordering::Acquire);
            assert!(*data == 1);
        }",
        flags: TWO,
        repair: &[
            "-            hirace::fence(Ordering::Release, Scope::Workgroup);",
            "+            hirace::fence(Ordering::Release, Scope::Device);",
        ],
    },
    Case {
        name: "model/barrier_and_order",
        uses: "Ordering",
        parameters: "#[builtin(local_invocation_index)] lane: u32, flag: &AtomicU32, data: &mut [u32; 2]",
        body: "
        if group.x == 0 {
            data[lane] = 1;
            if lane == 0 {
                flag.store(1, Ordering::Relaxed);
            }
        } else if flag.load(Ordering::Acquire) == 1 {
            assert!(data[0] + data[1] == 2);
        }",
        flags: &["--workgroups", "2", "--override", "SIZE=2"],
        repair: &[
            "+            storage_barrier();",
            "-                flag.store(1, Ordering::Relaxed);",
            "+                flag.store(1, Ordering::Release);",
        ],
    },
    Case {
        name: "model/plain_memory",
        uses: "Ordering",
        parameters: "own: &AtomicU32, count: &mut u32",
        body: "
        own.fetch_add(1, Ordering::Relaxed);
        *count += 1;",
        flags: TWO,
        repair: &[
            "-    pub fn main(#[builtin(workgroup_id)] group: UVec3, own: &AtomicU32, count: &mut u32) {",
            "+    pub fn main(#[builtin(workgroup_id)] group: UVec3, own: &AtomicU32, count: &mut Atomic<u32>) {",
            "-        *count += 1;",
            "+        count.fetch_add(1);",
        ],
    },
];

/// Returns a model of one kernel, `main`.
pub fn model(uses: &str, parameters: &str, body: &str) -> String {
    format!(
        "#[hirace::model]
pub mod it {{
    use hirace::prelude::*;
    use std::sync::atomic::{{AtomicU32, {uses}}};

    #[overridable]
    pub const SIZE: u32 = 1;

    #[kernel(workgroup_size(SIZE))]
    pub fn main(#[builtin(workgroup_id)] group: UVec3, {parameters}) {{{body}
    }}
}}
"
    )
}

impl Case {
    pub fn check(&self, folder: &Path) -> Result<(), Failed> {
        let text = model(self.uses, self.parameters, self.body);
        let flags = [&["--model", "scoped-rc11"], self.flags].concat();
        let repair = repaired(folder, "it.rs", &text, &flags)?;
        let diff = repair["diff"].as_str().unwrap_or_default();
        assert_eq!(changed(diff), self.repair, "{repair}");
        applies(folder, "it.rs", &text, &repair, &flags)
    }
}

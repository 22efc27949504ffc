//! How what a report proposes is written in the language of the source.

use crate::program::{Language, Program};
use naga::Barrier;

/// A call of the barrier of a class.
pub(crate) fn barrier(program: &Program, class: Barrier) -> &'static str {
    let [wgsl, rust] = match class {
        Barrier::WORK_GROUP => ["workgroupBarrier()", "workgroup_barrier()"],
        Barrier::TEXTURE => ["textureBarrier()", "texture_barrier()"],
        Barrier::SUB_GROUP => ["subgroupBarrier()", "subgroup_barrier()"],
        _ => ["storageBarrier()", "storage_barrier()"],
    };
    match program.language {
        Language::Wgsl => wgsl,
        Language::Rust => rust,
    }
}

/// A call of the atomic function that WGSL calls `atomic`, on `place`; what it is given is left out.
pub(crate) fn atomic(program: &Program, atomic: &str, place: &str) -> String {
    if program.language == Language::Wgsl {
        return format!("{atomic}(&{place}, …)");
    }
    let method = match atomic {
        "atomicCompareExchangeWeak" => "compare_exchange_weak".to_owned(),
        _ => format!("fetch_{}", atomic.trim_start_matches("atomic").to_lowercase()),
    };
    format!("{}.{method}(…)", bare(place))
}

/// The name of a function of WGSL's own.
pub(crate) fn compare_exchange(program: &Program) -> &'static str {
    match program.language {
        Language::Wgsl => "atomicCompareExchangeWeak",
        Language::Rust => "compare_exchange_weak",
    }
}

/// A memory that can be used atomically, of which `what` is made.
pub(crate) fn make_atomic(program: &Program, what: &str) -> String {
    match program.language {
        Language::Wgsl => format!("make {what} atomic"),
        Language::Rust => format!("make {what} atomic (`Atomic<T>`)"),
    }
}

/// The length of a runtime-sized array.
pub(crate) fn length(program: &Program, array: &str) -> String {
    match program.language {
        Language::Wgsl => format!("arrayLength(&{array})"),
        Language::Rust => format!("{array}.len()"),
    }
}

/// A place without the dereferences that Rust writes and WGSL does not.
pub(crate) fn bare(place: &str) -> &str {
    place.trim_start_matches(['*', '(']).trim_end_matches(')')
}

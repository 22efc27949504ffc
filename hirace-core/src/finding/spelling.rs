//! How what a report proposes is written in the language of the source.

use crate::program::{Language, Program};
use naga::Barrier;

/// A call of the barrier of a class.
pub(crate) fn barrier(program: &Program, class: Barrier) -> &'static str {
    let [wgsl, rust, glsl, hlsl, spirv] = match class {
        Barrier::WORK_GROUP => [
            "workgroupBarrier()",
            "workgroup_barrier()",
            "barrier()",
            "GroupMemoryBarrierWithGroupSync()",
            "OpControlBarrier Workgroup Workgroup AcquireRelease|WorkgroupMemory",
        ],
        Barrier::TEXTURE => [
            "textureBarrier()",
            "texture_barrier()",
            "memoryBarrierImage(); barrier()",
            "DeviceMemoryBarrierWithGroupSync()",
            "OpControlBarrier Workgroup Workgroup AcquireRelease|ImageMemory",
        ],
        Barrier::SUB_GROUP => [
            "subgroupBarrier()",
            "subgroup_barrier()",
            "subgroupBarrier()",
            "GroupMemoryBarrierWithGroupSync()",
            "OpControlBarrier Subgroup",
        ],
        _ => [
            "storageBarrier()",
            "storage_barrier()",
            "memoryBarrierBuffer(); barrier()",
            "DeviceMemoryBarrierWithGroupSync()",
            "OpControlBarrier Workgroup Workgroup AcquireRelease|UniformMemory",
        ],
    };
    match program.language {
        Language::Wgsl => wgsl,
        Language::Rust => rust,
        Language::GlslLines => glsl,
        Language::HlslLines => hlsl,
        Language::Spirv => spirv,
    }
}

/// A call of the atomic function that WGSL calls `atomic`, on `place`; what it is given is left out.
pub(crate) fn atomic(program: &Program, atomic: &str, place: &str) -> String {
    let kind = atomic.trim_start_matches("atomic");
    match program.language {
        Language::Wgsl => format!("{atomic}(&{place}, …)"),
        Language::Rust => {
            let method = match atomic {
                "atomicCompareExchangeWeak" => "compare_exchange_weak".to_owned(),
                _ => format!("fetch_{}", kind.to_lowercase()),
            };
            format!("{}.{method}(…)", bare(place))
        }
        Language::GlslLines => match kind {
            "CompareExchangeWeak" => format!("atomicCompSwap({place}, …)"),
            "Sub" => format!("atomicAdd({place}, -…)"),
            _ => format!("{atomic}({place}, …)"),
        },
        Language::HlslLines => match kind {
            "CompareExchangeWeak" => format!("InterlockedCompareExchange({place}, …)"),
            "Sub" => format!("InterlockedAdd({place}, -…)"),
            _ => format!("Interlocked{kind}({place}, …)"),
        },
        Language::Spirv => match kind {
            "Add" | "Sub" => format!("OpAtomicI{kind}"),
            "Min" | "Max" => format!("OpAtomicS{kind}"),
            "CompareExchangeWeak" => "OpAtomicCompareExchange".to_owned(),
            _ => format!("OpAtomic{kind}"),
        },
    }
}

/// The name of a function of WGSL's own.
pub(crate) fn compare_exchange(program: &Program) -> &'static str {
    match program.language {
        Language::Wgsl => "atomicCompareExchangeWeak",
        Language::Rust => "compare_exchange_weak",
        Language::GlslLines => "atomicCompSwap",
        Language::HlslLines => "InterlockedCompareExchange",
        Language::Spirv => "OpAtomicCompareExchange",
    }
}

/// A memory that can be used atomically, of which `what` is made.
pub(crate) fn make_atomic(program: &Program, what: &str) -> String {
    match program.language {
        Language::Wgsl => format!("make {what} atomic"),
        Language::Rust => format!("make {what} atomic (`Atomic<T>`)"),
        Language::GlslLines | Language::HlslLines | Language::Spirv => {
            format!("access {what} by atomics alone")
        }
    }
}

/// The length of a runtime-sized array.
pub(crate) fn length(program: &Program, array: &str) -> String {
    match program.language {
        Language::Wgsl => format!("arrayLength(&{array})"),
        Language::Rust => format!("{array}.len()"),
        Language::GlslLines => format!("{array}.length()"),
        Language::HlslLines => format!("the length that {array}.GetDimensions gives"),
        Language::Spirv => format!("the OpArrayLength of {array}"),
    }
}

/// A place without the dereferences that Rust writes and WGSL does not.
pub(crate) fn bare(place: &str) -> &str {
    place.trim_start_matches(['*', '(']).trim_end_matches(')')
}

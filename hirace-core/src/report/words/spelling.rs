//! Code that reports suggest, in the syntax of the source language.

use crate::facts::BarrierClass;
use crate::facts::suggestion::AtomicFunction;
use crate::finding::suggest::strip_dereference;
use crate::program::Language;

/// Returns the call of a barrier of a class.
pub fn barrier(language: Language, class: BarrierClass) -> &'static str {
    let [rust, glsl, hlsl, spirv] = match class {
        BarrierClass::Workgroup => [
            "workgroup_barrier()",
            "barrier()",
            "GroupMemoryBarrierWithGroupSync()",
            "OpControlBarrier Workgroup Workgroup AcquireRelease|WorkgroupMemory",
        ],
        BarrierClass::Texture => [
            "texture_barrier()",
            "memoryBarrierImage(); barrier()",
            "DeviceMemoryBarrierWithGroupSync()",
            "OpControlBarrier Workgroup Workgroup AcquireRelease|ImageMemory",
        ],
        BarrierClass::Subgroup => [
            "subgroup_barrier()",
            "subgroupBarrier()",
            "GroupMemoryBarrierWithGroupSync()",
            "OpControlBarrier Subgroup",
        ],
        BarrierClass::Storage => [
            "storage_barrier()",
            "memoryBarrierBuffer(); barrier()",
            "DeviceMemoryBarrierWithGroupSync()",
            "OpControlBarrier Workgroup Workgroup AcquireRelease|UniformMemory",
        ],
    };
    match language {
        Language::Wgsl => class.wgsl(),
        Language::Rust => rust,
        Language::GlslLines => glsl,
        Language::HlslLines => hlsl,
        Language::Spirv => spirv,
    }
}

/// Returns the call of an atomic operation on `place`; the operands are left out.
pub fn atomic(language: Language, function: AtomicFunction, place: &str) -> String {
    let name = match function {
        AtomicFunction::Add => "Add",
        AtomicFunction::Sub => "Sub",
        AtomicFunction::And => "And",
        AtomicFunction::Or => "Or",
        AtomicFunction::Xor => "Xor",
        AtomicFunction::Min => "Min",
        AtomicFunction::Max => "Max",
    };
    match (language, function) {
        (Language::Wgsl, _) => format!("atomic{name}(&{place}, …)"),
        (Language::Rust, _) => {
            format!("{}.fetch_{}(…)", strip_dereference(place), name.to_lowercase())
        }
        (Language::GlslLines, AtomicFunction::Sub) => format!("atomicAdd({place}, -…)"),
        (Language::GlslLines, _) => format!("atomic{name}({place}, …)"),
        (Language::HlslLines, AtomicFunction::Sub) => format!("InterlockedAdd({place}, -…)"),
        (Language::HlslLines, _) => format!("Interlocked{name}({place}, …)"),
        (Language::Spirv, AtomicFunction::Add | AtomicFunction::Sub) => format!("OpAtomicI{name}"),
        (Language::Spirv, AtomicFunction::Min | AtomicFunction::Max) => format!("OpAtomicS{name}"),
        (Language::Spirv, _) => format!("OpAtomic{name}"),
    }
}

/// Returns the name of the compare-and-exchange function.
pub fn compare_exchange(language: Language) -> &'static str {
    match language {
        Language::Wgsl => "atomicCompareExchangeWeak",
        Language::Rust => "compare_exchange_weak",
        Language::GlslLines => "atomicCompSwap",
        Language::HlslLines => "InterlockedCompareExchange",
        Language::Spirv => "OpAtomicCompareExchange",
    }
}

/// Returns the instruction to make `what` atomic.
pub fn make_atomic(language: Language, what: &str) -> String {
    match language {
        Language::Wgsl => format!("make {what} atomic"),
        Language::Rust => format!("make {what} atomic (`Atomic<T>`)"),
        Language::GlslLines | Language::HlslLines | Language::Spirv => {
            format!("access {what} only with atomics")
        }
    }
}

/// Returns the expression for the length of a runtime-sized array.
pub fn length(language: Language, array: &str) -> String {
    match language {
        Language::Wgsl => format!("arrayLength(&{array})"),
        Language::Rust => format!("{array}.len()"),
        Language::GlslLines => format!("{array}.length()"),
        Language::HlslLines => format!("the length from {array}.GetDimensions"),
        Language::Spirv => format!("the OpArrayLength of {array}"),
    }
}

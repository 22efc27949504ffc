//! How what a report proposes is written in the language of the source.

use crate::facts::Class;
use crate::facts::suggestion::AtomicFunction;
use crate::finding::suggest::bare;
use crate::program::Language;

/// A call of the barrier of a class.
pub fn barrier(language: Language, class: Class) -> &'static str {
    let [wgsl, rust, glsl, hlsl, spirv] = match class {
        Class::Workgroup => [
            "workgroupBarrier()",
            "workgroup_barrier()",
            "barrier()",
            "GroupMemoryBarrierWithGroupSync()",
            "OpControlBarrier Workgroup Workgroup AcquireRelease|WorkgroupMemory",
        ],
        Class::Texture => [
            "textureBarrier()",
            "texture_barrier()",
            "memoryBarrierImage(); barrier()",
            "DeviceMemoryBarrierWithGroupSync()",
            "OpControlBarrier Workgroup Workgroup AcquireRelease|ImageMemory",
        ],
        Class::Subgroup => [
            "subgroupBarrier()",
            "subgroup_barrier()",
            "subgroupBarrier()",
            "GroupMemoryBarrierWithGroupSync()",
            "OpControlBarrier Subgroup",
        ],
        Class::Storage => [
            "storageBarrier()",
            "storage_barrier()",
            "memoryBarrierBuffer(); barrier()",
            "DeviceMemoryBarrierWithGroupSync()",
            "OpControlBarrier Workgroup Workgroup AcquireRelease|UniformMemory",
        ],
    };
    match language {
        Language::Wgsl => wgsl,
        Language::Rust => rust,
        Language::GlslLines => glsl,
        Language::HlslLines => hlsl,
        Language::Spirv => spirv,
    }
}

/// A call of an atomic operation on `place`; what it is given is left out.
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
        (Language::Rust, _) => format!("{}.fetch_{}(…)", bare(place), name.to_lowercase()),
        (Language::GlslLines, AtomicFunction::Sub) => format!("atomicAdd({place}, -…)"),
        (Language::GlslLines, _) => format!("atomic{name}({place}, …)"),
        (Language::HlslLines, AtomicFunction::Sub) => format!("InterlockedAdd({place}, -…)"),
        (Language::HlslLines, _) => format!("Interlocked{name}({place}, …)"),
        (Language::Spirv, AtomicFunction::Add | AtomicFunction::Sub) => format!("OpAtomicI{name}"),
        (Language::Spirv, AtomicFunction::Min | AtomicFunction::Max) => format!("OpAtomicS{name}"),
        (Language::Spirv, _) => format!("OpAtomic{name}"),
    }
}

/// The name of the function that exchanges what compares equal.
pub fn compare_exchange(language: Language) -> &'static str {
    match language {
        Language::Wgsl => "atomicCompareExchangeWeak",
        Language::Rust => "compare_exchange_weak",
        Language::GlslLines => "atomicCompSwap",
        Language::HlslLines => "InterlockedCompareExchange",
        Language::Spirv => "OpAtomicCompareExchange",
    }
}

/// A memory that can be used atomically, of which `what` is made.
pub fn make_atomic(language: Language, what: &str) -> String {
    match language {
        Language::Wgsl => format!("make {what} atomic"),
        Language::Rust => format!("make {what} atomic (`Atomic<T>`)"),
        Language::GlslLines | Language::HlslLines | Language::Spirv => {
            format!("access {what} by atomics alone")
        }
    }
}

/// The length of a runtime-sized array.
pub fn length(language: Language, array: &str) -> String {
    match language {
        Language::Wgsl => format!("arrayLength(&{array})"),
        Language::Rust => format!("{array}.len()"),
        Language::GlslLines => format!("{array}.length()"),
        Language::HlslLines => format!("the length that {array}.GetDimensions gives"),
        Language::Spirv => format!("the OpArrayLength of {array}"),
    }
}

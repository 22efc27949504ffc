//! Values that may differ between the invocations of a workgroup.

/// The origin of a value that may differ between invocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Varying {
    /// The built-in value `global_invocation_id`.
    GlobalInvocationId,
    /// The built-in value `local_invocation_id`.
    LocalInvocationId,
    /// The built-in value `local_invocation_index`.
    LocalInvocationIndex,
    /// The built-in value `subgroup_invocation_id`.
    SubgroupInvocationId,
    /// The built-in value `subgroup_id`.
    SubgroupId,
    /// The result of an atomic operation.
    Atomic,
    /// The result of a subgroup operation.
    SubgroupOperation,
    /// A load from a writable texture.
    Texture,
    /// A load from workgroup memory.
    WorkgroupMemory,
    /// A load from writable storage memory.
    StorageMemory,
    /// A load from a private variable. WGSL does not track what is stored to it.
    PrivateMemory,
}

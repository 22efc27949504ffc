//! Texts of the origins of non-uniform control flow.

use crate::facts::Varying;

/// Returns the name of the origin: `local_invocation_index`, `a load from workgroup memory` …
pub fn varying(what: Varying) -> &'static str {
    match what {
        Varying::GlobalInvocationId => "global_invocation_id",
        Varying::LocalInvocationId => "local_invocation_id",
        Varying::LocalInvocationIndex => "local_invocation_index",
        Varying::SubgroupInvocationId => "subgroup_invocation_id",
        Varying::SubgroupId => "subgroup_id",
        Varying::Atomic => "the result of an atomic operation",
        Varying::SubgroupOperation => "the result of a subgroup operation",
        Varying::Texture => "a load from a writable texture",
        Varying::WorkgroupMemory => "a load from workgroup memory",
        Varying::StorageMemory => "a load from writable storage memory",
        Varying::PrivateMemory => "a load from a private variable",
    }
}

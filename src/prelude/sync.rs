//! Barriers, and functions of memory.
#![allow(unused_variables, reason = "the functions represent WGSL functions and have no bodies")]

use super::classes::{Elements, UniformLoadable};
use super::never_executed;

/// `workgroupBarrier()`: orders workgroup memory among the workgroup's invocations, all of which must reach it.
pub fn workgroup_barrier() {
    never_executed()
}

/// `storageBarrier()`: orders storage buffers among the workgroup's invocations, all of which must reach it.
pub fn storage_barrier() {
    never_executed()
}

/// `textureBarrier()`: orders textures among the workgroup's invocations, all of which must reach it.
pub fn texture_barrier() {
    never_executed()
}

/// `subgroupBarrier()`: orders memory among the subgroup's invocations, all of which must reach it.
pub fn subgroup_barrier() {
    never_executed()
}

/// `workgroupUniformLoad(place)`: reads workgroup memory between two barriers. The result is uniform: all invocations of the
/// workgroup get the same value.
pub fn workgroup_uniform_load<T: UniformLoadable>(place: &T) -> T::Value {
    never_executed()
}

/// `arrayLength(array)`: the number of elements of a buffer. It also works for arrays in a kernel, for which WGSL does not need a
/// function.
pub fn array_length<A: Elements + ?Sized>(array: &A) -> u32 {
    never_executed()
}

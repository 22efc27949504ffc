//! Barriers, and functions of memory.
#![allow(unused_variables, reason = "the functions stand for WGSL's and have no bodies")]

use super::classes::{Elements, Held};
use super::never_executed;

/// `workgroupBarrier()`: orders workgroup memory among the workgroup's invocations, all of which must come.
pub fn workgroup_barrier() {
    never_executed()
}

/// `storageBarrier()`: orders storage buffers among the workgroup's invocations, all of which must come.
pub fn storage_barrier() {
    never_executed()
}

/// `textureBarrier()`: orders textures among the workgroup's invocations, all of which must come.
pub fn texture_barrier() {
    never_executed()
}

/// `subgroupBarrier()`: orders memory among the subgroup's invocations, all of which must come.
pub fn subgroup_barrier() {
    never_executed()
}

/// `workgroupUniformLoad(place)`: reads workgroup memory between two barriers, so that all invocations of the
/// workgroup know that they have the same value.
pub fn workgroup_uniform_load<T: Held>(place: &T) -> T::Value {
    never_executed()
}

/// `arrayLength(array)`: how many elements a buffer has. Of an array in a kernel too, where WGSL needs no
/// function to know.
pub fn array_length<A: Elements + ?Sized>(array: &A) -> u32 {
    never_executed()
}

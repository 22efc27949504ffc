//! How atomics and fences order memory in models, `#[hirace::model]`: for whom, and how strongly.
#![allow(unused_variables, reason = "the functions stand for what is verified and have no bodies")]

use crate::prelude::classes::AtomicValue;
use crate::prelude::{Atomic, never_executed};
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

/// For whom an atomic operation is atomic, or a fence orders: for the invocations that share something with the one
/// that does it. Each includes those before it.
///
/// Where nothing else is said, it is the workgroup for workgroup memory, and the device for storage buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// Its subgroup (CUDA: warp).
    Subgroup,
    /// Its workgroup (CUDA: block, PTX: `cta`).
    Workgroup,
    /// Its queue family (Vulkan).
    QueueFamily,
    /// Its device (PTX: `gpu`).
    Device,
    /// All that there are (PTX: `sys`).
    System,
}

/// Atomics that are used within a scope: `flag.within(Scope::Workgroup).load(Ordering::Acquire)`.
pub trait Within {
    /// The same memory, for what is done to it in this scope.
    fn within(&self, scope: Scope) -> &Self {
        never_executed()
    }
}

impl Within for AtomicU32 {}
impl Within for AtomicI32 {}
impl<T: AtomicValue> Within for Atomic<T> {}

/// A fence, for the invocations in `scope`. `std::sync::atomic::fence(ordering)` is one for the device.
pub fn fence(ordering: Ordering, scope: Scope) {
    never_executed()
}

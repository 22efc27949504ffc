//! The scopes of atomics in models (`#[hirace::model]`).
#![allow(
    unused_variables,
    reason = "the functions represent verified operations and have no bodies"
)]

use super::classes::{AtomicValue, Sealed};
use super::{Atomic, never_executed};
use std::sync::atomic::{AtomicI32, AtomicU32};

/// The scope of an atomic operation or a fence: the set of invocations for which the operation is atomic, or which the fence
/// orders. It contains the invocations that share this resource with the executing one. Each scope includes the preceding ones.
///
/// The default is the workgroup for workgroup memory, and the device for storage buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Scope {
    /// The same subgroup (CUDA: warp).
    Subgroup,
    /// The same workgroup (CUDA: block, PTX: `cta`).
    Workgroup,
    /// The same queue family (Vulkan).
    QueueFamily,
    /// The same device (PTX: `gpu`).
    Device,
    /// All invocations (PTX: `sys`).
    System,
}

/// Sets the scope of an atomic operation: `flag.within(Scope::Workgroup).load(Ordering::Acquire)`.
pub trait Within: Sealed {
    /// Returns the same memory, for an operation in this scope.
    fn within(&self, scope: Scope) -> &Self {
        never_executed()
    }
}

impl Sealed for AtomicU32 {}
impl Sealed for AtomicI32 {}
impl<T> Sealed for Atomic<T> {}
impl Within for AtomicU32 {}
impl Within for AtomicI32 {}
impl<T: AtomicValue> Within for Atomic<T> {}

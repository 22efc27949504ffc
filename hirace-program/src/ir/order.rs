//! Memory ordering and scope of atomic accesses and fences.
//!
//! WGSL's atomics are relaxed, and their scope follows from their memory, so naga's IR represents neither. Other languages have
//! explicit orderings and scopes; their front ends attach them to the site ([`Sites::ordering`](super::sites::Sites::ordering)).

use super::barrier::MEMORY;
use naga::Barrier as Flags;

/// A memory scope: the set of invocations among which an operation is atomic and orders memory. Each scope includes the preceding
/// ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// The subgroup (CUDA: warp).
    Subgroup,
    /// The workgroup (CUDA: block, PTX: cta).
    Workgroup,
    /// The dispatch (Vulkan: queue family).
    QueueFamily,
    /// The device (PTX: gpu).
    Device,
    /// The whole system (PTX: sys).
    System,
}

/// A memory ordering of an atomic operation or a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryOrder {
    /// No ordering.
    Relaxed,
    /// Later accesses stay after the operation.
    Acquire,
    /// Earlier accesses stay before the operation.
    Release,
    /// Both acquire and release.
    AcquireRelease,
    /// Both acquire and release, and all such operations have a single total order.
    SequentiallyConsistent,
}

impl MemoryOrder {
    /// Returns whether the ordering includes acquire.
    pub fn acquires(self) -> bool {
        !matches!(self, Self::Relaxed | Self::Release)
    }

    /// Returns whether the ordering includes release.
    pub fn releases(self) -> bool {
        !matches!(self, Self::Relaxed | Self::Acquire)
    }

    /// Returns the strength of the ordering: the number of guarantees that it gives.
    pub fn strength(self) -> u32 {
        let does = [self.acquires(), self.releases(), matches!(self, Self::SequentiallyConsistent)];
        does.into_iter().map(u32::from).sum()
    }
}

/// The ordering, scope and memory of an atomic access or a fence, if its language specifies them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemorySemantics {
    /// The memory ordering.
    pub order: MemoryOrder,
    /// The ordering of a compare-exchange that fails (finds another value and writes nothing). Equal to `order` for all other
    /// operations.
    pub on_failure: MemoryOrder,
    /// The scope of atomicity and ordering.
    pub scope: Scope,
    /// The kinds of memory that are ordered, in addition to the accessed location.
    pub memory: Flags,
}

impl MemorySemantics {
    /// Returns the ordering of an operation with this order and scope, on all memory.
    pub fn new(order: MemoryOrder, scope: Scope) -> Self {
        Self { order, on_failure: order, scope, memory: MEMORY }
    }

    /// Returns the memory that the operation acquires.
    pub fn acquires(self) -> Flags {
        if self.order.acquires() { self.memory & MEMORY } else { Flags::empty() }
    }

    /// Returns the memory that the operation releases.
    pub fn releases(self) -> Flags {
        if self.order.releases() { self.memory & MEMORY } else { Flags::empty() }
    }

    /// Returns whether the operation orders memory other than its own location.
    pub fn orders_other_memory(self) -> bool {
        let is_relaxed =
            self.order == MemoryOrder::Relaxed && self.on_failure == MemoryOrder::Relaxed;
        !is_relaxed && !(self.memory & MEMORY).is_empty()
    }
}

//! How an atomic access or a fence orders memory, and for whom.
//!
//! WGSL's atomics are relaxed, and their scope follows from their memory, so that naga's IR has no word for either. Other
//! languages say both; their front ends deliver it at the site ([`Sites::ordering`](super::sites::Sites::ordering)).

use super::barrier::MEMORY;
use naga::Barrier as Flags;

/// Who is meant: the invocations that share something with one of them. Each includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// Its subgroup (CUDA: warp).
    Subgroup,
    /// Its workgroup (CUDA: block, PTX: cta).
    Workgroup,
    /// Its dispatch (Vulkan: queue family).
    QueueFamily,
    /// Its device (PTX: gpu).
    Device,
    /// All that there are (PTX: sys).
    System,
}

/// How strongly an atomic operation or a fence orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// Not at all.
    Relaxed,
    /// What comes after it stays after.
    Acquire,
    /// What comes before it stays before.
    Release,
    /// Both.
    AcquireRelease,
    /// Both, and all such operations are in one order.
    SequentiallyConsistent,
}

impl Order {
    /// Whether it acquires.
    pub fn acquires(self) -> bool {
        !matches!(self, Self::Relaxed | Self::Release)
    }

    /// Whether it releases.
    pub fn releases(self) -> bool {
        !matches!(self, Self::Relaxed | Self::Acquire)
    }

    /// How much it does: one is stronger than another if it does more.
    pub fn strength(self) -> u32 {
        let does = [self.acquires(), self.releases(), matches!(self, Self::SequentiallyConsistent)];
        does.into_iter().map(u32::from).sum()
    }
}

/// What stands at an atomic access or a fence, where its language says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ordering {
    /// How strongly it orders.
    pub order: Order,
    /// The same of a compare-exchange that finds another value and writes nothing; of all others, their order.
    pub failed: Order,
    /// For whom it is atomic, and orders.
    pub scope: Scope,
    /// The memory that it orders, beside its own location.
    pub memory: Flags,
}

impl Ordering {
    /// That of an operation of this order and scope, on all memory.
    pub fn new(order: Order, scope: Scope) -> Self {
        Self { order, failed: order, scope, memory: MEMORY }
    }

    /// The memory of which what comes after takes note.
    pub fn acquires(self) -> Flags {
        if self.order.acquires() { self.memory & MEMORY } else { Flags::empty() }
    }

    /// The memory of which what came before is made known.
    pub fn releases(self) -> Flags {
        if self.order.releases() { self.memory & MEMORY } else { Flags::empty() }
    }

    /// Whether it orders other memory than its own location.
    pub fn orders_others(self) -> bool {
        let is_relaxed = self.order == Order::Relaxed && self.failed == Order::Relaxed;
        !is_relaxed && !(self.memory & MEMORY).is_empty()
    }
}

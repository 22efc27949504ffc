//! Locks (GPUHarbor, Sec. 5.3): tests whether common locks, written in WGSL, provide mutual exclusion.
//!
//! One invocation of each workgroup takes a lock a number of times and adds 1 to plain memory each time. WGSL has no
//! atomics with acquire or release, so none of these is a lock by its memory model. The tests count what a device does:
//! an addition is lost if two invocations were in the critical section at once, or if one did not see the update of
//! another.

#[cfg(feature = "gpu")]
mod device;
mod results;
mod shader;

pub use results::{LockCounters, LockRun, LockTiming, Locks, SCHEMA};

use serde::{Deserialize, Serialize};

/// The algorithm that takes a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Taking {
    /// Exchanges until the lock was free.
    TestAndSet,
    /// Loads until the lock is free, then exchanges.
    TestAndTestAndSet,
    /// Compare-exchanges from free to taken.
    CompareAndSwap,
    /// Takes no lock: a baseline for the others.
    Nothing,
}

/// A lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lock {
    /// The algorithm that takes it.
    pub taking: Taking,
    /// Whether there is a storage barrier after the lock is taken and before it is released, the only ordering that
    /// WGSL offers.
    pub fenced: bool,
}

impl Lock {
    /// All locks, by name.
    pub const NAMED: [(&str, Self); 7] = [
        ("tas", Self { taking: Taking::TestAndSet, fenced: false }),
        ("tas-fenced", Self { taking: Taking::TestAndSet, fenced: true }),
        ("ttas", Self { taking: Taking::TestAndTestAndSet, fenced: false }),
        ("ttas-fenced", Self { taking: Taking::TestAndTestAndSet, fenced: true }),
        ("cas", Self { taking: Taking::CompareAndSwap, fenced: false }),
        ("cas-fenced", Self { taking: Taking::CompareAndSwap, fenced: true }),
        ("none", Self { taking: Taking::Nothing, fenced: false }),
    ];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(_, known)| *known == self).map_or("none", |(name, _)| name)
    }
}

/// The load of a dispatch on a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Load {
    /// The number of workgroups, each of one invocation, that take the lock.
    pub workgroups: u32,
    /// The number of times that each of them takes it.
    pub acquisitions: u32,
    /// The number of iterations of the waiting loop after which an invocation gives up: WGSL does not guarantee that the owner of the lock makes
    /// progress.
    pub max_loop_iterations: u32,
}

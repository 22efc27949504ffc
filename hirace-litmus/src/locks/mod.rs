//! Locks (GPUHarbor, Sec. 5.3): whether the usual ones, in WGSL, keep anything apart.
//!
//! One invocation of each workgroup takes a lock so many times and adds 1 to plain memory each time. WGSL has no
//! atomics that acquire or release, so none of these is a lock by its memory model; what a device makes of them is counted:
//! what was not added was lost because two were in the critical section at once, or one did not see what another had left.

#[cfg(feature = "gpu")]
mod device;
mod results;
mod shader;

pub use results::{Held, LockRun, Locks, SCHEMA};

use serde::{Deserialize, Serialize};

/// How a lock is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Taking {
    /// An exchange, until it finds that the lock was free.
    TestAndSet,
    /// The same, where a load has seen it free.
    TestAndTestAndSet,
    /// A compare-exchange of free for taken.
    CompareAndSwap,
    /// Nobody waits: what the others are there for.
    Nothing,
}

/// A lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lock {
    /// How it is taken.
    pub taking: Taking,
    /// Whether a storage barrier stands after it was taken and before it is given back: all that WGSL offers.
    pub fenced: bool,
}

impl Lock {
    /// All of them, by their names.
    pub const NAMED: [(&str, Self); 7] = [
        ("tas", Self { taking: Taking::TestAndSet, fenced: false }),
        ("tas-fenced", Self { taking: Taking::TestAndSet, fenced: true }),
        ("ttas", Self { taking: Taking::TestAndTestAndSet, fenced: false }),
        ("ttas-fenced", Self { taking: Taking::TestAndTestAndSet, fenced: true }),
        ("cas", Self { taking: Taking::CompareAndSwap, fenced: false }),
        ("cas-fenced", Self { taking: Taking::CompareAndSwap, fenced: true }),
        ("none", Self { taking: Taking::Nothing, fenced: false }),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(_, known)| *known == self).map_or("none", |(name, _)| name)
    }
}

/// How much a dispatch asks of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Load {
    /// How many workgroups, each of one invocation, want it.
    pub workgroups: u32,
    /// How often each of them.
    pub times: u32,
    /// How many turns each waits before it gives up: nothing in WGSL says that who has the lock goes on.
    pub turns: u32,
}

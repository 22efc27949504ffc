//! Where what is read somewhere leads: marks that flow with values through expressions, variables, calls and memory, to
//! addresses, indices, stores and conditions.
//!
//! The analysis is flow-insensitive over variables taken as wholes, in any order of calls, to a fixpoint. So it says where a
//! value may lead, and what it does not name the value does not reach.

mod ends;
mod walk;

use crate::ir::sites::SiteId;
use crate::ir::walk::FunctionId;
use crate::program::Program;
use crate::source_map::Span;
use naga::{GlobalVariable, Handle};
use rustc_hash::FxHashMap;
use std::ops::{BitAnd, BitOr, BitOrAssign};

/// A set of things that something hangs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks(pub u64);

impl Marks {
    /// Nothing.
    pub const NONE: Self = Self(0);

    /// How many things have a place of their own.
    pub const MOST: usize = 64;

    /// The `index`-th thing. Those past the 64th share a place.
    pub fn nth(index: usize) -> Self {
        Self(1 << index.min(Self::MOST - 1))
    }

    /// Whether there is any.
    pub fn any(self) -> bool {
        self != Self::NONE
    }
}

impl BitOr for Marks {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitAnd for Marks {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOrAssign for Marks {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// Marks by global variable.
pub type ByGlobal = FxHashMap<Handle<GlobalVariable>, Marks>;

/// Where marks come from, and what hands them on.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// What global variables hold from the start.
    pub globals: ByGlobal,
    /// Lengths of buffers and sizes of textures.
    pub sizes: ByGlobal,
    /// What is read at these sites, whatever the memory holds.
    pub reads: FxHashMap<SiteId, Marks>,
    /// The marks that whatever is assigned under a condition takes over from that.
    pub by_control: Marks,
    /// Whether the left side of `&&` and `||`, and what `select` goes by, is a part of the value where a statement stands for
    /// them, as it is where an expression does.
    pub by_logic: bool,
    /// Whether loads of memory that invocations share have no marks but those of `reads`.
    pub not_through_shared: bool,
}

/// What a site hangs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteMarks {
    /// What it touches (for accesses).
    pub address: Marks,
    /// Whether it runs.
    pub control: Marks,
}

/// Where marks lead.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// By site.
    pub sites: Vec<SiteMarks>,
    /// Of what is no site and may be out of bounds, or fail: uses of private and function memory, and what the source
    /// claims, by span.
    pub spans: FxHashMap<Span, SiteMarks>,
    /// By site of a store: the value.
    pub stored: FxHashMap<SiteId, Marks>,
    /// By what is indexed, as the source has it: the index.
    pub indices: FxHashMap<Span, Marks>,
    /// By loop: what decides whether it ends.
    pub ends: FxHashMap<SiteId, Marks>,
}

impl Flow {
    /// Follows `sources` through what is reached from these entry points.
    pub fn of(program: &Program, entries: &[usize], sources: &Sources) -> Self {
        let entries = entries.iter().map(|&entry| FunctionId::Entry(entry));
        walk::fixpoint(program, &program.calls.reachable(entries), sources)
    }

    /// What a site hangs on.
    pub fn site(&self, site: SiteId) -> SiteMarks {
        self.sites.get(site.0 as usize).copied().unwrap_or_default()
    }
}

//! Data-flow analysis of marks: marks flow with values through expressions, variables, calls and memory to addresses,
//! indices, stores and conditions.
//!
//! The analysis is a fixpoint that is flow-insensitive, treats variables as wholes, and merges the contexts of calls.
//! It over-approximates: a value reaches nothing that is not marked.

mod loop_exits;
mod walk;

use crate::ir::sites::SiteId;
use crate::ir::walk::FunctionId;
use crate::program::Program;
use crate::source_map::Span;
use naga::{GlobalVariable, Handle};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::{BitAnd, BitOr, BitOrAssign};

/// A set of sources that a value depends on, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks(pub u64);

impl Marks {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// The number of sources that can be distinguished.
    pub const MAX_SOURCES: usize = 64;

    /// Returns the set of the `index`-th source. The 64th and all later ones share a bit.
    pub fn from_index(index: usize) -> Self {
        Self(1 << index.min(Self::MAX_SOURCES - 1))
    }

    /// Returns whether the set is not empty.
    pub fn has_any(self) -> bool {
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

/// The sources of marks, and what propagates them.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The initial contents of global variables.
    pub globals: ByGlobal,
    /// Members of uniforms without marks, by index, although the variable has marks.
    pub unmarked_members: FxHashSet<(Handle<GlobalVariable>, u32)>,
    /// The lengths of buffers and sizes of textures.
    pub sizes: ByGlobal,
    /// The number of workgroups, where an entry point gets it as an argument.
    pub num_workgroups: Marks,
    /// Values that are read at these sites, independently of the marks of the memory.
    pub reads: FxHashMap<SiteId, Marks>,
    /// The marks that a condition passes on to values that are assigned under it.
    pub by_control: Marks,
    /// Whether the left operand of `&&` and `||`, and the condition of `select`, pass their marks on to the result when
    /// they were lowered to statements, as they do in expressions.
    pub by_logic: bool,
    /// Whether loads from memory that invocations share have only the marks of `reads`.
    pub not_through_shared: bool,
}

/// Returns the marks of a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteMarks {
    /// What the accessed address depends on.
    pub address: Marks,
    /// What its execution depends on.
    pub control: Marks,
}

/// The result of the analysis: the marks of sites, stores, indices and loops.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// The marks of each site, by index.
    pub sites: Vec<SiteMarks>,
    /// The marks, by span, of what is not a site but may be out of bounds or fail: uses of private and function memory,
    /// and claims of the source.
    pub spans: FxHashMap<Span, SiteMarks>,
    /// The marks of the stored value, by site of the store.
    pub stored: FxHashMap<SiteId, Marks>,
    /// The marks of the index, by span of the indexing expression.
    pub indices: FxHashMap<Span, Marks>,
    /// The marks of the exit conditions, by site of the loop.
    pub ends: FxHashMap<SiteId, Marks>,
}

impl Flow {
    /// Propagates `sources` through the functions that are reachable from these entry points.
    pub fn analyze(program: &Program, entries: &[usize], sources: &Sources) -> Self {
        let entries = entries.iter().map(|&entry| FunctionId::Entry(entry));
        walk::fixpoint(program, &program.calls.reachable(entries), sources)
    }

    /// Returns the marks of a site.
    pub fn site(&self, site: SiteId) -> SiteMarks {
        self.sites.get(site.0 as usize).copied().unwrap_or_default()
    }
}

//! Views of naga's IR that everything else shares: the one enumerator of accesses, the one order of
//! statements, the one index of structure, who calls whom, sizes and names of memory; and how naga's own
//! validator and writer are asked.
//!
//! **Architecture invariant:** whoever needs to know what touches memory asks [`access`]; nobody
//! else decides what an access is. **Architecture invariant:** statements are numbered by [`walk`],
//! in one order, for every pass and executor. **Architecture invariant:** how statements nest and which arms
//! there are is found once, by [`body`].

pub mod access;
pub mod barrier;
pub mod bindings;
pub mod body;
pub mod calls;
pub mod claims;
pub mod globals;
pub mod graft;
pub mod guard;
pub mod layout;
pub mod memory;
pub mod moved;
pub mod naming;
pub mod operands;
pub mod order;
pub mod overrides;
pub mod rebuild;
pub mod scalars;
pub mod sites;
pub mod unused;
pub mod validate;
pub mod walk;
pub mod written;

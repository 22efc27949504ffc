//! Views of naga's IR that everything else shares: the one enumerator of accesses, the one order of
//! statements, sizes and names of memory.
//!
//! **Architecture invariant:** whoever needs to know what touches memory asks [`access`]; nobody
//! else decides what an access is. **Architecture invariant:** statements are numbered by [`walk`],
//! in one order, for every pass and executor.

pub mod access;
pub mod barrier;
pub mod bindings;
pub mod globals;
pub mod graft;
pub mod layout;
pub mod memory;
pub mod naming;
pub mod operands;
pub mod rebuild;
pub mod scalars;
pub mod sites;
pub mod walk;

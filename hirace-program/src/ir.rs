//! Views of naga's IR that the rest of the workspace shares: the enumeration of accesses, the numbering of statements, the
//! structure of function bodies, the call graph, sizes and names of memory, and safe calls to naga's validator and writer.
//!
//! **Architecture invariant:** only [`enumerate`] decides which statements and expressions access shared memory. **Architecture
//! invariant:** only [`walk`] numbers statements; every pass and executor uses its order. **Architecture invariant:** only
//! [`body`] determines how statements nest and which arms exist.
//!
//! **Architecture invariant:** naga's IR is the only intermediate representation between a front end and an executor. Passes
//! rewrite naga's modules, and the engine lowers them to flat code. **Architecture invariant:** only [`calls`] determines which
//! functions call which.

pub mod access;
pub mod barrier;
pub mod bindings;
pub mod body;
pub mod built_ins;
pub mod calls;
pub mod claims;
pub mod dataflow;
pub mod enumerate;
pub mod globals;
pub mod graft;
pub mod guard;
pub mod integers;
pub mod layout;
pub mod memory;
pub mod naming;
pub mod operands;
pub mod order;
pub mod overrides;
pub mod possible;
pub mod rebuild;
pub mod scalars;
pub mod sites;
pub mod spans;
pub mod unused;
pub mod validate;
pub mod walk;
pub mod wgsl_writer;

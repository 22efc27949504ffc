//! The embedded executor's engine: naga IR, lowered to flat code, run over the lanes of subgroups.
//!
//! It knows naga's IR and sites, not what is done with them: who wants to know what memory the run
//! touches hands it an [`observer::Observer`].
//!
//! ```text
//! lower     naga IR → Code: instructions over numbered registers, structured control flow
//! ops       what operators and built-in functions compute
//! engine    runs a fragment (some lanes of a subgroup that go together), until it has to wait
//! workgroup fragments, workgroup memory, barriers; fragments split and merge here
//! strategy  who starts, who runs next and for how long: serial, parallel, seeded; a file each
//! driver    the one loop that does what a strategy decides, and sees when nothing can go on
//! machine   the other way to run: single invocations, stepped from one visible operation to the next
//! deferred  whole subgroups whose operations on memory are performed later: simulated devices
//! interleave who does each of those steps: at random, by PCT, all orders, a recorded list; a file each
//! slice     code that touches the memory that other code touches, and computes nothing else
//! order     either of both as one value with one text, and a run of it
//! ```
//!
//! The state of a fragment and of a workgroup is a value, apart from buffers and from who watches. Whole
//! subgroups run on flat memory that they share ([`memory`]); single invocations ask whoever drives, who
//! may have a memory that can be rolled back ([`machine::UndoMemory`]) or another.
//!
//! # What is promised
//! - A run under a schedule is repeatable: memory, findings and what the observer sees depend on
//!   the code, the memory before, the subgroup size and the schedule alone.
//! - No lane starves another: a loop that goes on while other lanes of its subgroup wait lets them
//!   go, a fragment that waits for memory to change lets others run, and a workgroup that waits for
//!   another has that one started. A wait that nobody can end is known as such when the state of all
//!   that run repeats, not by a time limit; only loops whose own state changes run into that.
//! - Subgroup operations are among the lanes that are active in the source's control flow: lanes that
//!   were let go early come together before them.
//! - Barriers are released in a step of their own, by the rules of `workgroup/meet.rs`. An index past its
//!   end is noted at the access that uses it, and clamped.
//! - Stepped in the order of whole subgroups, single invocations do what those do: the same memory after,
//!   the same sites run, the same accesses seen.
//! - Subgroup operations and atomics take lanes in ascending order; loads and stores of one
//!   instruction are one step of the whole fragment.

mod alu;
pub mod atomic;
mod code;
pub mod deferred;
mod driver;
mod engine;
pub mod interleave;
mod limits;
pub mod lower;
pub mod machine;
pub mod memory;
pub mod observer;
pub mod ops;
pub mod order;
pub mod run;
pub mod schedule;
pub mod slice;
mod stored;
pub mod strategy;
#[cfg(test)]
mod tests;
mod workgroup;

pub use code::Code;

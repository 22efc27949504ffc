//! The embedded executor's engine: naga IR is lowered to flat code, which runs over the lanes of subgroups.
//!
//! The engine knows naga's IR and sites, but not what its caller checks: a caller that needs to see the
//! accesses of a run passes an [`observer::Observer`].
//!
//! ```text
//! lower      naga IR → Code: instructions over numbered registers, structured control flow
//! ops        what operators and built-in functions compute
//! engine     runs a fragment (lanes of a subgroup that run together) until it has to wait
//! workgroup  fragments, workgroup memory, barriers; splits and merges fragments
//! strategy   decides which workgroup starts, which runs next and for how long; one file per strategy
//! driver     the loop that carries out a strategy's decisions and detects that nothing can run
//! machine    the other way to run: single invocations, stepped from one visible operation to the next
//! deferred   whole subgroups whose memory operations are performed later: simulated devices
//! interleave chooses which invocation does each step: random, PCT, exhaustive, replay; one file each
//! slice      code reduced to the memory accesses of the original code
//! operands   which registers each instruction reads and writes, and the solver for analyses of registers
//! order      a schedule or an interleaving as one value, its text form, and how to run it
//! ```
//!
//! The state of a fragment and of a workgroup is a value, separate from buffers and observers. Whole
//! subgroups run on shared flat memory ([`memory`]). Single invocations request each memory operation from
//! their driver, which may use a memory that can be rolled back ([`machine::UndoMemory`]) or another memory
//! model.
//!
//! # Guarantees
//! - A run under a schedule is repeatable: memory, findings and what the observer sees depend only on the
//!   code, the initial memory, the subgroup size and the schedule.
//! - No lane starves another. A loop that continues while other lanes of its subgroup wait lets those lanes
//!   run; a fragment that waits for memory to change lets other fragments run; and a workgroup that waits for
//!   another workgroup causes that one to start. A wait that nothing can end is detected because the state of
//!   everything that runs repeats, not by a time limit. Only loops that keep changing the values that their exit depends on reach
//!   the step limit.
//! - Subgroup operations take place among the lanes that are active in the source's control flow: lanes that
//!   were split off rejoin before such an operation.
//! - A barrier is released in a step of its own, by the rules of `workgroup/synchronization.rs`. An index that is out of
//!   bounds is reported at the access that uses it, and clamped.
//! - Single invocations that are stepped in the order of whole subgroups behave like whole subgroups: the final memory, the
//!   executed sites and the observed accesses are the same.
//! - Subgroup operations and atomics process lanes in ascending order; the loads or stores of one instruction
//!   are one step of the whole fragment.
//!
//! Subgroups have 1 to 64 lanes. Only some Adreno GPUs have 128, and supporting these would double the width
//! of every mask.

mod alu;
pub mod atomic;
mod code;
pub mod deferred;
pub mod driver;
mod engine;
pub mod interleave;
mod limits;
pub mod lower;
pub mod machine;
pub mod memory;
pub mod observer;
mod operands;
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
pub use engine::unused_reads::ReadFollower;

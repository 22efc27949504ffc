//! A test as JSON, that users write: the format of the litmus tests' generator of MC Mutants, and more.
//!
//! ```json
//! {
//!   "testName": "message-passing",
//!   "testType": "inter_workgroup",
//!   "memoryType": "atomic_storage",
//!   "threads": [
//!     { "actions": [
//!       { "action": "write", "memoryLocation": "x", "value": 1 },
//!       { "action": "write", "memoryLocation": "y", "value": 1 } ] },
//!     { "actions": [
//!       { "action": "read", "memoryLocation": "y", "variable": "r0" },
//!       { "action": "read", "memoryLocation": "x", "variable": "r1" } ] }
//!   ],
//!   "behaviors": {
//!     "weak": { "type": "op", "op": "and", "conditions": [
//!       { "type": "variable", "id": "r0", "value": 1 },
//!       { "type": "variable", "id": "r1", "value": 0 } ] }
//!   }
//! }
//! ```
//!
//! - `testType` is `inter_workgroup` or `intra_workgroup`; `memoryType` is `atomic_storage`, `non_atomic_storage`,
//!   `atomic_workgroup` or `non_atomic_workgroup`. If not given they are as above.
//! - `action` is `read`, `write`, `fence`, or `barrier`, which is a fence too. With `useRMW` a read is an `atomicAdd` of 0, a
//!   write an `atomicExchange`. `memoryOrder` is `relaxed`, and of fences also `acq_rel`.
//! - Of `behaviors` that called `weak`, by its name or by its `key`, is what is looked for; of several, any of them. The
//!   others are read and are not needed: what an outcome is, the model says. `{"type": "else"}` is what none of the other
//!   behaviors is.
//! - Locations and variables are numbered in the order of their names, `r2` before `r10`. A location is 0 at first.
//!
//! More than the generator takes:
//!
//! - `{"action": "add", "memoryLocation", "value", "variable"}`: `atomicAdd`;
//! - `{"action": "wait"}`: a barrier at which the threads of the test wait for each other;
//! - `"op": "or"`, and `"op": "not"` of one condition;
//! - `kind`, which is `conformance`, `mutant` or `observation`, with `mutator` and `mutantOf`, which names the conformance
//!   test. Where it is not given, what some version of the specification forbids is a conformance test.
//!
//! All executions are enumerated, so sizes have limits: [`limits`].

mod condition;
mod json;
pub mod limits;
mod names;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use read::read;
pub use write::{Action, Behavior, Definition, Thread};

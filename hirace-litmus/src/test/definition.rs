//! Test definitions as JSON, which users write: the format of the litmus test generator of MC Mutants, with extensions.
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
//!   `atomic_workgroup` or `non_atomic_workgroup`. The defaults are the values above.
//! - `action` is `read`, `write`, `fence`, or `barrier`, which is also a fence. With `useRMW` a read is an `atomicAdd`
//!   of 0, and a write is an `atomicExchange`. `memoryOrder` is `relaxed`; a fence may also have `acq_rel`.
//! - The behavior named `weak`, by its name or by its `key`, is the condition of the test. If there are several, any of
//!   them meets the condition. The other behaviors are checked but not used: the model classifies outcomes.
//!   `{"type": "else"}` is every outcome that no other behavior matches.
//! - Locations and variables are numbered in the order of their names, `r2` before `r10`. Locations are initially 0.
//!
//! Extensions to the format of the generator:
//!
//! - `{"action": "add", "memoryLocation", "value", "variable"}`: `atomicAdd`;
//! - `{"action": "wait"}`: a barrier at which the threads of the test wait for each other;
//! - `"op": "or"`, and `"op": "not"` of one condition;
//! - `kind`, which is `conformance`, `mutant` or `observation`, with `mutator` and `mutantOf`, which names the
//!   conformance test. Without `kind`, a test is a conformance test if some version of the specification forbids its
//!   condition.
//!
//! All executions are enumerated, so sizes have [`limits`].

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

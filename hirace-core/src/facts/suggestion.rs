//! How a finding could be fixed, as specific as can be said without being wrong.

use super::barrier::{Barrier, Class};
use super::varying::Varying;

/// A way to fix a finding. Lines are of the source.
#[derive(Clone, Debug, PartialEq)]
pub enum Suggestion {
    /// Fix the access out of bounds first, which this race may come of.
    FixBoundsFirst,
    /// Call a barrier of this class beside the one on this line, which orders other memory.
    AlsoCall {
        /// The class.
        class: Class,
        /// The line.
        line: u32,
    },
    /// Call a barrier between two lines.
    CallBetween {
        /// Its class.
        class: Class,
        /// The lines.
        lines: [u32; 2],
        /// And again at the end of the body of the loop around both, after this line.
        at_loop_end: Option<u32>,
    },
    /// Call a barrier somewhere between two lines (of two functions), where all invocations pass.
    CallWhereAllPass {
        /// Its class.
        class: Class,
        /// The lines.
        lines: [u32; 2],
    },
    /// Call a barrier at the end of the body of the loop around both accesses.
    CallAtLoopEnd {
        /// Its class.
        class: Class,
        /// The last line of the body, if it has one.
        after: Option<u32>,
    },
    /// See that all invocations pass the barrier that stands between two lines.
    ReachBarrier {
        /// Its class.
        class: Class,
        /// The lines.
        lines: [u32; 2],
    },
    /// Split a branching statement in two, with a barrier between them.
    SplitBranch {
        /// The barrier's class.
        class: Class,
        /// The statement's keyword.
        keyword: &'static str,
        /// Its line.
        line: u32,
    },
    /// Restructure, so that all invocations come to a barrier between the two accesses.
    Restructure {
        /// The barrier's class.
        class: Class,
        /// The lines of the accesses, in order.
        lines: [u32; 2],
        /// What decides now who comes there.
        origin: Varying,
    },
    /// Read into a variable, then call a barrier of this class, then write.
    ReadFirst(Class),
    /// Let one invocation write, or give each an element of its own.
    OneWriter {
        /// If the writes are of different turns of a loop: a barrier at its end, after this line, orders them.
        turns: Option<(Class, Option<u32>)>,
    },
    /// Give both atomics the scope of the device.
    DeviceScope,
    /// Make both accesses atomic.
    MakeBothAtomic,
    /// Let one invocation write the whole vector, or store its components apart.
    WholeVector,
    /// Make an update one atomic operation.
    UseAtomic {
        /// What is to be made atomic.
        target: AtomicTarget,
        /// The operation.
        function: AtomicFunction,
        /// The place it is done to, as the source writes it.
        place: String,
        /// The line of the update.
        line: u32,
    },
    /// Make a variable atomic, and update it by compare and exchange in a loop.
    CompareExchange(String),
    /// Combine the values of workgroups in another dispatch: no atomics for the type of this variable.
    Combine(String),
    /// Run each turn of the loop on this line as a dispatch of its own, or use two buffers in turn.
    DispatchEachTurn(u32),
    /// Let one workgroup write this element of a variable, or give each one of its own.
    OneWorkgroupWrites(String),
    /// Write to a second buffer instead of back to this variable.
    SecondBuffer(String),
    /// Split the kernel in two dispatches.
    SplitKernel {
        /// The line of what goes to the first.
        first: u32,
        /// Likewise the second.
        second: u32,
    },
    /// Do not return on this line, but come to the barrier.
    DoNotReturn(u32),
    /// Put one barrier where all pass in the place of these two.
    OneBarrier([Barrier; 2]),
    /// Move a barrier out of a branch or loop.
    MoveBarrierOut {
        /// Whether it is a loop.
        of_loop: bool,
        /// Its line.
        line: u32,
        /// What it hangs on.
        origin: Varying,
    },
    /// Move the barrier to where all invocations pass.
    MoveBarrier,
    /// Leave an access out where its index is not below the length of this runtime-sized array.
    GuardLength(String),
    /// Leave an access out where its index is past the last element; there may be none at all.
    GuardLast(Option<u32>),
    /// Load under an `if`: `select` evaluates both of its values.
    SelectEvaluatesBoth {
        /// Whether the function has subgroup operations, which have to stay outside of the `if`.
        subgroups: bool,
    },
    /// See that arithmetic stays in range, or use the method of `std` that wraps: `add`, `sub` or `mul`.
    StayInRange(&'static str),
    /// Do not wait in a loop for another invocation: put what comes after into a later dispatch.
    DoNotWait,
    /// See that each turn of the loop comes nearer to its end.
    ComeToAnEnd,
}

/// What has to become atomic for an update to be one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AtomicTarget {
    /// The elements of this array.
    Elements(String),
    /// This variable, or member.
    Place(String),
}

/// An operation that can be done atomically.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicFunction {
    /// Addition.
    Add,
    /// Subtraction.
    Sub,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// The lesser.
    Min,
    /// The greater.
    Max,
}

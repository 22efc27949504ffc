//! Suggestions: ways to fix a finding, as specific as the analysis can justify.

use super::barrier::{Barrier, BarrierClass};
use super::varying::Varying;
use crate::edit::Edit;

/// A way to fix a finding. All line numbers are lines of the source.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Suggestion {
    /// A change that was tried: the launch was run with the change, the finding disappeared, and no new finding appeared.
    Checked {
        /// The change.
        change: Box<Suggestion>,
        /// Whether the launch has no findings with the change.
        is_clean: bool,
    },
    /// Fix the access out of bounds first, because it may cause this race.
    FixBoundsFirst,
    /// Call a barrier of this class next to the barrier on this line, which orders other memory.
    AlsoCall {
        /// The class of the barrier to add.
        class: BarrierClass,
        /// The line of the existing barrier.
        line: u32,
    },
    /// Call a barrier between two lines.
    CallBetween {
        /// The class of the barrier.
        class: BarrierClass,
        /// The lines.
        lines: [u32; 2],
        /// The line after which to call the barrier again, at the end of the body of the loop that encloses both lines.
        at_loop_end: Option<u32>,
    },
    /// Call a barrier before a statement that comes before the second access and after which not all invocations continue.
    CallBefore {
        /// The class of the barrier.
        class: BarrierClass,
        /// The keyword of the statement, if it begins with one.
        keyword: Option<&'static str>,
        /// The line of the statement.
        line: u32,
    },
    /// Call a barrier between two lines of two functions, at a point that all invocations reach.
    CallWhereAllPass {
        /// The class of the barrier.
        class: BarrierClass,
        /// The lines.
        lines: [u32; 2],
    },
    /// Call a barrier at the end of the body of the loop that encloses both accesses.
    CallAtLoopEnd {
        /// The class of the barrier.
        class: BarrierClass,
        /// The last line of the loop body, if it has one.
        after: Option<u32>,
    },
    /// Call a barrier at the beginning of the body of the loop that encloses both accesses.
    CallAtLoopStart {
        /// The class of the barrier.
        class: BarrierClass,
        /// The first line of the loop body.
        before: u32,
    },
    /// Call a barrier after the later access, in the body of the loop that encloses both accesses.
    CallAfter {
        /// The class of the barrier.
        class: BarrierClass,
        /// The line of the access.
        line: u32,
    },
    /// Make all invocations reach the barrier between two lines.
    ReachBarrier {
        /// The class of the barrier.
        class: BarrierClass,
        /// The lines.
        lines: [u32; 2],
    },
    /// Split a branching statement in two, with a barrier between the parts.
    SplitBranch {
        /// The class of the barrier.
        class: BarrierClass,
        /// The keyword of the statement.
        keyword: &'static str,
        /// The line of the statement.
        line: u32,
    },
    /// Restructure the code so that all invocations reach a barrier between the two accesses.
    Restructure {
        /// The class of the barrier.
        class: BarrierClass,
        /// The lines of the accesses, in source order.
        lines: [u32; 2],
        /// The value that decides which invocations reach the accesses; `None` if all invocations reach it.
        origin: Option<Varying>,
    },
    /// Read into a variable, then call a barrier, then write.
    ReadFirst {
        /// The class of the barrier.
        class: BarrierClass,
        /// The line after which to call the barrier again, at the end of the body of the enclosing loop.
        at_loop_end: Option<u32>,
    },
    /// Let only one invocation write, or give each invocation an element of its own.
    OneWriter {
        /// The barrier at the end of the loop, after this line, which orders writes of different iterations.
        loop_end_barrier: Option<(BarrierClass, Option<u32>)>,
    },
    /// Give both atomics device scope.
    DeviceScope,
    /// Make both accesses atomic.
    MakeBothAtomic,
    /// Let one invocation write the whole vector, or store its components in separate scalars.
    WholeVector,
    /// Replace an update by one atomic operation.
    UseAtomic {
        /// The memory that has to become atomic.
        target: AtomicTarget,
        /// The atomic operation.
        function: AtomicFunction,
        /// The updated place, in the syntax of the source.
        place: String,
        /// The line of the update.
        line: u32,
    },
    /// Make a variable atomic, and update it by compare-and-exchange in a loop.
    CompareExchange(String),
    /// Combine the values of the workgroups in another dispatch, because the type of this variable has no atomics.
    Combine(String),
    /// Run each iteration of the loop on this line as a separate dispatch, or alternate between two buffers.
    DispatchEachIteration(u32),
    /// Let only one workgroup write this element of a variable, or give each workgroup an element of its own.
    OneWorkgroupWrites(String),
    /// Pass data on by the atomic itself, or in a later dispatch, because the atomic orders no other memory.
    PassByAtomic {
        /// The variable whose atomics were meant to order the accesses.
        flag: String,
        /// The variable that holds the data.
        data: String,
    },
    /// Use a component of the invocation id that the kernel ignores, or remove this dimension of the workgroup.
    UseDimension {
        /// The name of the id in the source, if it is a parameter of the entry point.
        id: Option<String>,
        /// The dimension: 0, 1 or 2 for x, y or z.
        dimension: usize,
        /// The workgroup size without the dimension.
        size: [u32; 3],
    },
    /// Write to a second buffer instead of back to this variable.
    SecondBuffer(String),
    /// Split the kernel into two dispatches.
    SplitKernel {
        /// The line of the access that belongs to the first dispatch.
        first: u32,
        /// The line of the access that belongs to the second dispatch.
        second: u32,
    },
    /// Continue to the barrier instead of returning on this line.
    DoNotReturn(u32),
    /// Replace these two barriers by one that all invocations reach.
    OneBarrier([Barrier; 2]),
    /// Move a barrier out of a branch or loop.
    MoveBarrierOut {
        /// Whether the statement is a loop.
        of_loop: bool,
        /// The line of the statement.
        line: u32,
        /// The value that decides which invocations enter the statement.
        origin: Varying,
        /// Whether to move the barrier to after the statement, or to before it; `None` if that depends on the kernel.
        to_after: Option<bool>,
    },
    /// Move the barrier to a point that all invocations reach.
    MoveBarrier,
    /// Skip an access if its index is not below the length of this runtime-sized array.
    GuardLength(String),
    /// Skip an access if its index is past this last index; `None` if the array has no elements.
    GuardLast(Option<u32>),
    /// Move the load under an `if`, because `select` evaluates both of its values.
    SelectEvaluatesBoth {
        /// Whether the function has subgroup operations, which have to stay outside the `if`.
        subgroups: bool,
    },
    /// Keep the arithmetic in range, or use the wrapping method of `std`: `add`, `sub` or `mul`.
    StayInRange(&'static str),
    /// Move the code after the waiting loop into a later dispatch, instead of waiting for another invocation.
    DoNotWait,
    /// Make sure that the loop terminates.
    EnsureTermination,
}

impl Suggestion {
    /// Returns whether the suggestion is to replace an update by an atomic operation.
    pub(crate) fn is_atomic(&self) -> bool {
        match self {
            Self::Checked { change, .. } => change.is_atomic(),
            _ => matches!(self, Self::UseAtomic { .. }),
        }
    }
}

/// Edits of the source that fix a finding. They were applied to the text, and the launch that showed the finding was run with the
/// result: the finding is gone, and no new one appeared.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fix {
    /// The edits, in the order of the text. They must be applied together.
    pub edits: Vec<Edit>,
}

impl Fix {
    #[doc(hidden)]
    pub fn new(edits: Vec<Edit>) -> Self {
        Self { edits }
    }
}

/// The memory that has to become atomic for an atomic update.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AtomicTarget {
    /// The elements of this array.
    Elements(String),
    /// This variable or member.
    Place(String),
}

/// An atomic read-modify-write operation of WGSL. Exchange and compare-exchange are not listed.
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
    /// Minimum.
    Min,
    /// Maximum.
    Max,
}

//! The interface between the explorer and a program: each invocation requests one visible operation at a time, and the
//! explorer answers reads.
//!
//! A litmus test and a kernel on a small grid are both programs. The memory model defines the meaning of operations. A
//! program only lists its operations, and for each of them the reads of the same invocation on which it depends.

pub use hirace_core::ir::order::{MemoryOrder, Scope};
use std::hash::Hash;

/// A memory location that is read and written as a whole: a word of a buffer or of a workgroup's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location(pub u64);

/// The bits that a location holds.
pub type Value = u64;

/// The position of an invocation in the scope hierarchy: the indices of the scope instances that contain it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScopePosition {
    /// The index of the subgroup.
    pub subgroup: u32,
    /// The index of the workgroup.
    pub workgroup: u32,
    /// The index of the queue family.
    pub queue_family: u32,
    /// The index of the device.
    pub device: u32,
}

impl ScopePosition {
    /// Returns whether both invocations are in the same instance of `scope`.
    pub fn share(self, other: Self, scope: Scope) -> bool {
        let key = |of: Self| match scope {
            Scope::Subgroup => Some((0, of.subgroup)),
            Scope::Workgroup => Some((1, of.workgroup)),
            Scope::QueueFamily => Some((2, of.queue_family)),
            Scope::Device => Some((3, of.device)),
            Scope::System => None,
        };
        key(self) == key(other)
    }
}

/// A storage class, as named by synchronization operations. In WGSL: storage, workgroup memory and textures. In a test
/// of Vulkan's model: `sc0` and so on. Classes are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Class(pub u8);

/// A set of storage classes, one bit per class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Classes(pub u32);

impl Classes {
    /// All classes.
    pub const ALL: Self = Self(u32::MAX);

    /// Returns whether the set contains `class`.
    pub fn has(self, class: Class) -> bool {
        self.0 >> class.0 & 1 == 1
    }
}

/// The attributes of an atomic operation, a fence or a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Atomic {
    /// The memory order.
    pub order: MemoryOrder,
    /// The scope within which it is atomic and orders memory.
    pub scope: Scope,
    /// The storage classes that it orders.
    pub orders: Classes,
}

/// An access to one location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// The location.
    pub location: Location,
    /// The storage class of the location.
    pub class: Class,
    /// The atomic attributes; `None` for a plain access.
    pub atomic: Option<Atomic>,
    /// For a plain access: the scope for which a write is made available, or a read visible (Vulkan's `av` and `vis`).
    pub available: Option<Scope>,
}

/// The operation of an atomic read-modify-write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Update {
    /// Adds a value, modulo two to the power of the second field.
    Add(Value, u32),
    /// Stores the smaller of both values, unsigned.
    Min(Value),
    /// Stores the larger of both values, unsigned.
    Max(Value),
    /// Stores the bitwise and.
    And(Value),
    /// Stores the bitwise or.
    Or(Value),
    /// Stores the bitwise exclusive or.
    Xor(Value),
    /// Stores the value.
    Exchange(Value),
    /// Stores `with` if the old value is `expected`; otherwise it only reads.
    CompareExchange {
        /// The value to compare with.
        expected: Value,
        /// The value to store.
        with: Value,
        /// The memory order of the read if the comparison fails.
        failed: MemoryOrder,
    },
    /// Stores the result of a program-defined operation, which is identified by its number. See [`Program::apply_custom`].
    Custom(u32),
}

impl Update {
    /// Returns the value that the update stores over `found`, or `None` if it writes nothing. `own` computes
    /// program-defined operations.
    pub fn apply(self, found: Value, own: impl FnOnce(u32) -> Value) -> Option<Value> {
        Some(match self {
            Self::Add(value, bits) => {
                found.wrapping_add(value) & Value::MAX >> (64 - bits.clamp(1, 64))
            }
            Self::Min(value) => found.min(value),
            Self::Max(value) => found.max(value),
            Self::And(value) => found & value,
            Self::Or(value) => found | value,
            Self::Xor(value) => found ^ value,
            Self::Exchange(value) => value,
            Self::CompareExchange { expected, with, .. } => {
                return (found == expected).then_some(with);
            }
            Self::Custom(number) => own(number),
        })
    }
}

/// The next visible operation of an invocation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Reads; the answer is the value.
    Read(Access),
    /// Writes a value.
    Write(Access, Value),
    /// Reads and writes atomically; the answer is the old value.
    Update(Access, Update),
    /// Orders the operations of the invocation for the others in its scope.
    Fence(Atomic),
    /// Waits until all invocations of the subgroup or workgroup are at the barrier with this number, with the effect of
    /// an acquire and a release by all of them. All invocations that wait together must wait at the same barrier.
    Barrier {
        /// The group that waits: [`Scope::Subgroup`] or [`Scope::Workgroup`].
        group: Scope,
        /// The identity of the barrier: its site in a kernel, its number in a litmus test.
        barrier: u32,
        /// What the barrier orders, and how; `None` if it orders nothing.
        orders: Option<Atomic>,
    },
    /// Makes everything that is available to the invocation available to its device (`avdevice`), or everything that is
    /// available to the device visible to the invocation (`visdevice`).
    ToDevice {
        /// Whether this is `visdevice`.
        visible: bool,
    },
    /// An assertion that does not hold. The invocation continues.
    AssertionFailure,
    /// The invocation repeats a loop iteration without changing state. It can leave the loop only if one of these reads
    /// returns another value. The reads are given by their indices among the invocation's own reads.
    Spins(Vec<u32>),
    /// The invocation has reached a bound. What follows is not explored.
    Limit,
    /// The invocation has ended.
    End,
}

impl Operation {
    /// Returns the access of this operation, if it makes one.
    pub fn access(&self) -> Option<&Access> {
        match self {
            Self::Read(access) | Self::Write(access, _) | Self::Update(access, _) => Some(access),
            _ => None,
        }
    }
}

/// An operation and the reads on which it depends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The operation.
    pub operation: Operation,
    /// The invocation's own reads (updates included) on which the address, the value or the execution of the operation
    /// depends syntactically, as ascending indices among its reads.
    pub depends: Vec<u32>,
    /// The subset of reads that decide the control flow up to this step: the reads on which the conditions of all
    /// branches so far depend. This set only grows from step to step. As long as these reads return the same values,
    /// the steps so far are of the same kinds and at the same sites.
    pub control: Vec<u32>,
    /// The site in the program, in the program's own numbering.
    pub site: u32,
}

/// A program whose executions are explored.
pub trait Program: Sync {
    /// The state of an invocation. It is copied wherever the exploration may backtrack to it.
    type State: Clone + Eq + Hash + Send + Sync;

    /// Returns the position of each invocation in the scope hierarchy.
    fn invocations(&self) -> &[ScopePosition];

    /// Returns the number of storage classes to distinguish: 1 if no operation orders some classes and not others.
    fn classes(&self) -> u8 {
        1
    }

    /// Returns the initial value of a location.
    fn initial(&self, location: Location) -> Value;

    /// Returns the state of an invocation before its first operation.
    fn start(&self, invocation: usize) -> Self::State;

    /// Runs an invocation to its next visible operation. `answer` is the result of its previous operation if that was a
    /// read or an update.
    fn step(&self, invocation: usize, state: &mut Self::State, answer: Option<Value>) -> Step;

    /// Returns whether both invocations run the same code from the same state, so that exchanging them in an execution
    /// gives another execution.
    fn alike(&self, one: usize, other: usize) -> bool {
        one == other
    }

    /// Returns whether the result of the read or update at which `state` waits is never used.
    fn is_result_unused(&self, invocation: usize, state: &Self::State) -> bool {
        let _ = (invocation, state);
        false
    }

    /// Returns the postconditions that do not hold for this final memory: the number of each, with the locations on
    /// whose values it depends.
    fn failed_postconditions(
        &self,
        memory: &dyn Fn(Location) -> Value,
    ) -> Vec<(u32, Vec<Location>)> {
        let _ = memory;
        Vec::new()
    }

    /// Returns whether two [program-defined](Update::Custom) updates store the same value in either order.
    fn commute(&self, one: u32, other: u32) -> bool {
        let _ = (one, other);
        false
    }

    /// Returns the value that a [program-defined](Update::Custom) update stores over `found`.
    fn apply_custom(&self, number: u32, found: Value) -> Value {
        let _ = number;
        found
    }
}

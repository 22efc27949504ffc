//! What is explored: invocations that ask, one visible operation at a time, and are answered.
//!
//! A litmus test and a kernel on a small grid are both such programs. What operations mean is the memory model's to
//! say; a program only says which there are, and on which of an invocation's own reads each of them depends.

pub use hirace_core::ir::order::{Order, Scope};
use std::hash::Hash;

/// Some memory that is read and written as a whole: a word of one buffer, or of one workgroup's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location(pub u64);

/// The bits that a location holds.
pub type Value = u64;

/// Where an invocation is, by the index of each group among all of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Whereabouts {
    /// Its subgroup.
    pub subgroup: u32,
    /// Its workgroup.
    pub workgroup: u32,
    /// Its queue family.
    pub queue_family: u32,
    /// Its device.
    pub device: u32,
}

impl Whereabouts {
    /// Whether both are in one instance of `scope`.
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

/// A kind of memory, as synchronisation names it. In WGSL: storage, workgroup memory, textures; in a test of Vulkan's
/// model: `sc0` and so on. Kinds are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Class(pub u8);

/// A set of kinds of memory: one bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Classes(pub u32);

impl Classes {
    /// All kinds.
    pub const ALL: Self = Self(u32::MAX);

    /// Whether it names `class`.
    pub fn has(self, class: Class) -> bool {
        self.0 >> class.0 & 1 == 1
    }
}

/// What is atomic about an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Atomic {
    /// How it orders.
    pub order: Order,
    /// For whom it is atomic, and ordered.
    pub scope: Scope,
    /// What it orders.
    pub orders: Classes,
}

/// An access to one location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// The location.
    pub location: Location,
    /// The kind of memory that it is in.
    pub class: Class,
    /// How it is atomic; `None` if it is plain.
    pub atomic: Option<Atomic>,
    /// Of a plain one: for whom it makes available what it writes, or visible what it reads (Vulkan's `av` and `vis`).
    pub available: Option<Scope>,
}

/// What an atomic read-modify-write does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Update {
    /// Adds, with wrap-around at this many bits.
    Add(Value, u32),
    /// Leaves the lesser, unsigned.
    Min(Value),
    /// Leaves the greater, unsigned.
    Max(Value),
    /// Leaves the bits that are in both.
    And(Value),
    /// Leaves the bits that are in either.
    Or(Value),
    /// Leaves the bits that are in one.
    Xor(Value),
    /// Leaves this.
    Exchange(Value),
    /// Leaves `with` if it finds `expected`; else it is a read alone.
    CompareExchange {
        /// What must be there.
        expected: Value,
        /// What then is there.
        with: Value,
        /// How the read orders if something else is there.
        failed: Order,
    },
    /// Leaves what the program makes of what it finds: an operation of the program's own, by its number.
    Own(u32),
}

impl Update {
    /// What it leaves of what it finds; none, if it writes nothing. `own` says what one of the program's own does.
    pub fn left(self, found: Value, own: impl FnOnce(u32) -> Value) -> Option<Value> {
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
            Self::Own(number) => own(number),
        })
    }
}

/// The next visible operation of an invocation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// It reads, and is answered what.
    Read(Access),
    /// It writes.
    Write(Access, Value),
    /// It reads and writes at once, and is answered what was there before.
    Update(Access, Update),
    /// It orders its own operations, for others in `scope`.
    Fence(Atomic),
    /// It waits until all of its subgroup or workgroup are at a barrier of this number, and is ordered as by an
    /// acquire and release of all of them. All that wait there must be at the same one.
    Barrier {
        /// Who waits: [`Scope::Subgroup`] or [`Scope::Workgroup`].
        waits: Scope,
        /// Which barrier: its site in a kernel, its number in a litmus test.
        barrier: u32,
        /// What it orders, and how; `None` if nothing.
        orders: Option<Atomic>,
    },
    /// It makes all that was made available to it so to its device (`avdevice`), or visible from there (`visdevice`).
    ToDevice {
        /// Which of the two.
        visible: bool,
    },
    /// What it claims does not hold. It goes on.
    Fails,
    /// It goes round in a loop without a change, and nothing that it read last would let it out but another value of
    /// one of these reads (their indices among its own).
    Spins(Vec<u32>),
    /// It has run as far as it may: what comes after is not explored.
    Limit,
    /// It is done.
    End,
}

impl Operation {
    /// The access that it makes, if it makes one.
    pub fn access(&self) -> Option<&Access> {
        match self {
            Self::Read(access) | Self::Write(access, _) | Self::Update(access, _) => Some(access),
            _ => None,
        }
    }
}

/// An operation, with what it hangs on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// What is done.
    pub operation: Operation,
    /// The invocation's own reads (updates included), by their index among them, on which its address, its value, or
    /// whether it is done at all depends syntactically. Ascending.
    pub depends: Vec<u32>,
    /// Those of them on which hangs which way the invocation went to come here: what the conditions of all branches so
    /// far depend on, so that it only grows from step to step. Until one of them is answered otherwise, the steps so
    /// far are of the same kind, in the same places.
    pub control: Vec<u32>,
    /// Where in the program, as the program numbers its places.
    pub site: u32,
}

/// What is explored.
pub trait Program: Sync {
    /// Where an invocation stands. Copied wherever the exploration may come back to it.
    type State: Clone + Eq + Hash + Send + Sync;

    /// Where each invocation is.
    fn invocations(&self) -> &[Whereabouts];

    /// How many kinds of memory it has; one, if nothing in it orders some of them and not others.
    fn classes(&self) -> u8 {
        1
    }

    /// What a location holds before anything is written there.
    fn initial(&self, location: Location) -> Value;

    /// An invocation before its first operation.
    fn start(&self, invocation: usize) -> Self::State;

    /// Runs it to its next visible operation. `answer` is what the last one, if a read or an update, returned.
    fn step(&self, invocation: usize, state: &mut Self::State, answer: Option<Value>) -> Step;

    /// Whether both run the same code from the same state, so that an execution with the two exchanged is one, too.
    fn alike(&self, one: usize, other: usize) -> bool {
        one == other
    }

    /// Whether the answer to the read or update in which `state` waits is looked at nowhere.
    fn forgets(&self, invocation: usize, state: &Self::State) -> bool {
        let _ = (invocation, state);
        false
    }

    /// What is claimed of memory when all invocations are done, and does not hold of what these locations hold: each claim
    /// by its number, with the locations on whose values that hangs.
    fn unmet(&self, memory: &dyn Fn(Location) -> Value) -> Vec<(u32, Vec<Location>)> {
        let _ = memory;
        Vec::new()
    }

    /// Whether two updates of the program's [own](Update::Own) leave the same in either order.
    fn commute(&self, one: u32, other: u32) -> bool {
        let _ = (one, other);
        false
    }

    /// What an update of the program's [`own`](Update::Own) leaves, of what it finds.
    fn own(&self, number: u32, found: Value) -> Value {
        let _ = number;
        found
    }
}

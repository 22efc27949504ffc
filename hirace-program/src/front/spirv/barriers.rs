//! What the barriers of a module order: by their scopes and semantics, and the fences beside them.
//!
//! | instruction                                    | what it does here                                     |
//! |------------------------------------------------|-------------------------------------------------------|
//! | `OpControlBarrier`, acquire and release        | gathers its execution scope, and orders the memory that it names among the invocations of its memory scope |
//! | `OpControlBarrier` without either of the two   | gathers, and orders nothing by itself                 |
//! | `OpMemoryBarrier` before a control barrier     | orders the memory that it names, if nothing between the two touches that: as in GLSL `memoryBarrierBuffer(); barrier();` |
//! | `OpMemoryBarrier` elsewhere                    | nothing                                               |

use super::declared::Declared;
use super::words::{Instruction, Words};
use crate::ir::barrier::{Barrier, Gathers, MEMORY};
use naga::Barrier as Flags;
use rspirv::spirv::{MemorySemantics, Op, Scope, StorageClass};
use rustc_hash::FxHashMap;

/// The number that naga writes for itself.
const NAGA: u32 = 28;

/// The barriers of a module, by instruction.
#[derive(Clone, Debug, Default)]
pub struct Barriers {
    /// What control barriers do.
    pub control: FxHashMap<usize, Barrier>,
    /// Fences that order what atomics around them may publish, and no control barrier takes up.
    pub fences: Vec<usize>,
}

/// What a scope and semantics ask for.
#[derive(Clone, Copy, Default)]
struct Order {
    /// Memory whose earlier accesses are made known.
    releases: Flags,
    /// Memory of which later accesses take note.
    acquires: Flags,
    scope: u32,
}

/// The classes that fences ask to be ordered: among a workgroup, and among a subgroup.
#[derive(Clone, Copy, Default)]
struct Fenced {
    in_workgroup: (Flags, Flags),
    in_subgroup: (Flags, Flags),
}

impl Fenced {
    fn add(&mut self, order: Order) {
        if reaches(order.scope, Scope::Workgroup) {
            self.in_workgroup.0 |= order.releases;
            self.in_workgroup.1 |= order.acquires;
        }
        if reaches(order.scope, Scope::Subgroup) {
            self.in_subgroup.0 |= order.releases;
            self.in_subgroup.1 |= order.acquires;
        }
    }

    fn forget(&mut self, memory: Flags) {
        for (releases, acquires) in [&mut self.in_workgroup, &mut self.in_subgroup] {
            *releases -= memory;
            *acquires -= memory;
        }
    }
}

/// Whether a memory scope takes in all of `inner`.
fn reaches(scope: u32, inner: Scope) -> bool {
    let rank = |scope: u32| match Scope::from_u32(scope) {
        Some(Scope::CrossDevice) => 5,
        Some(Scope::Device) => 4,
        Some(Scope::QueueFamily) => 3,
        Some(Scope::Workgroup) => 2,
        Some(Scope::Subgroup) => 1,
        _ => 0,
    };
    rank(scope) >= rank(inner as u32)
}

impl Barriers {
    /// Reads the barriers of `words`.
    pub fn read(words: &Words, declared: &Declared) -> Self {
        let mut reader = Reader {
            words,
            declared,
            pointers: FxHashMap::default(),
            before: Fenced::default(),
            open: Vec::new(),
            result: Self::default(),
        };
        reader.pointers.extend(&declared.variables);
        for instruction in words.instructions() {
            reader.instruction(instruction);
        }
        let Reader { open, mut result, .. } = reader;
        result.fences.extend(open);
        result.fences.sort_unstable();
        result
    }
}

struct Reader<'a> {
    words: &'a Words,
    declared: &'a Declared,
    /// By id: the type of what may be a pointer.
    pointers: FxHashMap<u32, u32>,
    /// Fences since the last access to what they name, in this block.
    before: Fenced,
    /// Those that no control barrier has taken up.
    open: Vec<usize>,
    result: Barriers,
}

impl Reader<'_> {
    fn instruction(&mut self, instruction: Instruction<'_>) {
        let Some(op) = instruction.op() else { return };
        match op {
            Op::Label | Op::FunctionEnd => {
                self.before = Fenced::default();
                self.result.fences.append(&mut self.open);
            }
            Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::CopyObject
            | Op::FunctionParameter
            | Op::ImageTexelPointer => {
                if let [Some(ty), Some(id)] = [0, 1].map(|index| instruction.operand(index)) {
                    self.pointers.insert(id, ty);
                }
            }
            Op::MemoryBarrier => {
                let order = self.order(instruction.operand(0), instruction.operand(1));
                if !(order.releases | order.acquires).is_empty() {
                    self.before.add(order);
                    self.open.push(instruction.index);
                }
            }
            Op::ControlBarrier => self.control(instruction),
            _ => self.before.forget(self.touched(op, instruction)),
        }
    }

    /// What an instruction may read or write.
    fn touched(&self, op: Op, instruction: Instruction<'_>) -> Flags {
        let class = |index: usize| {
            let pointer = instruction.operand(index).and_then(|id| self.pointers.get(&id));
            self.class(
                pointer.and_then(|ty| self.declared.pointers.get(ty)).map(|(class, _)| *class),
            )
        };
        match op {
            Op::Load => class(2),
            Op::Store | Op::AtomicStore => class(0),
            Op::CopyMemory => class(0) | class(1),
            Op::ImageRead | Op::ImageWrite => Flags::TEXTURE,
            Op::FunctionCall => MEMORY,
            _ if is_atomic(op) => class(2),
            _ => Flags::empty(),
        }
    }

    /// The class of the memory behind a pointer of this storage class; all, if it is not known.
    fn class(&self, class: Option<u32>) -> Flags {
        match class.and_then(StorageClass::from_u32) {
            Some(StorageClass::StorageBuffer | StorageClass::Uniform) => Flags::STORAGE,
            Some(StorageClass::Workgroup) => Flags::WORK_GROUP,
            Some(StorageClass::Image) => Flags::TEXTURE,
            Some(
                StorageClass::Function
                | StorageClass::Private
                | StorageClass::Input
                | StorageClass::PushConstant
                | StorageClass::UniformConstant,
            ) => Flags::empty(),
            _ => MEMORY,
        }
    }

    fn order(&self, scope: Option<u32>, semantics: Option<u32>) -> Order {
        let value = |id: Option<u32>| id.and_then(|id| self.declared.fixed(id));
        let scope = value(scope).unwrap_or(Scope::Invocation as u32);
        let semantics = MemorySemantics::from_bits_truncate(value(semantics).unwrap_or(0));
        let mut memory = Flags::empty();
        memory.set(Flags::STORAGE, semantics.contains(MemorySemantics::UNIFORM_MEMORY));
        memory.set(Flags::WORK_GROUP, semantics.contains(MemorySemantics::WORKGROUP_MEMORY));
        memory.set(Flags::TEXTURE, semantics.contains(MemorySemantics::IMAGE_MEMORY));
        // This is how naga writes WGSL's `subgroupBarrier()`.
        let of_subgroups = MemorySemantics::ACQUIRE_RELEASE | MemorySemantics::SUBGROUP_MEMORY;
        if self.words.generator() == NAGA && semantics == of_subgroups {
            memory = MEMORY;
        }
        let both = MemorySemantics::ACQUIRE_RELEASE | MemorySemantics::SEQUENTIALLY_CONSISTENT;
        let when = |half: MemorySemantics| match semantics.intersects(half | both) {
            true => memory,
            false => Flags::empty(),
        };
        Order {
            releases: when(MemorySemantics::RELEASE),
            acquires: when(MemorySemantics::ACQUIRE),
            scope,
        }
    }

    fn control(&mut self, instruction: Instruction<'_>) {
        let scope = instruction.operand(0).and_then(|id| self.declared.fixed(id));
        let mut fenced = std::mem::take(&mut self.before);
        fenced.add(self.order(instruction.operand(1), instruction.operand(2)));
        let both = |(releases, acquires): (Flags, Flags)| {
            let after = self.following(instruction.index, scope);
            releases & (acquires | after)
        };
        let of_subgroups = scope == Some(Scope::Subgroup as u32);
        let (in_workgroup, in_subgroup) = (both(fenced.in_workgroup), both(fenced.in_subgroup));
        let barrier = match of_subgroups {
            true => {
                Barrier { gathers: Gathers::Subgroup, in_workgroup: Flags::empty(), in_subgroup }
            }
            false => Barrier {
                gathers: Gathers::Workgroup,
                in_workgroup,
                in_subgroup: in_subgroup - in_workgroup,
            },
        };
        self.result.control.insert(instruction.index, barrier);
        self.open.clear();
    }

    /// What the fences right behind a control barrier acquire, if they reach as far.
    fn following(&self, barrier: usize, scope: Option<u32>) -> Flags {
        let of_subgroups = scope == Some(Scope::Subgroup as u32);
        let inner = if of_subgroups { Scope::Subgroup } else { Scope::Workgroup };
        let behind = (barrier + 1..self.words.len()).filter_map(|index| self.words.get(index));
        let fences = behind.take_while(|instruction| instruction.op() == Some(Op::MemoryBarrier));
        let orders = fences.map(|fence| self.order(fence.operand(0), fence.operand(1)));
        let reaching = orders.filter(|order| reaches(order.scope, inner));
        reaching.fold(Flags::empty(), |all, order| all | order.acquires)
    }
}

/// Whether an instruction is an atomic one that has a result.
pub fn is_atomic(op: Op) -> bool {
    matches!(
        op,
        Op::AtomicLoad
            | Op::AtomicExchange
            | Op::AtomicCompareExchange
            | Op::AtomicCompareExchangeWeak
            | Op::AtomicIIncrement
            | Op::AtomicIDecrement
            | Op::AtomicIAdd
            | Op::AtomicISub
            | Op::AtomicSMin
            | Op::AtomicUMin
            | Op::AtomicSMax
            | Op::AtomicUMax
            | Op::AtomicAnd
            | Op::AtomicOr
            | Op::AtomicXor
            | Op::AtomicFAddEXT
    )
}

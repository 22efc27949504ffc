//! The memory ordering of a module's barriers, derived from their scopes and semantics, and from adjacent fences.
//!
//! | instruction                                    | effect                                                |
//! |------------------------------------------------|-------------------------------------------------------|
//! | `OpControlBarrier`, acquire and release        | waits for its execution scope, and orders the memory that it names among the invocations of its memory scope |
//! | `OpControlBarrier` without either of the two   | waits, and orders nothing by itself                   |
//! | `OpMemoryBarrier` before a control barrier     | orders the memory that it names, unless that memory is accessed between the two: as in GLSL `memoryBarrierBuffer(); barrier();` |
//! | `OpMemoryBarrier` elsewhere                    | none                                                  |

use super::declarations::SpirvDeclarations;
use super::orders::{Orders, is_atomic};
use super::words::{Instruction, Words};
use crate::ir::barrier::{Barrier, BarrierScope, MEMORY};
use crate::ir::order::{MemorySemantics, Scope};
use naga::Barrier as Flags;
use rspirv::spirv::{self, Op, StorageClass};
use rustc_hash::FxHashMap;

/// The barriers of a module, by instruction.
#[derive(Clone, Debug, Default)]
pub struct Barriers {
    /// The control barriers.
    pub control: FxHashMap<usize, Barrier>,
    /// Fences whose ordering nearby atomics may publish, and that are not part of a control barrier.
    pub fences: Vec<usize>,
    /// Whether any fence or barrier orders memory with a scope wider than the workgroup.
    pub reach_beyond: bool,
}

/// The kinds of memory that fences release and acquire: within a workgroup, and within a subgroup.
#[derive(Clone, Copy, Default)]
struct FencedMemory {
    in_workgroup: (Flags, Flags),
    in_subgroup: (Flags, Flags),
}

impl FencedMemory {
    fn add(&mut self, ordering: MemorySemantics) {
        let mut halves = vec![&mut self.in_subgroup];
        if ordering.scope >= Scope::Workgroup {
            halves.push(&mut self.in_workgroup);
        }
        for (releases, acquires) in halves {
            *releases |= ordering.releases();
            *acquires |= ordering.acquires();
        }
    }

    fn forget(&mut self, memory: Flags) {
        for (releases, acquires) in [&mut self.in_workgroup, &mut self.in_subgroup] {
            *releases -= memory;
            *acquires -= memory;
        }
    }
}

impl Barriers {
    /// Reads the barriers of `words`.
    pub fn read(words: &Words, declared: &SpirvDeclarations, orders: &Orders) -> Self {
        let mut reader = Reader {
            words,
            declared,
            orders,
            pointers: FxHashMap::default(),
            before: FencedMemory::default(),
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
    declared: &'a SpirvDeclarations,
    orders: &'a Orders,
    /// By id: the type of a value that may be a pointer.
    pointers: FxHashMap<u32, u32>,
    /// Fences of this block since the last access to the memory that they name.
    before: FencedMemory,
    /// Fences that are not part of a control barrier so far.
    open: Vec<usize>,
    result: Barriers,
}

impl Reader<'_> {
    fn instruction(&mut self, instruction: Instruction<'_>) {
        let Some(op) = instruction.op() else { return };
        match op {
            Op::Label | Op::FunctionEnd => {
                self.before = FencedMemory::default();
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
                let ordering = self.orders.of(instruction.index);
                if let Some(ordering) = ordering.filter(|ordering| ordering.orders_other_memory()) {
                    self.result.reach_beyond |= reaches_beyond(ordering);
                    self.before.add(ordering);
                    self.open.push(instruction.index);
                }
            }
            Op::ControlBarrier => self.control(instruction),
            _ => {
                // The atomic or call may publish what a preceding fence released.
                if is_atomic(op) || matches!(op, Op::AtomicStore | Op::FunctionCall) {
                    self.result.fences.append(&mut self.open);
                }
                self.before.forget(self.touched(op, instruction));
            }
        }
    }

    /// Returns the kinds of memory that an instruction may read or write.
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

    /// Returns the kind of memory behind a pointer of this storage class; all kinds if it is not known.
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

    fn control(&mut self, instruction: Instruction<'_>) {
        let scope = instruction.operand(0).and_then(|id| self.declared.fixed_value(id));
        let mut fenced = std::mem::take(&mut self.before);
        if let Some(ordering) = self.orders.of(instruction.index) {
            self.result.reach_beyond |= reaches_beyond(ordering);
            fenced.add(ordering);
        }
        let both = |(releases, acquires): (Flags, Flags)| {
            let after = self.following(instruction.index, scope);
            releases & (acquires | after)
        };
        let (in_workgroup, in_subgroup) = (both(fenced.in_workgroup), both(fenced.in_subgroup));
        let barrier = match is_subgroup(scope) {
            true => {
                Barrier { scope: BarrierScope::Subgroup, in_workgroup: Flags::empty(), in_subgroup }
            }
            false => Barrier {
                scope: BarrierScope::Workgroup,
                in_workgroup,
                in_subgroup: in_subgroup - in_workgroup,
            },
        };
        self.result.control.insert(instruction.index, barrier);
        self.open.clear();
    }

    /// Returns the memory that the fences directly after a control barrier acquire, if their scope is wide enough.
    fn following(&self, barrier: usize, scope: Option<u32>) -> Flags {
        let inner = if is_subgroup(scope) { Scope::Subgroup } else { Scope::Workgroup };
        let behind = (barrier + 1..self.words.len()).filter_map(|index| self.words.get(index));
        let fences = behind.take_while(|instruction| instruction.op() == Some(Op::MemoryBarrier));
        let orderings = fences.filter_map(|fence| self.orders.of(fence.index));
        let reaching = orderings.filter(|ordering| ordering.scope >= inner);
        reaching.fold(Flags::empty(), |all, ordering| all | ordering.acquires())
    }
}

/// Returns whether the ordering extends to other workgroups.
fn reaches_beyond(ordering: MemorySemantics) -> bool {
    let shared = Flags::STORAGE | Flags::TEXTURE;
    ordering.scope > Scope::Workgroup
        && (ordering.acquires() | ordering.releases()).intersects(shared)
}

/// Returns whether an execution scope is that of a subgroup.
fn is_subgroup(scope: Option<u32>) -> bool {
    scope == Some(spirv::Scope::Subgroup as u32)
}

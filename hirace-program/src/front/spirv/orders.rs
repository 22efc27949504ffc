//! Memory ordering of a module's atomics and barriers, from their scope and semantics operands.

use super::declarations::SpirvDeclarations;
use super::words::{Instruction, Words};
use crate::ir::barrier::MEMORY;
use crate::ir::order::{MemoryOrder, MemorySemantics, Scope};
use naga::Barrier as Flags;
use rspirv::spirv::{self, MemorySemantics as Semantics, Op};
use rustc_hash::FxHashMap;

/// naga's generator number.
const NAGA: u32 = 28;

/// The memory ordering of instructions. Instructions whose operands are not constants, or whose scope is the invocation itself,
/// are missing.
#[derive(Clone, Debug, Default)]
pub struct Orders(FxHashMap<usize, MemorySemantics>);

impl Orders {
    /// Reads the atomics and barriers of `words`, with the values that specialization constants have in `declarations`.
    pub fn read(words: &Words, declared: &SpirvDeclarations) -> Self {
        let is_nagas = words.generator() == NAGA;
        let value = |id: Option<u32>| declared.constants.get(&id?).copied();
        let ordering = |instruction: Instruction<'_>| {
            let [scope, semantics, failed] =
                operands(instruction.op()?)?.map(|index| value(instruction.operand(index)));
            let [semantics, failed] = [semantics?, failed?].map(Semantics::from_bits_truncate);
            let [named, named_failed] = [semantics, failed].map(|of| memory(of, is_nagas));
            let (order, failed) = (order(semantics), order(failed));
            // A comparison has only one set of memory kinds: those that both semantics order.
            let memory = if failed == MemoryOrder::Relaxed { named } else { named & named_failed };
            let scope = match (instruction.op(), scope_of(scope?)?) {
                // naga generates this for WGSL's `storageBarrier()`, which has workgroup scope.
                (Some(Op::ControlBarrier), Scope::Device) if is_nagas => Scope::Workgroup,
                (_, scope) => scope,
            };
            let ordering = MemorySemantics { order, on_failure: failed, scope, memory };
            Some((instruction.index, ordering))
        };
        Self(words.instructions().filter_map(ordering).collect())
    }

    /// Returns the memory ordering of an instruction, if it is known.
    pub fn of(&self, instruction: usize) -> Option<MemorySemantics> {
        self.0.get(&instruction).copied()
    }
}

/// Returns the operand indices of an instruction's memory scope, its semantics, and the semantics of a failed comparison.
fn operands(op: Op) -> Option<[usize; 3]> {
    Some(match op {
        Op::AtomicStore => [1, 2, 2],
        Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => [3, 4, 5],
        Op::MemoryBarrier => [0, 1, 1],
        Op::ControlBarrier => [1, 2, 2],
        _ if is_atomic(op) => [3, 4, 4],
        _ => return None,
    })
}

fn scope_of(scope: u32) -> Option<Scope> {
    Some(match spirv::Scope::from_u32(scope)? {
        spirv::Scope::CrossDevice => Scope::System,
        spirv::Scope::Device => Scope::Device,
        spirv::Scope::QueueFamily => Scope::QueueFamily,
        spirv::Scope::Workgroup => Scope::Workgroup,
        spirv::Scope::Subgroup => Scope::Subgroup,
        _ => return None,
    })
}

/// Returns the ordering of these semantics. Vulkan's memory model has no sequential consistency, and modules for other models are
/// rejected, so sequential consistency is treated as acquire and release.
fn order(semantics: Semantics) -> MemoryOrder {
    let both = Semantics::ACQUIRE_RELEASE | Semantics::SEQUENTIALLY_CONSISTENT;
    let has = |half: Semantics| semantics.intersects(half | both);
    match (has(Semantics::ACQUIRE), has(Semantics::RELEASE)) {
        (true, true) => MemoryOrder::AcquireRelease,
        (true, false) => MemoryOrder::Acquire,
        (false, true) => MemoryOrder::Release,
        (false, false) => MemoryOrder::Relaxed,
    }
}

/// Returns the kinds of memory that semantics name.
fn memory(semantics: Semantics, is_nagas: bool) -> Flags {
    // naga generates this for WGSL's `subgroupBarrier()`.
    if is_nagas && semantics == Semantics::ACQUIRE_RELEASE | Semantics::SUBGROUP_MEMORY {
        return MEMORY;
    }
    let buffers = Semantics::UNIFORM_MEMORY | Semantics::CROSS_WORKGROUP_MEMORY;
    let mut memory = Flags::empty();
    memory.set(Flags::STORAGE, semantics.intersects(buffers));
    memory.set(Flags::WORK_GROUP, semantics.contains(Semantics::WORKGROUP_MEMORY));
    memory.set(Flags::TEXTURE, semantics.contains(Semantics::IMAGE_MEMORY));
    memory
}

/// Returns whether an instruction is an atomic with a result.
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

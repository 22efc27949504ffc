//! How a subgroup starts: its lanes, its registers, its built-in inputs.

use crate::ir::sites::SiteId;
use crate::vm::engine::Machine;
use crate::vm::engine::fragment::{Fragment, Frame, FrameKind, State};
use crate::vm::ops::Slot;
use naga::BuiltIn;

/// A subgroup of a workgroup, before its first instruction. `registers` is room for its own.
pub(super) fn start_subgroup<const N: usize>(
    machine: &Machine,
    workgroup: u32,
    subgroup: u32,
    mut registers: Vec<Slot<N>>,
) -> Fragment<N> {
    let code = machine.code;
    let first = subgroup * machine.subgroup_size;
    let count = (code.invocations() - first).min(machine.subgroup_size);
    let lanes = u64::MAX >> (64 - count);
    if registers.len() != code.registers as usize {
        registers.clear();
        registers.resize(code.registers as usize, [0; N]);
        for (register, word) in &code.constants {
            registers[*register as usize] = [*word; N];
        }
    }
    for (builtin, register) in &code.builtins {
        set_builtin(machine, workgroup, first, *builtin, &mut registers[*register as usize..]);
    }
    let entry = Frame {
        kind: FrameKind::Call,
        resume: code.instructions.len() as u32 - 1,
        aux: u32::MAX,
        site: SiteId::NONE,
        pending: 0,
        done: 0,
    };
    Fragment {
        subgroup,
        state: State::Ready,
        pc: code.start,
        mask: lanes,
        lanes,
        frames: vec![entry],
        registers,
        steps: 0,
        impatience: 0,
        rounds: 0,
        glimpse: None,
        has_met: false,
    }
}

/// Sets a built-in input, in all lanes of the subgroup that starts at invocation `first`.
fn set_builtin<const N: usize>(
    machine: &Machine,
    workgroup: u32,
    first: u32,
    builtin: BuiltIn,
    to: &mut [Slot<N>],
) {
    let size = machine.code.workgroup_size;
    let split = |index: u32, [x, y, _]: [u32; 3]| {
        let (x, y) = (x.max(1), y.max(1));
        [index % x, index / x % y, index / x / y]
    };
    let group = split(workgroup, machine.workgroups);
    let mut vector = |of: &dyn Fn(u32) -> [u32; 3]| {
        for lane in 0..N as u32 {
            for (to, value) in to.iter_mut().zip(of(first + lane)) {
                to[lane as usize] = value;
            }
        }
    };
    let local = |index| split(index, size);
    let subgroup_size = machine.subgroup_size;
    match builtin {
        BuiltIn::GlobalInvocationId => vector(&|index| {
            let local = local(index);
            std::array::from_fn(|i| group[i].wrapping_mul(size[i]).wrapping_add(local[i]))
        }),
        BuiltIn::LocalInvocationId => vector(&local),
        BuiltIn::WorkGroupId => vector(&|_| group),
        BuiltIn::WorkGroupSize => vector(&|_| size),
        BuiltIn::NumWorkGroups => vector(&|_| machine.workgroups),
        _ => {
            for lane in 0..N as u32 {
                to[0][lane as usize] = match builtin {
                    BuiltIn::LocalInvocationIndex => first + lane,
                    BuiltIn::SubgroupId => first / subgroup_size,
                    BuiltIn::SubgroupSize => subgroup_size,
                    BuiltIn::SubgroupInvocationId => lane,
                    BuiltIn::NumSubgroups => machine.code.invocations().div_ceil(subgroup_size),
                    _ => 0,
                };
            }
        }
    }
}

//! The initial state of a fragment: its lanes, its registers, its built-in inputs.

use super::Workgroup;
use crate::ir::sites::SiteId;
use crate::vm::engine::Setup;
use crate::vm::engine::fragment::{Fragment, Frame, FrameKind, IterationCounts, State};
use crate::vm::ops::Slot;
use crate::vm::run::coordinates;
use naga::BuiltIn;

impl Workgroup<1> {
    /// Creates a workgroup in which every fragment is one invocation. Its memory is elsewhere.
    pub fn of_invocations(setup: &Setup, index: u32) -> Self {
        let invocations = setup.code.invocations();
        let decide = !setup.code.subgroup_steps.is_empty();
        let fragments = (0..invocations).map(|local| Fragment {
            trips: Some(IterationCounts { counts: Vec::new(), decide }),
            ..start_fragment(setup, index, local, 1, Vec::new())
        });
        let returned = vec![None; invocations as usize];
        Self {
            index,
            fragments: fragments.collect(),
            shared: Vec::new(),
            returned_lanes: returned,
            next: 0,
        }
    }
}

/// Creates the fragment of `count` invocations of one subgroup of a workgroup, from local index `first` on,
/// before their first instruction. `registers` is reused for their registers.
pub fn start_fragment<const N: usize>(
    setup: &Setup,
    workgroup: u32,
    first: u32,
    count: u32,
    mut registers: Vec<Slot<N>>,
) -> Fragment<N> {
    let code = setup.code;
    let lanes = u64::MAX >> (64 - count);
    if registers.len() != code.registers as usize {
        registers.clear();
        registers.resize(code.registers as usize, [0; N]);
        for (register, word) in &code.constants {
            registers[*register as usize] = [*word; N];
        }
    }
    for (builtin, register) in &code.builtins {
        set_builtin(setup, workgroup, first, *builtin, &mut registers[*register as usize..]);
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
        subgroup: first / setup.subgroup_size,
        first,
        state: State::Ready,
        pc: code.start,
        mask: lanes,
        lanes,
        frames: vec![entry],
        registers,
        steps: 0,
        starving_rounds: 0,
        rounds: 0,
        snapshot: None,
        repetition: None,
        has_waited_for_subgroup: false,
        trips: None,
    }
}

/// Sets a built-in input in all lanes of a fragment whose first invocation is `first`.
fn set_builtin<const N: usize>(
    setup: &Setup,
    workgroup: u32,
    first: u32,
    builtin: BuiltIn,
    to: &mut [Slot<N>],
) {
    let size = setup.code.workgroup_size;
    let group = coordinates(workgroup, setup.workgroups);
    let same = |to: &mut [Slot<N>], value: [u32; 3]| {
        for (to, value) in to.iter_mut().zip(value) {
            *to = [value; N];
        }
    };
    let subgroup_size = setup.subgroup_size;
    match builtin {
        BuiltIn::GlobalInvocationId => {
            set_positions(to, first, size);
            for ((to, group), size) in to.iter_mut().zip(group).zip(size) {
                let corner = group.wrapping_mul(size);
                to.iter_mut().for_each(|local| *local = local.wrapping_add(corner));
            }
        }
        BuiltIn::LocalInvocationId => set_positions(to, first, size),
        BuiltIn::WorkGroupId => same(to, group),
        BuiltIn::WorkGroupSize => same(to, size),
        BuiltIn::NumWorkGroups => same(to, setup.workgroups),
        _ => {
            for lane in 0..N as u32 {
                to[0][lane as usize] = match builtin {
                    BuiltIn::LocalInvocationIndex => first + lane,
                    BuiltIn::SubgroupId => first / subgroup_size,
                    BuiltIn::SubgroupSize => subgroup_size,
                    BuiltIn::SubgroupInvocationId => (first + lane) % subgroup_size,
                    BuiltIn::NumSubgroups => setup.code.invocations().div_ceil(subgroup_size),
                    _ => 0,
                };
            }
        }
    }
}

/// Sets the positions of the lanes in a workgroup of this size; the lanes have consecutive indices from
/// `first` on. Divides once per fragment instead of once per lane, because this is most of the work in small workgroups.
fn set_positions<const N: usize>(to: &mut [Slot<N>], first: u32, size: [u32; 3]) {
    let [mut x, mut y, mut z] = coordinates(first, size);
    let [x_to, y_to, z_to, ..] = to else { return };
    for lane in 0..N {
        (x_to[lane], y_to[lane], z_to[lane]) = (x, y, z);
        x += 1;
        if x >= size[0] {
            (x, y) = (0, y + 1);
        }
        if y >= size[1] {
            (y, z) = (0, z + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_stand_where_their_numbers_say() {
        for size in [[1, 1, 1], [7, 3, 5], [64, 1, 1], [1, 40, 2], [32, 2, 1]] {
            for first in [0, 3, 32, 100] {
                let mut to = [[u32::MAX; 32]; 3];
                set_positions(&mut to, first, size);
                for lane in 0..32 {
                    let is = to.map(|axis| axis[lane]);
                    assert_eq!(
                        is,
                        coordinates(first + lane as u32, size),
                        "{size:?} {first} {lane}"
                    );
                }
            }
        }
    }
}

//! How a fragment starts: its lanes, its registers, its built-in inputs.

use super::Workgroup;
use crate::ir::sites::SiteId;
use crate::vm::engine::Setup;
use crate::vm::engine::fragment::{Fragment, Frame, FrameKind, State, Trips};
use crate::vm::ops::Slot;
use naga::BuiltIn;

impl Workgroup<1> {
    /// A workgroup whose every fragment is one invocation. Its memory is elsewhere.
    pub fn of_invocations(setup: &Setup, index: u32) -> Self {
        let invocations = setup.code.invocations();
        let decide = !setup.code.subgroup_steps.is_empty();
        let fragments = (0..invocations).map(|local| Fragment {
            trips: Some(Trips { counts: Vec::new(), decide }),
            ..start_fragment(setup, index, local, 1, Vec::new())
        });
        let returned = vec![None; invocations as usize];
        Self { index, fragments: fragments.collect(), shared: Vec::new(), returned, next: 0 }
    }
}

/// `count` invocations of a workgroup, of one subgroup, from the one with local index `first` on,
/// before their first instruction. `registers` is room for their own.
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
        impatience: 0,
        rounds: 0,
        snapshot: None,
        has_met: false,
        trips: None,
    }
}

/// Sets a built-in input, in all lanes of a fragment whose first invocation is `first`.
fn set_builtin<const N: usize>(
    setup: &Setup,
    workgroup: u32,
    first: u32,
    builtin: BuiltIn,
    to: &mut [Slot<N>],
) {
    let size = setup.code.workgroup_size;
    let split = |index: u32, [x, y, _]: [u32; 3]| {
        let (x, y) = (x.max(1), y.max(1));
        [index % x, index / x % y, index / x / y]
    };
    let group = split(workgroup, setup.workgroups);
    let mut vector = |of: &dyn Fn(u32) -> [u32; 3]| {
        for lane in 0..N as u32 {
            for (to, value) in to.iter_mut().zip(of(first + lane)) {
                to[lane as usize] = value;
            }
        }
    };
    let local = |index| split(index, size);
    let subgroup_size = setup.subgroup_size;
    match builtin {
        BuiltIn::GlobalInvocationId => vector(&|index| {
            let local = local(index);
            std::array::from_fn(|i| group[i].wrapping_mul(size[i]).wrapping_add(local[i]))
        }),
        BuiltIn::LocalInvocationId => vector(&local),
        BuiltIn::WorkGroupId => vector(&|_| group),
        BuiltIn::WorkGroupSize => vector(&|_| size),
        BuiltIn::NumWorkGroups => vector(&|_| setup.workgroups),
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

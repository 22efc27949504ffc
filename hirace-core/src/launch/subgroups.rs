//! The entry points that depend on the subgroup size.

use crate::ir::built_ins::built_ins;
use crate::ir::walk::{self, FunctionId};
use crate::program::Program;
use naga::{BuiltIn, Statement};

/// The default number of lanes of a subgroup.
pub const USUAL: u32 = 32;

/// The subgroup sizes of devices, the default first.
pub const SIZES: [u32; 5] = [USUAL, 4, 8, 16, 64];

/// Returns whether an entry point uses subgroup operations or subgroup built-in values.
pub fn are_used(program: &Program, entry: usize) -> bool {
    let module = &program.module;
    let Some(point) = module.entry_points.get(entry) else { return false };
    let is = |built_in: BuiltIn| {
        matches!(
            built_in,
            BuiltIn::SubgroupId
                | BuiltIn::SubgroupSize
                | BuiltIn::SubgroupInvocationId
                | BuiltIn::NumSubgroups
        )
    };
    let arguments = point.function.arguments.iter();
    let mut values = arguments.flat_map(|argument| built_ins(module, argument));
    let asks = values.any(|(_, built_in)| is(built_in));
    asks || program.calls.reachable([FunctionId::Entry(entry)]).into_iter().any(|id| {
        let mut any = false;
        walk::statements(&id.get(module).body, &mut |_, statement, _| {
            any |= match statement {
                Statement::SubgroupBallot { .. }
                | Statement::SubgroupGather { .. }
                | Statement::SubgroupCollectiveOperation { .. } => true,
                Statement::ControlBarrier(barrier) => barrier.contains(naga::Barrier::SUB_GROUP),
                _ => false,
            };
        });
        any
    })
}

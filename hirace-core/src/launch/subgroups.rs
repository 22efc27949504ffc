//! The entry points that depend on the subgroup size.

use crate::ir::walk::{self, FunctionId};
use crate::program::Program;
use naga::{Binding, BuiltIn, Statement, TypeInner};

/// The default number of lanes of a subgroup.
pub const USUAL: u32 = 32;

/// The subgroup sizes of devices, the default first.
pub const SIZES: [u32; 5] = [USUAL, 4, 8, 16, 64];

/// Returns whether an entry point uses subgroup operations or subgroup built-in values.
pub fn are_used(program: &Program, entry: usize) -> bool {
    let module = &program.module;
    let Some(point) = module.entry_points.get(entry) else { return false };
    let is = |binding: Option<&Binding>| {
        matches!(
            binding,
            Some(Binding::BuiltIn(
                BuiltIn::SubgroupId
                    | BuiltIn::SubgroupSize
                    | BuiltIn::SubgroupInvocationId
                    | BuiltIn::NumSubgroups
            ))
        )
    };
    let asks = point.function.arguments.iter().any(|argument| {
        let member = match &module.types[argument.ty].inner {
            TypeInner::Struct { members, .. } => {
                members.iter().any(|member| is(member.binding.as_ref()))
            }
            _ => false,
        };
        member || is(argument.binding.as_ref())
    });
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

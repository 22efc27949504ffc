//! Suggestions for kernels whose invocations do the same work several times, because no access depends on a dimension of the
//! workgroup.

use super::candidate::{Candidate, Change};
use crate::facts::Suggestion;
use crate::finding::group::Group;
use crate::ir::built_ins::built_ins;
use crate::launch::measures::Measures;
use crate::program::Program;
use crate::vm::run::coordinates;
use naga::{Binding, BuiltIn, EntryPoint, Module};

/// Returns the suggestion to use a dimension of the workgroup or to remove it, if the kernel does not distinguish the racing
/// invocations by any id.
pub(super) fn unused(program: &Program, entry: usize, group: &Group) -> Option<Candidate> {
    let of = program.module.entry_points.get(entry)?;
    let [a, b] = [group.pair.earlier.invocation, group.pair.later.invocation];
    let size = of.workgroup_size;
    if a.workgroup != b.workgroup || size.iter().filter(|&&n| n > 1).count() < 2 {
        return None;
    }
    let [a, b] = [a, b].map(|invocation| coordinates(invocation.local, size));
    let mut differing = (0..3).filter(|&dimension| a[dimension] != b[dimension]);
    let (Some(dimension), None) = (differing.next(), differing.next()) else { return None };
    if reads_linear_id(&program.module, of) || Measures::of(program, entry).lanes[dimension] {
        return None;
    }
    let mut size = size;
    size[dimension] = 1;
    let id = name_of_id(of).filter(|_| program.language.shows_expressions());
    let suggestion = Suggestion::UseDimension { id, dimension, size };
    Some(Candidate { suggestion, change: Change::WorkgroupSize { entry, size } })
}

/// Returns the name of the parameter of an entry point that is the id of an invocation.
fn name_of_id(of: &EntryPoint) -> Option<String> {
    let is_id = |binding: &Option<Binding>| {
        use BuiltIn::{GlobalInvocationId, LocalInvocationId};
        matches!(binding, Some(Binding::BuiltIn(GlobalInvocationId | LocalInvocationId)))
    };
    of.function.arguments.iter().find(|argument| is_id(&argument.binding))?.name.clone()
}

/// Returns whether an entry point reads an id that distinguishes all invocations of a workgroup or subgroup.
fn reads_linear_id(module: &Module, of: &EntryPoint) -> bool {
    let is_linear = |built_in: BuiltIn| {
        matches!(
            built_in,
            BuiltIn::LocalInvocationIndex | BuiltIn::SubgroupId | BuiltIn::SubgroupInvocationId
        )
    };
    let arguments = of.function.arguments.iter();
    let mut values = arguments.flat_map(|argument| built_ins(module, argument));
    values.any(|(_, built_in)| is_linear(built_in))
}

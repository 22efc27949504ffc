//! Values that are the same in all invocations of a dispatch or of a workgroup.
//!
//! Such a value is computed from constants, from memory that is not written while a dispatch runs, and from built-in values that no
//! invocation distinguishes. Variables of functions are left out, since they may have another value in each iteration of a loop.

use crate::ir::built_ins::built_ins;
use crate::ir::globals;
use crate::ir::walk::{self, FunctionId};
use crate::program::Program;
use naga::{AddressSpace, BuiltIn, Expression, Handle};

/// The invocations for which a value is the same. There are only these cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SameFor {
    /// All invocations of a dispatch.
    Dispatch,
    /// All invocations of a workgroup.
    Workgroup,
}

/// Returns for which invocations an expression always has the same value; `None` if that is not known for two of them.
pub(super) fn same_for(
    program: &Program,
    id: FunctionId,
    value: Handle<Expression>,
) -> Option<SameFor> {
    let function = id.get(&program.module);
    let mut known: Vec<Option<SameFor>> = Vec::new();
    // An expression refers only to earlier ones.
    for (_, expression) in function.expressions.iter().take(value.index() + 1) {
        let at = |handle: Handle<Expression>| known.get(handle.index()).copied().flatten();
        let same = match *expression {
            Expression::Literal(_)
            | Expression::Constant(_)
            | Expression::Override(_)
            | Expression::ZeroValue(_)
            | Expression::ArrayLength(_) => Some(SameFor::Dispatch),
            Expression::FunctionArgument(index) => argument(program, id, index, None),
            Expression::AccessIndex { base, index } => match function.expressions[base] {
                Expression::FunctionArgument(argument) => {
                    self::argument(program, id, argument, Some(index))
                }
                _ => at(base),
            },
            Expression::GlobalVariable(global) => {
                let variable = &program.module.global_variables[global];
                let is_constant = matches!(
                    variable.space,
                    AddressSpace::Uniform | AddressSpace::Immediate | AddressSpace::Storage { .. }
                );
                let is_constant = is_constant && !globals::is_writable(&program.module, variable);
                is_constant.then_some(SameFor::Dispatch)
            }
            Expression::Access { .. }
            | Expression::Load { .. }
            | Expression::Splat { .. }
            | Expression::Swizzle { .. }
            | Expression::Compose { .. }
            | Expression::Unary { .. }
            | Expression::Binary { .. }
            | Expression::Select { .. }
            | Expression::Math { .. }
            | Expression::Relational { .. }
            | Expression::As { .. } => {
                let mut all = Some(SameFor::Dispatch);
                walk::operands(expression, &mut |operand| {
                    all = all.zip(at(operand)).map(|(a, b)| a.max(b));
                });
                all
            }
            _ => None,
        };
        known.push(same);
    }
    known.get(value.index()).copied().flatten()
}

/// Returns for which invocations an argument of an entry point, or a member of it, has the same value.
fn argument(program: &Program, id: FunctionId, index: u32, member: Option<u32>) -> Option<SameFor> {
    let FunctionId::Entry(_) = id else { return None };
    let argument = id.get(&program.module).arguments.get(index as usize)?;
    let values = built_ins(&program.module, argument);
    // For an argument that is not a structure, the index is that of a component.
    let (_, built_in) = values.into_iter().find(|(at, _)| at.is_none() || *at == member)?;
    match built_in {
        BuiltIn::NumWorkGroups | BuiltIn::WorkGroupSize => Some(SameFor::Dispatch),
        BuiltIn::WorkGroupId => Some(SameFor::Workgroup),
        _ => None,
    }
}

//! Barriers that order nothing.
//!
//! A barrier in the body of an entry point, outside of branches and loops, orders what runs before it with what runs after it. It
//! orders nothing if no shared variable is used both before and after it. Atomics in storage may carry an order to other
//! workgroups, so entry points that use them have no such barriers.

use crate::ir::globals::is_writable;
use crate::ir::walk::{self, FunctionId};
use naga::valid::{GlobalUse, ModuleInfo};
use naga::{
    AddressSpace, Block, Expression, Function, GlobalVariable, Handle, Module, Statement, TypeInner,
};
use rustc_hash::FxHashSet;

type Globals = FxHashSet<Handle<GlobalVariable>>;

/// Returns the addresses of the barriers of a function that order nothing.
pub fn ordering_nothing(
    module: &Module,
    info: &ModuleInfo,
    id: FunctionId,
) -> FxHashSet<*const Statement> {
    let function = id.get(module);
    let FunctionId::Entry(entry) = id else { return FxHashSet::default() };
    let all = info.get_entry_point(entry);
    let mut globals = module.global_variables.iter();
    let has_atomic_storage = globals.any(|(handle, global)| {
        matches!(global.space, AddressSpace::Storage { .. })
            && all[handle] != GlobalUse::empty()
            && has_atomics(module, global.ty)
    });
    if has_atomic_storage || FunctionId::all(module).any(|id| is_unknown(id.get(module))) {
        return FxHashSet::default();
    }
    let mut statements = Vec::new();
    flatten(&function.body, &mut statements);
    let uses: Vec<Globals> =
        statements.iter().map(|statement| uses_of(module, info, function, statement)).collect();
    let union = |uses: &[Globals]| -> Globals { uses.iter().flatten().copied().collect() };
    let barriers = statements.iter().enumerate().filter(|(at, statement)| {
        matches!(statement, Statement::ControlBarrier(_) | Statement::MemoryBarrier(_))
            && union(&uses[..*at]).is_disjoint(&union(&uses[*at..]))
    });
    barriers.map(|(_, &statement)| std::ptr::from_ref(statement)).collect()
}

/// Lists the statements of a block and of the plain blocks in it.
fn flatten<'a>(block: &'a Block, statements: &mut Vec<&'a Statement>) {
    for statement in block {
        match statement {
            Statement::Block(inner) => flatten(inner, statements),
            other => statements.push(other),
        }
    }
}

/// Returns whether a function has statements whose effect on the order is not known here.
fn is_unknown(function: &Function) -> bool {
    let mut is_unknown = false;
    walk::statements(&function.body, &mut |_, statement, _| {
        is_unknown |= !matches!(
            statement,
            Statement::Emit(_)
                | Statement::Block(_)
                | Statement::If { .. }
                | Statement::Switch { .. }
                | Statement::Loop { .. }
                | Statement::Break
                | Statement::Continue
                | Statement::Return { .. }
                | Statement::ControlBarrier(_)
                | Statement::MemoryBarrier(_)
                | Statement::Store { .. }
                | Statement::ImageStore { .. }
                | Statement::Atomic { .. }
                | Statement::Call { .. }
                | Statement::WorkGroupUniformLoad { .. }
        );
    });
    is_unknown
}

/// Returns whether a type contains an atomic.
fn has_atomics(module: &Module, ty: Handle<naga::Type>) -> bool {
    match &module.types[ty].inner {
        TypeInner::Atomic(_) => true,
        TypeInner::Array { base, .. } | TypeInner::BindingArray { base, .. } => {
            has_atomics(module, *base)
        }
        TypeInner::Struct { members, .. } => {
            members.iter().any(|member| has_atomics(module, member.ty))
        }
        _ => false,
    }
}

/// Returns the shared variables that a statement or the blocks in it use.
fn uses_of(
    module: &Module,
    info: &ModuleInfo,
    function: &Function,
    statement: &Statement,
) -> Globals {
    let mut used = Globals::default();
    add_uses(module, info, function, statement, &mut used);
    used.retain(|global| is_shared(module, *global));
    used
}

fn add_uses(
    module: &Module,
    info: &ModuleInfo,
    function: &Function,
    statement: &Statement,
    used: &mut Globals,
) {
    let root = |pointer| walk::root_global(function, pointer);
    match statement {
        Statement::Emit(range) => {
            for handle in range.clone() {
                used.extend(match function.expressions[handle] {
                    Expression::Load { pointer } => root(pointer),
                    Expression::ImageLoad { image, .. } | Expression::ImageSample { image, .. } => {
                        root(image)
                    }
                    _ => None,
                });
            }
        }
        Statement::Store { pointer, .. }
        | Statement::Atomic { pointer, .. }
        | Statement::WorkGroupUniformLoad { pointer, .. } => used.extend(root(*pointer)),
        Statement::ImageStore { image, .. } => used.extend(root(*image)),
        Statement::Call { function: callee, arguments, .. } => {
            used.extend(arguments.iter().filter_map(|argument| root(*argument)));
            let globals = module.global_variables.iter().map(|(global, _)| global);
            used.extend(globals.filter(|global| info[*callee][*global] != GlobalUse::empty()));
        }
        _ => {}
    }
    for statement in walk::children(statement).into_iter().flatten() {
        add_uses(module, info, function, statement, used);
    }
}

/// Returns whether invocations can write a variable that others use.
fn is_shared(module: &Module, global: Handle<GlobalVariable>) -> bool {
    let variable = &module.global_variables[global];
    variable.space == AddressSpace::WorkGroup || is_writable(module, variable)
}

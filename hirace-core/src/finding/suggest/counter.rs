//! Recognizes updates such as `x += 1`: a read, and a write of the same place whose value is computed from it.

use crate::facts::suggestion::AtomicFunction;
use crate::ir::access::{Access, Target};
use crate::ir::sites::SiteId;
use crate::ir::walk::{self, FunctionId};
use crate::program::Program;
use naga::{
    BinaryOperator, Expression, Function, Handle, MathFunction, Scalar, ScalarKind, Statement,
    TypeInner,
};
use rustc_hash::FxHashSet;

/// An update of a place in memory that depends on the value there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Update {
    /// The site of the read.
    pub read: SiteId,
    /// The site of the write.
    pub write: SiteId,
    /// The atomic operation that does the same in one step, if there is one.
    pub atomic: Option<AtomicFunction>,
    /// Whether the type of the place has atomics (`u32` and `i32`).
    pub has_atomics: bool,
}

/// Returns the update whose write is at `site`, if the write belongs to an update.
pub fn update(program: &Program, site: SiteId) -> Option<Update> {
    let Access { target: Target::Pointer { pointer, .. }, .. } = program.sites.access(site)? else {
        return None;
    };
    let id = program.sites.get(site)?.function;
    let function = id.get(&program.module);
    let mut stored = None;
    walk::statements(&function.body, &mut |ordinal, statement, _| {
        if let Statement::Store { pointer: to, value } = statement
            && to == pointer
            && program.sites.statement(id, ordinal) == Some(site)
        {
            stored = Some(*value);
        }
    });
    let stored = stored?;
    let place = program.source.snippet(program.sites.get(site)?.span);
    let same_place = |loaded: &SiteId| {
        let same_pointer = matches!(
            program.sites.access(*loaded).map(|access| &access.target),
            Some(Target::Pointer { pointer: from, .. }) if from == pointer
        );
        let text = program.sites.get(*loaded).map(|site| program.source.snippet(site.span));
        match program.language.shows_expressions() {
            true => same_pointer || text.is_some_and(|text| !text.is_empty() && text == place),
            false => matches!(
                program.sites.access(*loaded).map(|access| &access.target),
                Some(Target::Pointer { pointer: from, .. }) if has_same_structure(function, *from, *pointer)
            ),
        }
    };
    let load = |value: Handle<Expression>| match function.expressions[value] {
        Expression::Load { .. } => program.sites.load(id, value).filter(same_place),
        _ => None,
    };
    let direct = operation(function, stored).and_then(|(operands, atomic, commutes)| {
        let read = match operands {
            [Some(left), _] if load(left).is_some() => load(left),
            [_, Some(right)] if commutes => load(right),
            _ => None,
        };
        Some((read?, atomic))
    });
    let (read, atomic) = match direct {
        Some(direct) => direct,
        None => (find_operand(function, stored, &load)?, None),
    };
    let info = match id {
        FunctionId::Helper(handle) => &program.info[handle],
        FunctionId::Entry(index) => program.info.get_entry_point(index),
    };
    let has_atomics = matches!(
        info[stored].ty.inner_with(&program.module.types),
        TypeInner::Scalar(Scalar { kind: ScalarKind::Uint | ScalarKind::Sint, width: 4 })
    );
    Some(Update { read, write: site, atomic, has_atomics })
}

/// Returns the first result of `find` for `value` and the expressions that it is computed from.
fn find_operand<T>(
    function: &Function,
    value: Handle<Expression>,
    find: &impl Fn(Handle<Expression>) -> Option<T>,
) -> Option<T> {
    let (mut open, mut seen) = (vec![value], FxHashSet::default());
    while let Some(expression) = open.pop() {
        if let Some(found) = find(expression) {
            return Some(found);
        }
        walk::operands(&function.expressions[expression], &mut |operand| {
            if seen.insert(operand) {
                open.push(operand);
            }
        });
    }
    None
}

/// Returns whether two expressions have the same structure over the same variables. The values of the variables may
/// have changed in between.
fn has_same_structure(function: &Function, a: Handle<Expression>, b: Handle<Expression>) -> bool {
    let parts = |of: Handle<Expression>| match function.expressions[of] {
        Expression::Access { base, index } => Some((base, Some(index), 0)),
        Expression::AccessIndex { base, index } => Some((base, None, index)),
        Expression::Load { pointer } => Some((pointer, None, 0)),
        _ => None,
    };
    let kind = |of: Handle<Expression>| std::mem::discriminant(&function.expressions[of]);
    let leaf = |of: Handle<Expression>| match function.expressions[of] {
        Expression::LocalVariable(local) => Some((0, local.index())),
        Expression::GlobalVariable(global) => Some((1, global.index())),
        Expression::Constant(constant) => Some((2, constant.index())),
        _ => None,
    };
    match (parts(a), parts(b)) {
        _ if a == b => true,
        (Some((base, index, constant)), Some((other, other_index, other_constant))) => {
            let same_index = match (index, other_index) {
                (Some(index), Some(other)) => has_same_structure(function, index, other),
                (index, other) => index == other,
            };
            kind(a) == kind(b)
                && constant == other_constant
                && same_index
                && has_same_structure(function, base, other)
        }
        _ => leaf(a).is_some() && leaf(a) == leaf(b),
    }
}

type Operation = ([Option<Handle<Expression>>; 2], Option<AtomicFunction>, bool);

/// Returns the operands of `value`, its atomic operation, and whether the operands commute.
fn operation(function: &Function, value: Handle<Expression>) -> Option<Operation> {
    Some(match function.expressions[value] {
        Expression::Binary { op, left, right } => {
            let (atomic, commutes) = match op {
                BinaryOperator::Add => (Some(AtomicFunction::Add), true),
                BinaryOperator::Subtract => (Some(AtomicFunction::Sub), false),
                BinaryOperator::And => (Some(AtomicFunction::And), true),
                BinaryOperator::InclusiveOr => (Some(AtomicFunction::Or), true),
                BinaryOperator::ExclusiveOr => (Some(AtomicFunction::Xor), true),
                BinaryOperator::Multiply => (None, true),
                _ => (None, false),
            };
            ([Some(left), Some(right)], atomic, commutes)
        }
        Expression::Math { fun, arg, arg1, .. } => {
            let atomic = match fun {
                MathFunction::Min => AtomicFunction::Min,
                MathFunction::Max => AtomicFunction::Max,
                _ => return None,
            };
            ([Some(arg), arg1], Some(atomic), true)
        }
        _ => return None,
    })
}

//! Recognizes updates: a read, and a write of the same place. Either the value is computed from the one that is read (`x += 1`), or
//! the read decides whether it is written (`if v > x { x = v; }`).

use crate::facts::suggestion::AtomicFunction;
use crate::ir::access::{Access, Target};
use crate::ir::sites::SiteId;
use crate::ir::walk::{self, FunctionId};
use crate::pass::mutants::has_same_structure;
use crate::program::Program;
use crate::source_map::Span;
use naga::{
    BinaryOperator, Block, Expression, Function, Handle, MathFunction, Module, Scalar, ScalarKind,
    Statement, TypeInner,
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
    /// The source of the `if` whose condition is the read, if that decides whether the place is written. `atomic` replaces all of it.
    pub guard: Option<Span>,
}

/// Returns the update whose write is at `site`, if the write belongs to an update.
pub fn update(program: &Program, site: SiteId) -> Option<Update> {
    let Access { target: Target::Pointer { pointer, .. }, .. } = program.sites.access(site)? else {
        return None;
    };
    let id = program.sites.get(site)?.function;
    let module = &program.module;
    let function = id.get(module);
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
                Some(Target::Pointer { pointer: from, .. }) if has_same_structure(module, function, *from, *pointer)
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
    let (read, atomic, guard) = match direct {
        Some((read, atomic)) => (read, atomic, None),
        None => match find_operand(function, stored, &load) {
            Some(read) => (read, None, None),
            None => {
                let (read, atomic, guard) = find_guard(module, function, *pointer, stored, &load)?;
                (read, atomic, Some(guard))
            }
        },
    };
    let info = match id {
        FunctionId::Helper(handle) => &program.info[handle],
        FunctionId::Entry(index) => program.info.get_entry_point(index),
    };
    let has_atomics = matches!(
        info[stored].ty.inner_with(&program.module.types),
        TypeInner::Scalar(Scalar { kind: ScalarKind::Uint | ScalarKind::Sint, width: 4 })
    );
    Some(Update { read, write: site, atomic, has_atomics, guard })
}

/// Returns the read of a place in the condition of the `if` around the statement that stores `stored` there. If the `if` does nothing
/// but keep the minimum or maximum, also returns the atomic operation that does the same. Returns the source of the `if` too. Returns
/// `None` if the value comes from the same variable: then elements of an array are compared with each other.
fn find_guard(
    module: &Module,
    function: &Function,
    pointer: Handle<Expression>,
    stored: Handle<Expression>,
    load: &impl Fn(Handle<Expression>) -> Option<SiteId>,
) -> Option<(SiteId, Option<AtomicFunction>, Span)> {
    let variable = walk::root_global(function, pointer)?;
    let is_of_variable = |value: Handle<Expression>| match function.expressions[value] {
        Expression::Load { pointer } => {
            (walk::root_global(function, pointer) == Some(variable)).then_some(())
        }
        _ => None,
    };
    if find_operand(function, stored, &is_of_variable).is_some() {
        return None;
    }
    let mut guard = None;
    walk::statements(&function.body, &mut |_, statement, span| {
        if let Statement::If { condition, accept, reject } = statement {
            let is_store = |statement: &Statement| match *statement {
                Statement::Store { pointer: to, value } => (to, value) == (pointer, stored),
                _ => false,
            };
            if accept.iter().any(is_store) {
                let only_stores = count_effects(accept) == 1 && count_effects(reject) == 0;
                guard = Some((*condition, only_stores, span.into()));
            }
        }
    });
    let (condition, only_stores, span) = guard?;
    let read = find_operand(function, condition, load)?;
    let Expression::Binary { op, left, right } = function.expressions[condition] else {
        return Some((read, None, span));
    };
    let is_compared = |with: Handle<Expression>| has_same_structure(module, function, with, stored);
    let read_first = load(left).is_some() && is_compared(right);
    let read_last = load(right).is_some() && is_compared(left);
    let atomic = match op {
        BinaryOperator::Less | BinaryOperator::LessEqual if read_first => AtomicFunction::Max,
        BinaryOperator::Less | BinaryOperator::LessEqual if read_last => AtomicFunction::Min,
        BinaryOperator::Greater | BinaryOperator::GreaterEqual if read_first => AtomicFunction::Min,
        BinaryOperator::Greater | BinaryOperator::GreaterEqual if read_last => AtomicFunction::Max,
        _ => return Some((read, None, span)),
    };
    Some((read, only_stores.then_some(atomic), span))
}

/// Returns the number of statements in a block, without evaluations and without the `return` that naga adds at the end of a function.
fn count_effects(block: &Block) -> usize {
    let is_effect = |(statement, span): &(&Statement, &naga::Span)| match statement {
        Statement::Emit(_) => false,
        Statement::Return { value: None } => span.is_defined(),
        _ => true,
    };
    block.span_iter().filter(is_effect).count()
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

//! Replaces calls of the functions that were [declared](super::prelude) for naga: atomic functions become atomic statements, and
//! fences become part of the barriers that follow them.
//!
//! naga passes memory to a function by copying it into a variable and back. These copies are removed together with the call, and
//! so are unused loads, of which naga generates an additional one.

use super::narrow::{self, Role, is_shared};
use super::prelude::{Builtin, builtin};
use crate::ir::operands;
use crate::ir::order::Scope;
use crate::ir::rebuild::{Change, Rebuild};
use crate::ir::walk::{self, Numbered, StatementId, StatementOrder, Statements};
use crate::program::UnmodelledOrdering::{self, OrderBetweenWorkgroups, OrderByAtomics};
use naga::{
    AddressSpace, Arena, AtomicFunction, Barrier, EntryPoint, Expression, Function, Handle, Module,
    PredeclaredType, Span, Statement, Type, TypeInner,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;

/// Replaces the calls of `module`. Returns the memory ordering that the analysis does not model. `Err` is the span of a call that
/// cannot be replaced.
pub fn rewrite(module: &mut Module) -> Result<Option<UnmodelledOrdering>, Span> {
    let mut compared: FxHashMap<Handle<Type>, Handle<Type>> = FxHashMap::default();
    let builtins: Vec<Option<Known>> = module
        .functions
        .iter()
        .map(|(_, function)| {
            let known = builtin(function.name.as_deref()?)?;
            Some((known, function.result.as_ref().map(|result| result.ty)))
        })
        .collect();
    for (known, ty) in builtins.iter().flatten() {
        if let (Builtin::CompareExchange, Some(ty)) = (known, ty)
            && let TypeInner::Scalar(scalar) = module.types[*ty].inner
        {
            let result = PredeclaredType::AtomicCompareExchangeWeakResult(scalar);
            compared.insert(*ty, module.generate_predeclared_type(result));
        }
    }
    let unfollowed = Cell::new(None);
    let rewrite =
        Rewrite { module, builtins: &builtins, compared: &compared, unfollowed: &unfollowed };
    let nobody = Arena::new().append(Function::default(), Span::UNDEFINED);
    let (mut functions, mut made) = (Arena::new(), Vec::new());
    for (handle, function) in module.functions.iter() {
        if builtins[handle.index()].is_some() {
            made.push(nobody);
            continue;
        }
        let copy = rewrite.function(function, &made)?;
        made.push(functions.append(copy, module.functions.get_span(handle)));
    }
    let mut entry_points = Vec::new();
    for entry in &module.entry_points {
        let function = rewrite.function(&entry.function, &made)?;
        entry_points.push(EntryPoint { function, ..entry.clone() });
    }
    module.functions = functions;
    module.entry_points = entry_points;
    let is_fence = |known: &Known| matches!(known.0, Builtin::Fence(..));
    let has_atomics = builtins.iter().flatten().any(|known| !is_fence(known));
    Ok(unfollowed.get().filter(|_| has_atomics))
}

/// A declared function, and the type of its result.
type Known = (Builtin, Option<Handle<Type>>);

struct Rewrite<'a> {
    module: &'a Module,
    /// By function: the declared function, if it is one.
    builtins: &'a [Option<Known>],
    /// By scalar type: the result type of a compare-exchange.
    compared: &'a FxHashMap<Handle<Type>, Handle<Type>>,
    /// The memory ordering by fences and atomics that is not modelled.
    unfollowed: &'a Cell<Option<UnmodelledOrdering>>,
}

impl Rewrite<'_> {
    fn function(&self, original: &Function, made: &[Handle<Function>]) -> Result<Function, Span> {
        let mut plan = Plan { of: self, function: original, found: Found::default() };
        plan.block(StatementOrder::of(&original.body).statements(&original.body))?;
        let found = plan.found;
        let unused = unused_loads(original, &found.skipped);
        let roles = narrow::roles(self.module, original);
        let mut change = Calls { of: self, original, found, unused, roles, nothing: None };
        Ok(Rebuild::run(original, made, &mut change))
    }
}

/// The replacements in a function, by statement.
#[derive(Default)]
struct Found {
    atomics: FxHashMap<StatementId, Atomic>,
    skipped: FxHashSet<StatementId>,
    barriers: FxHashMap<StatementId, Barrier>,
}

/// A call that becomes an atomic.
#[derive(Clone, Copy)]
struct Atomic {
    /// The accessed memory.
    pointer: Handle<Expression>,
    builtin: Builtin,
    ty: Handle<Type>,
    result: Handle<Expression>,
}

struct Plan<'a> {
    of: &'a Rewrite<'a>,
    function: &'a Function,
    found: Found,
}

impl Plan<'_> {
    fn block(&mut self, statements: Statements<'_>) -> Result<(), Span> {
        let block: Vec<Numbered<'_>> = statements.iter().collect();
        let mut fenced = Barrier::empty();
        let mut is_open = false;
        for (index, &at) in block.iter().enumerate() {
            let Numbered { id, statement, span, .. } = at;
            for inner in at.blocks() {
                self.unfollowed(std::mem::take(&mut is_open).then_some(OrderByAtomics));
                self.block(inner)?;
            }
            if let Statement::ControlBarrier(_) = statement {
                let own = Barrier::WORK_GROUP;
                self.found.barriers.insert(id, own | std::mem::take(&mut fenced));
                is_open = false;
                continue;
            }
            let Statement::Call { function, arguments, result } = statement else {
                fenced -= self.touched(statement);
                continue;
            };
            let known = self.of.builtins[function.index()];
            if !matches!(known, Some((Builtin::Fence(..), _))) {
                // The atomic may publish what a preceding fence released.
                self.unfollowed(std::mem::take(&mut is_open).then_some(OrderByAtomics));
            }
            match known {
                Some((Builtin::Fence(memory, scope), _)) => {
                    fenced |= memory;
                    is_open |= !memory.is_empty();
                    let beyond = memory.intersects(Barrier::STORAGE | Barrier::TEXTURE);
                    let reaches_beyond = beyond && scope > Scope::Workgroup;
                    self.unfollowed(reaches_beyond.then_some(OrderBetweenWorkgroups));
                    self.found.skipped.insert(id);
                }
                Some((builtin, Some(ty))) => {
                    let (Some(local), Some(result)) = (arguments.first(), *result) else {
                        return Err(span);
                    };
                    let before =
                        (0..index).rev().find(|&i| self.copies_to(block[i].statement, *local));
                    let behind = (index + 1..block.len())
                        .find_map(|i| Some((i, self.copied_from(block[i].statement, *local)?)));
                    let (Some(before), Some((behind, pointer))) = (before, behind) else {
                        return Err(span);
                    };
                    if !is_shared(self.of.module, self.function, pointer) {
                        return Err(span);
                    }
                    fenced = Barrier::empty();
                    self.found.skipped.extend([block[before].id, block[behind].id]);
                    let atomic = Atomic { pointer, builtin, ty, result };
                    self.found.atomics.insert(id, atomic);
                }
                _ => fenced = Barrier::empty(),
            }
        }
        self.unfollowed(is_open.then_some(OrderByAtomics));
        Ok(())
    }

    fn unfollowed(&self, more: Option<UnmodelledOrdering>) {
        self.of.unfollowed.set(self.of.unfollowed.get().max(more));
    }

    /// Returns whether a statement copies memory to the variable `local`.
    fn copies_to(&self, statement: &Statement, local: Handle<Expression>) -> bool {
        matches!(*statement, Statement::Store { pointer, value } if pointer == local
            && matches!(self.function.expressions[value], Expression::Load { .. }))
    }

    /// Returns the pointer that a statement copies the variable `local` to, if that is what it does.
    fn copied_from(
        &self,
        statement: &Statement,
        local: Handle<Expression>,
    ) -> Option<Handle<Expression>> {
        let Statement::Store { pointer: to, value } = *statement else { return None };
        let from = &self.function.expressions[value];
        matches!(*from, Expression::Load { pointer } if pointer == local).then_some(to)
    }

    /// Returns the kinds of memory that a statement may read or write.
    fn touched(&self, statement: &Statement) -> Barrier {
        let behind = |pointer: Handle<Expression>| {
            let global = walk::root_global(self.function, pointer);
            match global.map(|global| self.of.module.global_variables[global].space) {
                Some(AddressSpace::Storage { .. }) => Barrier::STORAGE,
                Some(AddressSpace::WorkGroup) => Barrier::WORK_GROUP,
                _ => Barrier::empty(),
            }
        };
        match statement {
            Statement::Emit(range) => range
                .clone()
                .map(|expression| match self.function.expressions[expression] {
                    Expression::Load { pointer } => behind(pointer),
                    Expression::ImageLoad { .. } => Barrier::TEXTURE,
                    _ => Barrier::empty(),
                })
                .fold(Barrier::empty(), |all, one| all | one),
            Statement::Store { pointer, .. } => behind(*pointer),
            Statement::ImageStore { .. } | Statement::ImageAtomic { .. } => Barrier::TEXTURE,
            other if walk::children(other).is_empty() => Barrier::empty(),
            _ => Barrier::all(),
        }
    }
}

/// Returns the loads of a function whose values are not used, except by statements that are skipped.
fn unused_loads(
    function: &Function,
    skipped: &FxHashSet<StatementId>,
) -> FxHashSet<Handle<Expression>> {
    let is_load = |handle: Handle<Expression>| {
        matches!(function.expressions[handle], Expression::Load { .. })
    };
    let mut unused: FxHashSet<Handle<Expression>> =
        function.expressions.iter().map(|(handle, _)| handle).filter(|h| is_load(*h)).collect();
    for (_, expression) in function.expressions.iter() {
        walk::operands(expression, &mut |used| {
            unused.remove(&used);
        });
    }
    walk::statements(&function.body, &mut |at, statement, _| {
        if !matches!(statement, Statement::Emit(_)) && !skipped.contains(&at) {
            let mut statement = operands::without_blocks(statement);
            operands::of_statement(&mut statement, &mut |used| {
                unused.remove(used);
            });
        }
    });
    unused
}

struct Calls<'a> {
    of: &'a Rewrite<'a>,
    original: &'a Function,
    found: Found,
    unused: FxHashSet<Handle<Expression>>,
    /// The roles of loads that are narrowed.
    roles: FxHashMap<Handle<Expression>, Role>,
    /// The placeholder for unused values.
    nothing: Option<Handle<Expression>>,
}

impl Change for Calls<'_> {
    fn enter(&mut self, into: &mut Rebuild<'_>) {
        self.nothing = Some(into.u32(0));
        for atomic in self.found.atomics.values() {
            let span = self.original.expressions.get_span(atomic.result);
            let (ty, comparison) = match self.of.compared.get(&atomic.ty) {
                Some(ty) if atomic.builtin == Builtin::CompareExchange => (*ty, true),
                _ => (atomic.ty, false),
            };
            let result = into.declare(Expression::AtomicResult { ty, comparison }, span);
            into.set(atomic.result, result);
        }
    }

    fn replace_expression(
        &mut self,
        into: &mut Rebuild<'_>,
        original: Handle<Expression>,
        copy: &Expression,
    ) -> Option<Handle<Expression>> {
        match (self.roles.get(&original), copy) {
            (Some(Role::Root), Expression::Load { pointer }) => Some(*pointer),
            (Some(Role::Leaf), part) => {
                let span = self.original.expressions.get_span(original);
                let pointer = into.emit(part.clone(), span);
                Some(into.emit(Expression::Load { pointer }, span))
            }
            _ => self.nothing.filter(|_| self.unused.contains(&original)),
        }
    }

    fn statement(&mut self, into: &mut Rebuild<'_>, at: StatementId, copy: Statement, span: Span) {
        if self.found.skipped.contains(&at) {
            return;
        }
        let copy = match copy {
            Statement::ControlBarrier(flags) => {
                let flags = self.found.barriers.get(&at).copied().unwrap_or(flags);
                Statement::ControlBarrier(flags)
            }
            other => other,
        };
        let (Some(atomic), Statement::Call { arguments, result, .. }) =
            (self.found.atomics.get(&at), &copy)
        else {
            return into.push(copy, span);
        };
        let compare = atomic.builtin == Builtin::CompareExchange;
        let fun = match atomic.builtin {
            Builtin::Atomic(fun) => fun,
            _ => AtomicFunction::Exchange { compare: arguments.get(1).copied() },
        };
        let Some(value) = arguments.get(if compare { 2 } else { 1 }).copied() else { return };
        let pointer = into.get(atomic.pointer);
        into.push(Statement::Atomic { pointer, fun, value, result: *result }, span);
        if let (true, Some(base)) = (compare, *result) {
            let old = into.emit(Expression::AccessIndex { base, index: 0 }, span);
            into.set(atomic.result, old);
        }
    }
}

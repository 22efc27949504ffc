//! Atomic operations of a program: what each does, and whether its result is used.

use crate::ir::sites::{SiteId, SiteKind};
use crate::ir::walk::{self, FunctionId};
use crate::program::Program;
use naga::{AtomicFunction, Expression, Function, Handle, Statement};
use rustc_hash::{FxHashMap, FxHashSet};
use std::mem::{Discriminant, discriminant};

/// An atomic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicOperation {
    /// A load.
    Load,
    /// A store.
    Store,
    /// An operation that reads and writes.
    Update {
        /// What it does to the value.
        function: Discriminant<AtomicFunction>,
        /// Whether it writes a value that does not depend on the old one.
        is_exchange: bool,
        /// Whether its result is used.
        is_used: bool,
    },
}

impl AtomicOperation {
    fn update(function: AtomicFunction, is_used: bool) -> Self {
        // Sums and differences commute with each other.
        let commuting = match function {
            AtomicFunction::Subtract => AtomicFunction::Add,
            other => other,
        };
        let is_exchange = matches!(function, AtomicFunction::Exchange { .. });
        Self::Update { function: discriminant(&commuting), is_exchange, is_used }
    }

    /// Returns whether the order of two operations has no effect.
    pub fn commutes_with(self, other: Self) -> bool {
        match self {
            Self::Load => other == Self::Load,
            Self::Store => false,
            Self::Update { is_exchange, is_used, .. } => !is_exchange && !is_used && self == other,
        }
    }
}

/// Returns the atomic operations of these functions, by site.
pub fn atomic_operations(
    program: &Program,
    functions: &[FunctionId],
) -> FxHashMap<SiteId, AtomicOperation> {
    let sites = &program.sites;
    let is_atomic = |site: SiteId| match sites.get(site).map(|site| &site.kind) {
        Some(SiteKind::Access(access)) => access.action.is_atomic(),
        _ => false,
    };
    let mut all = FxHashMap::default();
    for &id in functions {
        let function = id.get(&program.module);
        let used = used(function);
        walk::statements(&function.body, &mut |at, statement, _| {
            let operation = match *statement {
                Statement::Emit(ref range) => {
                    let loads = range.clone().filter_map(|load| sites.load(id, load));
                    let loads = loads.filter(|load| is_atomic(*load));
                    all.extend(loads.map(|load| (load, AtomicOperation::Load)));
                    return;
                }
                Statement::WorkGroupUniformLoad { .. } => AtomicOperation::Load,
                Statement::Store { .. } => AtomicOperation::Store,
                Statement::Atomic { fun, result, .. } => {
                    let is_used = result.is_some_and(|result| used.contains(&result));
                    AtomicOperation::update(fun, is_used)
                }
                Statement::ImageAtomic { fun, .. } => AtomicOperation::update(fun, false),
                _ => return,
            };
            let site = sites.statement(id, at).filter(|site| is_atomic(*site));
            all.extend(site.map(|site| (site, operation)));
        });
    }
    all
}

/// Returns the expressions that other expressions or statements use.
pub(super) fn used(function: &Function) -> FxHashSet<Handle<Expression>> {
    let mut used = FxHashSet::default();
    for (_, expression) in function.expressions.iter() {
        walk::operands(expression, &mut |operand| {
            used.insert(operand);
        });
    }
    walk::statements(&function.body, &mut |_, statement, _| {
        let mut shallow = crate::ir::operands::without_blocks(statement);
        let own = match statement {
            Statement::Atomic { result, .. } => *result,
            _ => None,
        };
        crate::ir::operands::of_statement(&mut shallow, &mut |operand| {
            if Some(*operand) != own {
                used.insert(*operand);
            }
        });
    });
    used
}

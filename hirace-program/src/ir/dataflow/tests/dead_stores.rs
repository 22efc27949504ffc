//! An example of an analysis: finds the stores to local variables whose values are never read, by liveness.

use crate::ir::dataflow::{Analysis, solve};
use crate::ir::walk::{Numbered, StatementId, StatementOrder, root};
use naga::{Expression, Function, Handle, LocalVariable, Statement};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Returns the stores of whole local variables whose values are never read.
pub fn dead_stores(function: &Function) -> Vec<StatementId> {
    let order = StatementOrder::of(&function.body);
    let mut liveness = Liveness { function, is_read: BTreeMap::new() };
    solve(&mut liveness, order.statements(&function.body).iter(), FxHashMap::default(), ());
    let dead = liveness.is_read.into_iter().filter(|(_, is_read)| !is_read);
    dead.map(|(store, _)| store).collect()
}

struct Liveness<'a> {
    function: &'a Function,
    /// For each store, whether its value may be read.
    is_read: BTreeMap<StatementId, bool>,
}

impl Liveness<'_> {
    fn variable(&self, pointer: Handle<Expression>) -> Option<Handle<LocalVariable>> {
        match *root(self.function, pointer) {
            Expression::LocalVariable(local) => Some(local),
            _ => None,
        }
    }

    /// Returns the variable that a statement stores to as a whole.
    fn stored(&self, at: Numbered<'_>) -> Option<Handle<LocalVariable>> {
        let Statement::Store { pointer, .. } = *at.statement else { return None };
        match self.function.expressions[pointer] {
            Expression::LocalVariable(local) => Some(local),
            _ => None,
        }
    }
}

impl<'a> Analysis<'a> for Liveness<'_> {
    /// The variables that may be read later.
    type State = FxHashMap<Handle<LocalVariable>, ()>;
    type Cause = ();
    const IS_BACKWARD: bool = true;

    fn bottom(&self) -> Self::State {
        FxHashMap::default()
    }

    fn statement(&mut self, at: Numbered<'a>, live: &mut Self::State, (): &()) {
        if let Some(local) = self.stored(at) {
            *self.is_read.entry(at.id).or_default() |= live.remove(&local).is_some();
        }
        match *at.statement {
            Statement::Emit(ref range) => {
                for expression in range.clone() {
                    if let Expression::Load { pointer } = self.function.expressions[expression] {
                        live.extend(self.variable(pointer).map(|local| (local, ())));
                    }
                }
            }
            Statement::Call { ref arguments, .. } => {
                live.extend(arguments.iter().filter_map(|of| Some((self.variable(*of)?, ()))));
            }
            _ => {}
        }
    }
}

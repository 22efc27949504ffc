//! An example of an analysis: finds the stores to local variables whose values are never read, by liveness.

use crate::ir::dataflow::{Analysis, backward};
use crate::ir::walk::{Numbered, StatementId, StatementOrder, root};
use naga::{Expression, Function, Handle, LocalVariable, Statement};
use rustc_hash::FxHashMap;

/// Returns the stores of whole local variables whose values are never read.
pub fn dead_stores(function: &Function) -> Vec<StatementId> {
    let order = StatementOrder::of(&function.body);
    let mut liveness = Liveness { function, dead: Vec::new() };
    backward(&mut liveness, order.statements(&function.body), FxHashMap::default());
    liveness.dead
}

struct Liveness<'a> {
    function: &'a Function,
    dead: Vec<StatementId>,
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

    fn bottom(&self) -> Self::State {
        FxHashMap::default()
    }

    fn statement(&mut self, at: Numbered<'a>, live: &mut Self::State, (): &()) {
        if let Some(local) = self.stored(at) {
            live.remove(&local);
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

    const VISITS: bool = true;

    fn visit(&mut self, at: Numbered<'a>, live: &Self::State) {
        if self.stored(at).is_some_and(|local| !live.contains_key(&local)) {
            self.dead.push(at.id);
        }
    }
}

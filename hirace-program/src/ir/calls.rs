//! The call graph.
//!
//! A [`CallGraph`] is computed once per program and stored in it. Front ends compute one for a bare module.

use super::walk::{self, FunctionId, StatementId};
use naga::{Function, Handle, Module, Statement};
use rustc_hash::FxHashSet;

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The calling function.
    pub caller: FunctionId,
    /// The call statement in the caller.
    pub at: StatementId,
    /// The called function.
    pub callee: Handle<Function>,
}

/// All calls of a module.
#[derive(Clone, Debug, Default)]
pub struct CallGraph {
    helpers: Vec<Vec<Call>>,
    entries: Vec<Vec<Call>>,
}

impl CallGraph {
    /// Computes the call graph of `module`.
    pub fn of(module: &Module) -> Self {
        let mut graph = Self::default();
        for caller in FunctionId::all(module) {
            let mut calls = Vec::new();
            walk::statements(&caller.get(module).body, &mut |at, statement, _| {
                if let Statement::Call { function: callee, .. } = *statement {
                    calls.push(Call { caller, at, callee });
                }
            });
            match caller {
                FunctionId::Helper(_) => graph.helpers.push(calls),
                FunctionId::Entry(_) => graph.entries.push(calls),
            }
        }
        graph
    }

    /// Returns the calls in a function, in statement order.
    pub fn calls_in(&self, caller: FunctionId) -> &[Call] {
        let calls = match caller {
            FunctionId::Helper(handle) => self.helpers.get(handle.index()),
            FunctionId::Entry(index) => self.entries.get(index),
        };
        calls.map_or(&[], Vec::as_slice)
    }

    /// Returns the calls of a function, in the order of their callers.
    pub fn calls_of(&self, callee: FunctionId) -> impl Iterator<Item = &Call> {
        let all = self.helpers.iter().chain(&self.entries).flatten();
        all.filter(move |call| FunctionId::Helper(call.callee) == callee)
    }

    /// Returns the functions that a function calls, in the order of the calls. A function that is called twice occurs twice.
    pub fn callees(&self, caller: FunctionId) -> impl Iterator<Item = Handle<Function>> {
        self.calls_in(caller).iter().map(|call| call.callee)
    }

    /// Returns the given functions and everything that they call, directly or indirectly, each once, in breadth-first order.
    pub fn reachable(&self, from: impl IntoIterator<Item = FunctionId>) -> Vec<FunctionId> {
        let mut seen = FxHashSet::default();
        let mut reached: Vec<FunctionId> = from.into_iter().filter(|id| seen.insert(*id)).collect();
        let mut next = 0;
        while let Some(&caller) = reached.get(next) {
            let callees = self.callees(caller).map(FunctionId::Helper);
            reached.extend(callees.filter(|callee| seen.insert(*callee)));
            next += 1;
        }
        reached
    }

    /// Returns the statement of `caller` that calls `callee`, if there is exactly one.
    pub fn only_call(&self, caller: FunctionId, callee: FunctionId) -> Option<StatementId> {
        let of_callee = |call: &&Call| FunctionId::Helper(call.callee) == callee;
        let mut calls = self.calls_in(caller).iter().filter(of_callee);
        match (calls.next(), calls.next()) {
            (Some(only), None) => Some(only.at),
            _ => None,
        }
    }

    /// Returns, for each helper function, the length of the longest chain of calls that starts in it. In naga's order callees
    /// precede their callers.
    pub fn depths(&self) -> Vec<usize> {
        let mut depths: Vec<usize> = Vec::with_capacity(self.helpers.len());
        for calls in &self.helpers {
            let below =
                calls.iter().map(|call| depths.get(call.callee.index()).copied().unwrap_or(0) + 1);
            let depth = below.max().unwrap_or(0);
            depths.push(depth);
        }
        depths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_from_both_ends() {
        let module = naga::front::wgsl::parse_str(
            "fn leaf() {}
             fn twice() { leaf(); if (true) { leaf(); } }
             fn unused() { twice(); }
             fn once() { twice(); }
             @compute @workgroup_size(1) fn one() { once(); leaf(); }
             @compute @workgroup_size(1) fn two() { leaf(); }",
        )
        .expect("valid WGSL");
        let graph = CallGraph::of(&module);
        let name = |id: FunctionId| id.get(&module).name.clone().unwrap_or_default();
        let named =
            |of: &str| FunctionId::all(&module).find(|id| name(*id) == of).expect("a function");
        let names = |ids: Vec<FunctionId>| ids.into_iter().map(name).collect::<Vec<_>>();
        assert_eq!(names(graph.reachable([named("one")])), ["one", "once", "leaf", "twice"]);
        assert_eq!(names(graph.reachable([named("two")])), ["two", "leaf"]);
        let callers = |of: &str| names(graph.calls_of(named(of)).map(|call| call.caller).collect());
        assert_eq!(callers("leaf"), ["twice", "twice", "one", "two"]);
        assert_eq!(graph.only_call(named("once"), named("twice")), Some(StatementId(0)));
        assert_eq!(graph.only_call(named("twice"), named("leaf")), None);
        assert_eq!(graph.only_call(named("two"), named("twice")), None);
        assert_eq!(graph.depths(), [0, 1, 2, 2]);
    }
}

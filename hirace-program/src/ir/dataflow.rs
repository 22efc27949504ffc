//! Data-flow analysis of function bodies, as in `rustc_mir_dataflow`, over structured control flow.
//!
//! An [`Analysis`] has a lattice of *states*, what is known at a point, and a transfer function, [`Analysis::statement`]. The
//! solver applies the transfer function along all paths through a block and joins states where paths meet: after the arms of an
//! `if`, at the end of a `switch`, and at the head of a loop, which it repeats until nothing changes. It handles `break`,
//! `continue`, `return`, `continuing` and `break if`, so that analyses do not.
//!
//! - A forward analysis computes states from what was executed before a point, a backward one from what may be executed after it.
//! - **Path-sensitive facts.** [`Analysis::enter`] refines the state on an edge, for example by the condition of an `if`.
//! - **Control dependence.** [`Analysis::cause`] returns what a condition depends on, its *cause*. The solver passes to each
//!   statement the join of all causes for which an invocation may not execute it: the conditions of enclosing branches, and of
//!   earlier jumps. Invocations that left a loop by `break` execute what follows the loop.
//! - **Calls.** A call is a statement like any other. An analysis keeps one summary of each function, in [`Facts`], and repeats
//!   all functions until no fact changes (hirace-core's `analysis/flow/walk.rs`); or it analyses the callee with the arguments of the
//!   call, and stores a result for each list of arguments (hirace-core's `analysis/uniformity.rs`).
//! - **Flow-insensitive facts.** [`Facts`] hold at all points. What an analysis knows about memory is usually of this kind.
//!   An analysis that only has such facts uses `()` for its states and causes.
//! - **Results.** In a loop, the solver passes a statement to the transfer function several times, with states that rise. The
//!   transfer function collects results as a join over these states.
//!
//! # Termination
//!
//! The state at the head of a loop only rises: it is joined with the state at the end of each iteration, and the solver stops
//! when the join changes nothing. So it stops after at most as many iterations as the lattice is high. The lattices of this
//! workspace are of finite height. For a lattice of infinite height, [`Analysis::widen`] must raise the state so far that it
//! changes only finitely often. [`Facts`] only rise, too, so that repeating all functions ends as well.
//!
//! A join must not replace an element by another of the same height. Of two reasons for the same fact, it keeps the first.
//!
//! # Adding an analysis
//!
//! Write one file with a type that implements [`Analysis`], and call [`solve`] with the statements of a body.
//! `dataflow/tests/dead_stores.rs` is an example: it finds the stores whose values are never read. The statements of a body
//! are `program.body(id).statements_of(function)`. Accesses to shared memory are listed by `Program::sites`; those to variables of
//! a function are expressions and statements of naga.

mod lattice;
mod solver;
#[cfg(test)]
mod tests;

pub use lattice::{Facts, JoinSemiLattice};
pub use solver::{Exits, solve};

use super::walk::NumberedStatement;
use naga::{Expression, Handle};

/// An analysis: a lattice and a transfer function.
pub trait Analysis<'a> {
    /// What is known at a point, joined over the paths that lead to it (forward) or from it (backward).
    type State: JoinSemiLattice + Clone;
    /// What the execution of a point depends on; `()` if that is not tracked.
    type Cause: JoinSemiLattice + Clone + Default;

    /// Whether the analysis is backward.
    const IS_BACKWARD: bool = false;

    /// Returns the state of a point that no path leads to.
    fn bottom(&self) -> Self::State;

    /// Applies the effect of a statement to the state. For a statement with nested blocks, this is the effect of its condition;
    /// a loop evaluates its `break if` before the next iteration. `control` is what the execution of the statement depends on.
    fn statement(
        &mut self,
        at: NumberedStatement<'a>,
        state: &mut Self::State,
        control: &Self::Cause,
    );

    /// Refines the state on an edge. `control` is what taking the edge depends on, without the condition of an `if` or `switch`.
    fn enter(
        &mut self,
        _: NumberedStatement<'a>,
        _: Edge,
        _state: &mut Self::State,
        _control: &Self::Cause,
    ) {
    }

    /// Returns what this condition of a branch or loop depends on. Only for forward analyses.
    fn cause(
        &mut self,
        _: NumberedStatement<'a>,
        _condition: Handle<Expression>,
        _state: &Self::State,
    ) -> Self::Cause {
        Self::Cause::default()
    }

    /// Returns whether invocations that continue a loop execute its continuing block together with those that reached the end of
    /// its body. Only for forward analyses.
    fn reconverges_at_continuing(&self) -> bool {
        true
    }

    /// Raises the state at the head of a loop so that it changes only finitely often. `round` is the number of iterations so far.
    fn widen(&mut self, _: NumberedStatement<'a>, _state: &mut Self::State, _round: u32) {}
}

/// An edge from the head of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Into the nested block with this index ([`walk::children`](super::walk::children)). `continue` statements lead to block 1
    /// of a loop.
    Block(usize),
    /// Out of a loop whose `break if` holds.
    BreakIf,
}

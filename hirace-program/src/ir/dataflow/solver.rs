//! The solver: walks structured statements in either direction and repeats loops until their states are stable.

use super::{Analysis, Edge, JoinSemiLattice};
use crate::ir::walk::{Numbered, Statements};
use naga::{Expression, Handle, Statement};
use std::mem::replace;

/// The states in which control leaves a block.
#[derive(Clone, Debug)]
pub struct Exits<S> {
    /// The state at the end of the block.
    pub end: S,
    /// The joined state of all points at which the function returns.
    pub returned: S,
}

/// Runs a forward analysis over statements of one block, which control enters in this state. `control` is what their execution
/// depends on.
pub fn forward<'a, A: Analysis<'a>>(
    analysis: &mut A,
    statements: impl IntoIterator<Item = Numbered<'a>>,
    state: A::State,
    control: A::Cause,
) -> Exits<A::State> {
    let mut point = Point { state, control: Control { branch: control, ..Control::default() } };
    let bottom = analysis.bottom();
    let mut solver = Solver::new(analysis, bottom);
    solver.block(statements, &mut point);
    Exits { end: point.state, returned: solver.returned }
}

/// Runs a backward analysis over the body of a function, which ends in this state. Returns the state at its start.
pub fn backward<'a, A: Analysis<'a>>(
    analysis: &mut A,
    statements: Statements<'a>,
    mut state: A::State,
) -> A::State {
    Solver::new(analysis, state.clone()).block_backward(statements, &mut state);
    state
}

/// What the execution of a point depends on, by the way in which an invocation may have left the path to it.
#[derive(Clone, Default)]
struct Control<C> {
    /// It took another arm of an enclosing branch.
    branch: C,
    /// It left the innermost loop or switch.
    broke: C,
    /// It continued the innermost loop.
    continued: C,
    /// It returned from the function.
    returned: C,
}

impl<C: JoinSemiLattice + Clone> Control<C> {
    fn cause(&self) -> C {
        let mut cause = self.branch.clone();
        for other in [&self.broke, &self.continued, &self.returned] {
            cause.join(other);
        }
        cause
    }

    fn join(&mut self, other: &Self) -> bool {
        self.branch.join(&other.branch)
            | self.broke.join(&other.broke)
            | self.continued.join(&other.continued)
            | self.returned.join(&other.returned)
    }
}

#[derive(Clone)]
struct Point<S, C> {
    state: S,
    control: Control<C>,
}

impl<S: JoinSemiLattice, C: JoinSemiLattice + Clone> Point<S, C> {
    fn join(&mut self, other: &Self) -> bool {
        self.state.join(&other.state) | self.control.join(&other.control)
    }
}

type PointOf<'a, A> = Point<<A as Analysis<'a>>::State, <A as Analysis<'a>>::Cause>;

/// The states at the targets of jumps. Forward, jumps are joined into them; backward, jumps start with them.
struct Solver<'s, 'a, A: Analysis<'a>> {
    analysis: &'s mut A,
    broke: A::State,
    continued: A::State,
    returned: A::State,
    /// Whether states are final and visited.
    is_final: bool,
}

impl<'s, 'a, A: Analysis<'a>> Solver<'s, 'a, A> {
    fn new(analysis: &'s mut A, returned: A::State) -> Self {
        let (broke, continued) = (analysis.bottom(), analysis.bottom());
        Self { analysis, broke, continued, returned, is_final: A::VISITS }
    }

    fn apply(&mut self, at: Numbered<'a>, state: &mut A::State, control: &A::Cause) {
        if self.is_final {
            self.analysis.visit(at, state);
        }
        self.analysis.statement(at, state, control);
    }

    /// Repeats a loop from the state at its head until that is stable, then once more if states are visited. `iterate` changes
    /// the value at the head to that at the other end of an iteration.
    fn fixpoint<P: Clone>(
        &mut self,
        head: &mut P,
        mut iterate: impl FnMut(&mut Self, &mut P),
        mut join: impl FnMut(&mut Self, &mut P, &P, u32) -> bool,
    ) {
        let is_final = replace(&mut self.is_final, false);
        for round in 0.. {
            let mut end = head.clone();
            iterate(self, &mut end);
            if !join(self, head, &end, round) {
                break;
            }
        }
        self.is_final = is_final;
        if is_final {
            iterate(self, &mut head.clone());
        }
    }

    fn block(
        &mut self,
        statements: impl IntoIterator<Item = Numbered<'a>>,
        point: &mut PointOf<'a, A>,
    ) {
        for at in statements {
            let control = point.control.cause();
            self.apply(at, &mut point.state, &control);
            match *at.statement {
                Statement::Block(_) => {
                    at.blocks().into_iter().for_each(|block| self.block(block.iter(), point));
                }
                Statement::If { condition, .. } | Statement::Switch { selector: condition, .. } => {
                    self.branch(at, condition, point);
                }
                Statement::Loop { break_if, .. } => self.repeat(at, break_if, point),
                Statement::Break => {
                    point.control.broke = control;
                    self.broke.join(&replace(&mut point.state, self.analysis.bottom()));
                }
                Statement::Continue => {
                    point.control.continued = control;
                    self.continued.join(&replace(&mut point.state, self.analysis.bottom()));
                }
                Statement::Return { .. } | Statement::Kill => {
                    point.control.returned = control;
                    self.returned.join(&replace(&mut point.state, self.analysis.bottom()));
                }
                _ => {}
            }
        }
    }

    fn branch(
        &mut self,
        at: Numbered<'a>,
        condition: Handle<Expression>,
        point: &mut PointOf<'a, A>,
    ) {
        let is_switch = matches!(at.statement, Statement::Switch { .. });
        let (outer, outer_broke) = (point.control.clone(), self.broke.clone());
        point.control.branch.join(&self.analysis.cause(at, condition, &point.state));
        if is_switch {
            point.control.broke = A::Cause::default();
            self.broke = self.analysis.bottom();
        }
        let control = outer.cause();
        let (mut after, mut fallen): (Option<PointOf<'a, A>>, Option<PointOf<'a, A>>) =
            (None, None);
        for (index, block) in at.blocks().into_iter().enumerate() {
            let mut arm = point.clone();
            self.analysis.enter(at, Edge::Block(index), &mut arm.state, &control);
            if let Some(fallen) = fallen.take() {
                arm.join(&fallen);
            }
            self.block(block.iter(), &mut arm);
            match falls_through(at, index) {
                true => fallen = Some(arm),
                false => {
                    if let Some(after) = after.take() {
                        arm.join(&after);
                    }
                    after = Some(arm);
                }
            }
        }
        if let Some(after) = after {
            *point = after;
        }
        point.control.branch = outer.branch;
        if is_switch {
            point.control.broke = outer.broke;
            point.state.join(&replace(&mut self.broke, outer_broke));
        }
    }

    fn repeat(
        &mut self,
        at: Numbered<'a>,
        break_if: Option<Handle<Expression>>,
        point: &mut PointOf<'a, A>,
    ) {
        let [body, continuing] = at.blocks()[..] else { return };
        let outer = point.control.clone();
        point.control.broke = A::Cause::default();
        point.control.continued = A::Cause::default();
        let broke = replace(&mut self.broke, self.analysis.bottom());
        let continued = replace(&mut self.continued, self.analysis.bottom());
        let iterate = |solver: &mut Self, end: &mut PointOf<'a, A>| {
            let control = end.control.cause();
            solver.analysis.enter(at, Edge::Block(0), &mut end.state, &control);
            solver.block(body.iter(), end);
            end.state.join(&replace(&mut solver.continued, solver.analysis.bottom()));
            let control = end.control.cause();
            solver.analysis.enter(at, Edge::Block(1), &mut end.state, &control);
            end.control.continued = A::Cause::default();
            solver.block(continuing.iter(), end);
            if let Some(condition) = break_if {
                let mut exit = end.clone();
                exit.control.branch.join(&solver.analysis.cause(at, condition, &end.state));
                end.control.broke = exit.control.cause();
                solver.analysis.enter(at, Edge::BreakIf, &mut exit.state, &end.control.broke);
                solver.broke.join(&exit.state);
            }
        };
        self.fixpoint(point, iterate, |solver, head, end, round| {
            let changed = head.join(end);
            if changed {
                solver.analysis.widen(at, &mut head.state, round);
            }
            changed
        });
        // Invocations that left the loop join again after it; those that returned do not.
        point.control = Control { returned: point.control.returned.clone(), ..outer };
        point.state = replace(&mut self.broke, broke);
        self.continued = continued;
    }

    fn block_backward(&mut self, statements: Statements<'a>, state: &mut A::State) {
        let control = A::Cause::default();
        let statements: Vec<_> = statements.iter().collect();
        for at in statements.into_iter().rev() {
            match *at.statement {
                Statement::Block(_) => {
                    at.blocks().into_iter().for_each(|block| self.block_backward(block, state));
                }
                Statement::If { .. } | Statement::Switch { .. } => self.branch_backward(at, state),
                Statement::Loop { break_if, .. } => {
                    self.repeat_backward(at, break_if.is_some(), state);
                    continue;
                }
                Statement::Break => state.clone_from(&self.broke),
                Statement::Continue => state.clone_from(&self.continued),
                Statement::Return { .. } | Statement::Kill => state.clone_from(&self.returned),
                _ => {}
            }
            self.apply(at, state, &control);
        }
    }

    fn branch_backward(&mut self, at: Numbered<'a>, state: &mut A::State) {
        let after = replace(state, self.analysis.bottom());
        let outer_broke = self.broke.clone();
        if matches!(at.statement, Statement::Switch { .. }) {
            self.broke.clone_from(&after);
        }
        let mut next = after.clone();
        for (index, block) in at.blocks().into_iter().enumerate().rev() {
            if !falls_through(at, index) {
                next.clone_from(&after);
            }
            self.block_backward(block, &mut next);
            let mut arm = next.clone();
            self.analysis.enter(at, Edge::Block(index), &mut arm, &A::Cause::default());
            state.join(&arm);
        }
        self.broke = outer_broke;
    }

    fn repeat_backward(&mut self, at: Numbered<'a>, has_break_if: bool, state: &mut A::State) {
        let [body, continuing] = at.blocks()[..] else { return };
        let control = A::Cause::default();
        let after = replace(state, self.analysis.bottom());
        let broke = replace(&mut self.broke, after);
        let continued = self.continued.clone();
        let iterate = |solver: &mut Self, start: &mut A::State| {
            if has_break_if {
                let mut exit = solver.broke.clone();
                solver.analysis.enter(at, Edge::BreakIf, &mut exit, &control);
                start.join(&exit);
            }
            solver.apply(at, start, &control);
            solver.block_backward(continuing, start);
            solver.analysis.enter(at, Edge::Block(1), start, &control);
            solver.continued.clone_from(start);
            solver.block_backward(body, start);
            solver.analysis.enter(at, Edge::Block(0), start, &control);
        };
        self.fixpoint(state, iterate, |solver, head, start, round| {
            let changed = head.join(start);
            if changed {
                solver.analysis.widen(at, head, round);
            }
            changed
        });
        (self.broke, self.continued) = (broke, continued);
    }
}

/// Returns whether control continues with the next case after this case of a switch.
fn falls_through(at: Numbered<'_>, index: usize) -> bool {
    matches!(at.statement, Statement::Switch { cases, .. } if cases[index].fall_through)
}

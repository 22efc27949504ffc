//! The solver: walks structured statements in either direction and repeats loops until their states are stable.

use super::{Analysis, Edge, JoinSemiLattice};
use crate::ir::walk::{NumberedStatement, Statements};
use naga::{Expression, Handle, Statement};
use std::mem::replace;

/// The states in which control leaves a block.
#[derive(Clone, Debug)]
pub struct Exits<S> {
    /// The state at the end of the block; for a backward analysis, at its start.
    pub end: S,
    /// The joined state of all points at which the function returns.
    pub returned: S,
}

/// Runs an analysis over statements of one block. `state` is the state at their start; for a backward analysis, at their end and at
/// `return`s. `control` is what their execution depends on.
pub fn solve<'a, A: Analysis<'a>>(
    analysis: &mut A,
    statements: impl IntoIterator<Item = NumberedStatement<'a>>,
    state: A::State,
    control: A::Cause,
) -> Exits<A::State> {
    let [broke, continued, bottom] = [(); 3].map(|()| analysis.bottom());
    let returned = if A::IS_BACKWARD { state.clone() } else { bottom };
    let mut solver = Solver { analysis, targets: [broke, continued, returned] };
    let mut point = Point { state, control: Default::default() };
    point.control[BRANCH] = control;
    solver.block(statements, &mut point);
    let [_, _, returned] = solver.targets;
    Exits { end: point.state, returned }
}

/// The ways in which an invocation leaves the path to a point: out of the innermost loop or switch, to the next iteration of the
/// innermost loop, out of the function, or into another arm of an enclosing branch.
const BROKE: usize = 0;
const CONTINUED: usize = 1;
const RETURNED: usize = 2;
const BRANCH: usize = 3;

/// The state of a point, and what its execution depends on, by the way in which an invocation may have left the path to it.
#[derive(Clone)]
struct Point<S, C> {
    state: S,
    control: [C; 4],
}

impl<S: JoinSemiLattice, C: JoinSemiLattice + Clone + Default> Point<S, C> {
    fn join(&mut self, other: &Self) -> bool {
        let ways = self.control.iter_mut().zip(&other.control);
        let changed = ways.fold(false, |changed, (own, other)| own.join(other) | changed);
        self.state.join(&other.state) | changed
    }

    /// Enters a loop or switch: invocations that left the path before do not execute it, in whichever way they left.
    fn enter(&mut self, ways: &[usize]) {
        self.control[BRANCH] = self.cause();
        ways.iter().for_each(|way| self.control[*way] = C::default());
    }

    fn cause(&self) -> C {
        let mut cause = self.control[BRANCH].clone();
        for way in &self.control[..BRANCH] {
            cause.join(way);
        }
        cause
    }
}

type PointOf<'a, A> = Point<<A as Analysis<'a>>::State, <A as Analysis<'a>>::Cause>;

struct Solver<'s, 'a, A: Analysis<'a>> {
    analysis: &'s mut A,
    /// The states where jumps lead, by way. Forward, jumps are joined into them; backward, jumps start with them.
    targets: [A::State; 3],
}

impl<'a, A: Analysis<'a>> Solver<'_, 'a, A> {
    fn block(
        &mut self,
        statements: impl IntoIterator<Item = NumberedStatement<'a>>,
        point: &mut PointOf<'a, A>,
    ) {
        for at in in_direction::<A, _>(statements) {
            let control = point.cause();
            if !A::IS_BACKWARD {
                self.analysis.statement(at, &mut point.state, &control);
            }
            let way = match *at.statement {
                Statement::Break => BROKE,
                Statement::Continue => CONTINUED,
                Statement::Return { .. } | Statement::Kill => RETURNED,
                _ => BRANCH,
            };
            match *at.statement {
                _ if way != BRANCH && A::IS_BACKWARD => point.state.clone_from(&self.targets[way]),
                _ if way != BRANCH => {
                    let state = replace(&mut point.state, self.analysis.bottom());
                    self.targets[way].join(&state);
                    point.control[way] = control.clone();
                }
                Statement::Block(_) => self.block(at.blocks()[0].iter(), point),
                Statement::If { condition, .. } | Statement::Switch { selector: condition, .. } => {
                    self.branch(at, condition, point);
                }
                Statement::Loop { break_if, .. } => self.repeat(at, break_if, point),
                _ => {}
            }
            if A::IS_BACKWARD && !matches!(at.statement, Statement::Loop { .. }) {
                self.analysis.statement(at, &mut point.state, &control);
            }
        }
    }

    fn branch(
        &mut self,
        at: NumberedStatement<'a>,
        condition: Handle<Expression>,
        point: &mut PointOf<'a, A>,
    ) {
        let (outer, control) = (point.control.clone(), point.cause());
        let outer_break = self.targets[BROKE].clone();
        let falls_through: Vec<bool> = match at.statement {
            Statement::Switch { cases, .. } => {
                point.enter(&[BROKE]);
                let after =
                    if A::IS_BACKWARD { point.state.clone() } else { self.analysis.bottom() };
                self.targets[BROKE] = after;
                cases.iter().map(|case| case.fall_through).collect()
            }
            _ => vec![false; 2],
        };
        let cause = self.analysis.cause(at, condition, &point.state);
        point.control[BRANCH].join(&cause);
        // Forward, `adjacent` is the end of the previous case; backward, it is the start of the next case.
        let (mut joined, mut adjacent): (Option<PointOf<'a, A>>, _) = (None, point.clone());
        for (index, block) in in_direction::<A, _>(at.blocks().into_iter().enumerate()) {
            let mut arm = point.clone();
            if A::IS_BACKWARD {
                let mut start = if falls_through[index] { adjacent } else { arm };
                self.block(block.iter(), &mut start);
                adjacent = start.clone();
                arm = start;
                self.analysis.enter(at, Edge::Block(index), &mut arm.state, &control);
            } else {
                self.analysis.enter(at, Edge::Block(index), &mut arm.state, &control);
                if index > 0 && falls_through[index - 1] {
                    arm.join(&adjacent);
                }
                self.block(block.iter(), &mut arm);
                if falls_through[index] {
                    adjacent = arm;
                    continue;
                }
            }
            if let Some(joined) = &joined {
                arm.join(joined);
            }
            joined = Some(arm);
        }
        if let Some(joined) = joined {
            *point = joined;
        }
        point.control[BRANCH] = outer[BRANCH].clone();
        if let Statement::Switch { .. } = at.statement {
            point.control[BROKE] = outer[BROKE].clone();
            let after = replace(&mut self.targets[BROKE], outer_break);
            if !A::IS_BACKWARD {
                point.state.join(&after);
            }
        }
    }

    fn repeat(
        &mut self,
        at: NumberedStatement<'a>,
        break_if: Option<Handle<Expression>>,
        point: &mut PointOf<'a, A>,
    ) {
        let [body, continuing] = at.blocks()[..] else { return };
        let outer = point.control.clone();
        point.enter(&[BROKE, CONTINUED]);
        let [mut after, bottom] = [(); 2].map(|()| self.analysis.bottom());
        if A::IS_BACKWARD {
            after = replace(&mut point.state, after);
        }
        let [broke, continued, _] = &mut self.targets;
        let targets = [replace(broke, after), replace(continued, bottom)];
        for round in 0.. {
            let mut end = point.clone();
            match A::IS_BACKWARD {
                false => self.iterate(at, [body, continuing], break_if, &mut end),
                true => self.iterate_backward(at, [body, continuing], break_if, &mut end),
            }
            if !point.join(&end) {
                break;
            }
            self.analysis.widen(at, &mut point.state, round);
        }
        // Invocations that left the loop join again after it; those that returned do not.
        let returned = replace(&mut point.control, outer)[RETURNED].clone();
        point.control[RETURNED] = returned;
        let [broke, continued] = targets;
        let after = replace(&mut self.targets[BROKE], broke);
        self.targets[CONTINUED] = continued;
        if !A::IS_BACKWARD {
            point.state = after;
        }
    }

    fn iterate(
        &mut self,
        at: NumberedStatement<'a>,
        [body, continuing]: [Statements<'a>; 2],
        break_if: Option<Handle<Expression>>,
        point: &mut PointOf<'a, A>,
    ) {
        let control = point.cause();
        self.analysis.enter(at, Edge::Block(0), &mut point.state, &control);
        self.block(body.iter(), point);
        point.state.join(&replace(&mut self.targets[CONTINUED], self.analysis.bottom()));
        let control = point.cause();
        self.analysis.enter(at, Edge::Block(1), &mut point.state, &control);
        if self.analysis.reconverges_at_continuing() {
            point.control[CONTINUED] = A::Cause::default();
        }
        self.block(continuing.iter(), point);
        if let Some(condition) = break_if {
            let mut exit = point.clone();
            exit.control[BRANCH].join(&self.analysis.cause(at, condition, &point.state));
            point.control[BROKE] = exit.cause();
            self.analysis.enter(at, Edge::BreakIf, &mut exit.state, &point.control[BROKE]);
            self.targets[BROKE].join(&exit.state);
        }
    }

    fn iterate_backward(
        &mut self,
        at: NumberedStatement<'a>,
        [body, continuing]: [Statements<'a>; 2],
        break_if: Option<Handle<Expression>>,
        point: &mut PointOf<'a, A>,
    ) {
        let control = point.cause();
        if break_if.is_some() {
            let mut exit = self.targets[BROKE].clone();
            self.analysis.enter(at, Edge::BreakIf, &mut exit, &control);
            point.state.join(&exit);
        }
        self.analysis.statement(at, &mut point.state, &control);
        self.block(continuing.iter(), point);
        self.analysis.enter(at, Edge::Block(1), &mut point.state, &control);
        self.targets[CONTINUED].clone_from(&point.state);
        self.block(body.iter(), point);
        self.analysis.enter(at, Edge::Block(0), &mut point.state, &control);
    }
}

/// Returns the items in the order in which an analysis visits them.
fn in_direction<'a, A: Analysis<'a>, T>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.into_iter().collect();
    if A::IS_BACKWARD {
        items.reverse();
    }
    items
}

//! Finds the accesses that only invocations with certain ids reach, as in `if (id.x == 0u) { … }`.
//!
//! Conditions are followed through the structure of functions, early returns and calls. An id is pinned at a site if it is pinned
//! on every path to the site. Paths that a constant condition excludes are ignored.

use super::Ids;
use super::value::{Scalar, ScalarOrigin, Value};
use crate::ir::dataflow::{self, Analysis, Edge, JoinSemiLattice};
use crate::ir::sites::SiteId;
use crate::ir::walk::{FunctionId, Numbered, Statements};
use crate::program::Program;
use naga::{
    BinaryOperator, Expression, Function, Handle, Literal, LocalVariable, RelationalFunction,
    Statement, UnaryOperator,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Returns, for each reachable site, the ids that have a single possible value there.
pub(super) fn pins(
    program: &Program,
    entry: usize,
    values: &FxHashMap<FunctionId, Vec<Value>>,
) -> BTreeMap<SiteId, Ids> {
    let mut search = Search { program, values, sites: BTreeMap::new(), seen: FxHashSet::default() };
    search.function(FunctionId::Entry(entry), Ids::NONE, Vec::new());
    search.sites
}

struct Search<'a> {
    program: &'a Program,
    values: &'a FxHashMap<FunctionId, Vec<Value>>,
    sites: BTreeMap<SiteId, Ids>,
    /// The functions that were visited, with the ids pinned at the call and the constant arguments.
    seen: FxHashSet<(FunctionId, Ids, Vec<Option<i64>>)>,
}

/// The ids that are pinned if a condition holds, and if it does not.
#[derive(Clone, Copy, Default)]
struct Condition {
    holds: Ids,
    fails: Ids,
}

/// The analysis of one function in one context.
struct Walk<'s, 'a> {
    search: &'s mut Search<'a>,
    id: FunctionId,
    function: &'a Function,
    values: &'a [Value],
    /// The values of the arguments that are constants.
    arguments: Vec<Option<i64>>,
    /// The variables that hold conditions, into which `&&` and `||` are lowered.
    locals: FxHashMap<Handle<LocalVariable>, Condition>,
}

impl<'a> Search<'a> {
    fn function(&mut self, id: FunctionId, pinned: Ids, arguments: Vec<Option<i64>>) {
        if !self.seen.insert((id, pinned, arguments.clone())) {
            return;
        }
        let function = id.get(&self.program.module);
        let body = self.program.body(id).numbered(function);
        let values = self.values.get(&id).map_or(&[][..], Vec::as_slice);
        let locals = FxHashMap::default();
        let mut walk = Walk { search: self, id, function, values, arguments, locals };
        dataflow::solve(&mut walk, body.iter(), Some(pinned), ());
    }

    fn note(&mut self, site: Option<SiteId>, pinned: Ids) {
        if let Some(site) = site {
            let known = self.sites.entry(site).or_insert(pinned);
            *known = *known & pinned;
        }
    }
}

/// The join of pinned ids: those that are pinned on both paths.
impl JoinSemiLattice for Ids {
    fn join(&mut self, other: &Self) -> bool {
        let joined = *self & *other;
        std::mem::replace(self, joined) != joined
    }
}

impl<'a> Analysis<'a> for Walk<'_, 'a> {
    type State = Option<Ids>;
    type Cause = ();

    fn bottom(&self) -> Option<Ids> {
        None
    }

    fn statement(&mut self, at: Numbered<'a>, pinned: &mut Option<Ids>, (): &()) {
        let &mut Some(pinned) = pinned else { return };
        let sites = &self.search.program.sites;
        let own = sites.statement(self.id, at.id);
        self.search.note(own, pinned);
        match *at.statement {
            Statement::Emit(ref range) => {
                for expression in range.clone() {
                    let load = self.search.program.sites.load(self.id, expression);
                    self.search.note(load, pinned);
                }
            }
            Statement::If { condition, .. } => self.operator(condition, at),
            Statement::Call { function, ref arguments, .. } => {
                let arguments = arguments.iter().map(|&of| self.constant(of)).collect();
                self.search.function(FunctionId::Helper(function), pinned, arguments);
            }
            _ => {}
        }
    }

    fn enter(&mut self, at: Numbered<'a>, edge: Edge, state: &mut Option<Ids>, (): &()) {
        let (&Statement::If { condition, .. }, Some(pinned)) = (at.statement, state) else {
            return;
        };
        let Condition { holds, fails } = self.condition(condition);
        let is_accept = edge == Edge::Block(0);
        *pinned = match self.constant(condition) {
            Some(is) if (is != 0) != is_accept => Ids::NEVER,
            Some(_) => *pinned,
            None => *pinned | if is_accept { holds } else { fails },
        };
    }
}

impl<'a> Walk<'_, 'a> {
    /// Handles `a && b`, which is `if (a) { c = b; } else { c = false; }`, and `a || b`, which is lowered in the same way.
    fn operator(&mut self, condition: Handle<Expression>, at: Numbered<'a>) {
        let [accept, reject] = at.blocks()[..] else { return };
        let stored = |block: Statements<'a>| {
            block.iter().find_map(|at| match *at.statement {
                Statement::Store { pointer, value } => match self.function.expressions[pointer] {
                    Expression::LocalVariable(local) => Some((local, value)),
                    _ => None,
                },
                _ => None,
            })
        };
        let (Some((local, yes)), Some((other, no))) = (stored(accept), stored(reject)) else {
            return;
        };
        let is = |value: Handle<Expression>, literal: bool| {
            self.function.expressions[value] == Expression::Literal(Literal::Bool(literal))
        };
        let left = self.condition(condition);
        let (yes_is, no_is) = (self.condition(yes), self.condition(no));
        let holds = |ids| Condition { holds: ids, fails: Ids::NONE };
        let fails = |ids| Condition { holds: Ids::NONE, fails: ids };
        let of = if local != other {
            return;
        } else if is(no, false) {
            holds(left.holds | yes_is.holds)
        } else if is(yes, false) {
            holds(left.fails | no_is.holds)
        } else if is(yes, true) {
            fails(left.fails | no_is.fails)
        } else if is(no, true) {
            fails(left.holds | yes_is.fails)
        } else {
            return;
        };
        self.locals.insert(local, of);
    }

    /// Returns the constant value of an expression, if it does not depend on any variable. Booleans are 0 and 1.
    fn constant(&self, expression: Handle<Expression>) -> Option<i64> {
        use BinaryOperator as Op;
        let module = &self.search.program.module;
        match self.function.expressions[expression] {
            Expression::Constant(constant) => {
                match module.global_expressions[module.constants[constant].init] {
                    Expression::Literal(literal) => number(literal),
                    _ => None,
                }
            }
            Expression::Literal(literal) => number(literal),
            Expression::FunctionArgument(index) => *self.arguments.get(index as usize)?,
            Expression::Unary { op: UnaryOperator::LogicalNot, expr } => {
                self.constant(expr).map(|is| i64::from(is == 0))
            }
            Expression::Binary { op, left, right } => {
                let (a, b) = (self.constant(left)?, self.constant(right)?);
                let is = match op {
                    Op::Equal => a == b,
                    Op::NotEqual => a != b,
                    Op::Less => a < b,
                    Op::LessEqual => a <= b,
                    Op::Greater => a > b,
                    Op::GreaterEqual => a >= b,
                    _ => return None,
                };
                Some(is.into())
            }
            _ => None,
        }
    }

    fn condition(&self, condition: Handle<Expression>) -> Condition {
        match self.function.expressions[condition] {
            Expression::Load { pointer } => match self.function.expressions[pointer] {
                Expression::LocalVariable(local) => {
                    self.locals.get(&local).copied().unwrap_or_default()
                }
                _ => Condition::default(),
            },
            Expression::Unary { op: UnaryOperator::LogicalNot, expr } => {
                let Condition { holds, fails } = self.condition(expr);
                Condition { holds: fails, fails: holds }
            }
            Expression::Binary { op, left, right } => match op {
                BinaryOperator::LogicalAnd | BinaryOperator::And => {
                    let holds = self.condition(left).holds | self.condition(right).holds;
                    Condition { holds, fails: Ids::NONE }
                }
                BinaryOperator::LogicalOr | BinaryOperator::InclusiveOr => {
                    let fails = self.condition(left).fails | self.condition(right).fails;
                    Condition { holds: Ids::NONE, fails }
                }
                _ => self.compared(op, left, right, 0),
            },
            Expression::Relational { fun, argument } => {
                let Expression::Binary { op, left, right } = self.function.expressions[argument]
                else {
                    return Condition::default();
                };
                let all = (0..4).map(|i| self.compared(op, left, right, i));
                let all = all.fold(Condition::default(), |all, one| Condition {
                    holds: all.holds | one.holds,
                    fails: all.fails | one.fails,
                });
                match fun {
                    RelationalFunction::All => Condition { fails: Ids::NONE, ..all },
                    RelationalFunction::Any => Condition { holds: Ids::NONE, ..all },
                    _ => Condition::default(),
                }
            }
            _ => Condition::default(),
        }
    }

    /// Returns the ids that a comparison of one component pins.
    fn compared(
        &self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
        component: usize,
    ) -> Condition {
        use BinaryOperator as Op;
        let of = |side: Handle<Expression>| -> Scalar {
            let value = self.values.get(side.index()).copied().unwrap_or(Value::UNKNOWN);
            value.components()[component]
        };
        let (a, b) = (of(left).what, of(right).what);
        let holds = |ids| Condition { holds: ids, fails: Ids::NONE };
        let fails = |ids| Condition { holds: Ids::NONE, fails: ids };
        match (op, a, b) {
            (
                Op::Equal,
                ScalarOrigin::Id(ids),
                ScalarOrigin::Constant(_) | ScalarOrigin::Given(_),
            )
            | (
                Op::Equal,
                ScalarOrigin::Constant(_) | ScalarOrigin::Given(_),
                ScalarOrigin::Id(ids),
            ) => holds(ids),
            (
                Op::NotEqual,
                ScalarOrigin::Id(ids),
                ScalarOrigin::Constant(_) | ScalarOrigin::Given(_),
            )
            | (
                Op::NotEqual,
                ScalarOrigin::Constant(_) | ScalarOrigin::Given(_),
                ScalarOrigin::Id(ids),
            ) => fails(ids),
            (Op::Less, ScalarOrigin::Id(ids), ScalarOrigin::Constant(1))
            | (Op::LessEqual, ScalarOrigin::Id(ids), ScalarOrigin::Constant(0))
            | (Op::Greater, ScalarOrigin::Constant(1), ScalarOrigin::Id(ids))
            | (Op::GreaterEqual, ScalarOrigin::Constant(0), ScalarOrigin::Id(ids)) => holds(ids),
            (Op::Greater, ScalarOrigin::Id(ids), ScalarOrigin::Constant(0))
            | (Op::GreaterEqual, ScalarOrigin::Id(ids), ScalarOrigin::Constant(1))
            | (Op::Less, ScalarOrigin::Constant(0), ScalarOrigin::Id(ids))
            | (Op::LessEqual, ScalarOrigin::Constant(1), ScalarOrigin::Id(ids)) => fails(ids),
            _ => Condition::default(),
        }
    }
}

/// Returns the value of an integer or Boolean literal.
fn number(literal: Literal) -> Option<i64> {
    match literal {
        Literal::Bool(is) => Some(is.into()),
        Literal::U32(value) => Some(value.into()),
        Literal::I32(value) => Some(value.into()),
        _ => None,
    }
}

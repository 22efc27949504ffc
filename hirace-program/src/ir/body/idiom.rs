//! Recognizes the code that naga's front ends generate for operators and loops that its IR does not have.
//!
//! naga has no `while`, and inside functions no short-circuiting `&&` and `||`: its front ends generate `if`s that the user did
//! not write. This module recognizes them by the form that each front end gives them.

use crate::ir::walk::{NumberedStatement, Statements};
use naga::{Block, Expression, Function, Handle, Literal, LocalVariable, Statement, UnaryOperator};

/// The naga front end that built a module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Idioms {
    /// The WGSL front end. `a && b` stores `b` or `false` to a variable without a name. The `break` in a loop's head has the span
    /// of the enclosing `if`.
    #[default]
    Wgsl,
    /// The SPIR-V front end. `a && b` is a value that two blocks define. A loop's head is an `if` with one side that leaves the
    /// loop, while the other side is the rest of the loop.
    Spirv,
}

/// The operator that an `if` represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    And,
    Or,
}

/// The operands of an operator that is represented by an `if`.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecognizedOperator {
    pub operator: Operator,
    /// The deciding operand: the left operand.
    pub decides: Handle<Expression>,
    /// The value of each side.
    pub sides: [Handle<Expression>; 2],
}

impl Idioms {
    /// Returns the operator that the `if` with these parts represents, if any. `before` are the preceding statements of its
    /// block.
    pub(super) fn operator(
        self,
        function: &Function,
        before: &[&Statement],
        condition: Handle<Expression>,
        accept: &Block,
        reject: &Block,
    ) -> Option<RecognizedOperator> {
        let (local, right) = last_store(function, accept)?;
        let is_temporary = function.local_variables[local].name.is_none();
        let (negated, left) = strip_negation(function, condition);
        let operator = if negated { Operator::Or } else { Operator::And };
        match self {
            Self::Wgsl => {
                let [Statement::Store { .. }] = reject[..] else { return None };
                let (other, value) = last_store(function, reject)?;
                let short = Expression::Literal(Literal::Bool(negated));
                (is_temporary && other == local && function.expressions[value] == short)
                    .then_some(RecognizedOperator { operator, decides: left, sides: [right, left] })
            }
            Self::Spirv => {
                let first = stored_before(function, before, local)?;
                let is_left = first == left || loads(function, left) == Some(local);
                let nothing = reject.iter().all(|s| matches!(s, Statement::Emit(_)));
                (is_left && nothing).then_some(RecognizedOperator {
                    operator,
                    decides: left,
                    sides: [right, left],
                })
            }
        }
    }

    /// Returns the test at the head of a loop with this body: its `if`, and the index of the side that leaves the loop.
    /// `same_place` returns whether an `if` has the span of the loop itself.
    pub(super) fn head<'a>(
        self,
        body: Statements<'a>,
        same_place: impl Fn(NumberedStatement<'a>) -> bool,
    ) -> Option<(NumberedStatement<'a>, usize)> {
        body.iter().find_map(|at| {
            let leaving = leaving(at.statement)?;
            let is_head = match self {
                Self::Wgsl => leaves_in_place(at, leaving) || same_place(at),
                Self::Spirv => {
                    at.blocks().get(1 - leaving).is_some_and(|go| !go.block().is_empty())
                }
            };
            is_head.then_some((at, leaving))
        })
    }
}

/// Returns the index of the side of an `if` that only leaves the loop.
fn leaving(statement: &Statement) -> Option<usize> {
    let Statement::If { accept, reject, .. } = statement else { return None };
    [accept, reject].iter().position(|side| matches!(side[..], [Statement::Break]))
}

/// Returns whether the `break` in the block `leaving` of an `if` has the span of the `if`, and the other side is empty.
fn leaves_in_place(at: NumberedStatement<'_>, leaving: usize) -> bool {
    let blocks = at.blocks();
    let empty = blocks.get(1 - leaving).is_some_and(|other| other.block().is_empty());
    empty
        && blocks
            .get(leaving)
            .and_then(|block| block.iter().next())
            .is_some_and(|leave| leave.span == at.span)
}

/// Returns the variable that a block stores to with its last statement, and the stored value.
fn last_store(
    function: &Function,
    block: &Block,
) -> Option<(Handle<LocalVariable>, Handle<Expression>)> {
    match *block.last()? {
        Statement::Store { pointer, value } => match function.expressions[pointer] {
            Expression::LocalVariable(local) => Some((local, value)),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the value that the statements `before` last store to a variable.
fn stored_before(
    function: &Function,
    before: &[&Statement],
    local: Handle<LocalVariable>,
) -> Option<Handle<Expression>> {
    before.iter().rev().find_map(|statement| match **statement {
        Statement::Store { pointer, value }
            if matches!(function.expressions[pointer], Expression::LocalVariable(to) if to == local) =>
        {
            Some(value)
        }
        _ => None,
    })
}

fn loads(function: &Function, value: Handle<Expression>) -> Option<Handle<LocalVariable>> {
    let Expression::Load { pointer } = function.expressions[value] else { return None };
    match function.expressions[pointer] {
        Expression::LocalVariable(local) => Some(local),
        _ => None,
    }
}

/// Returns a condition without its `!`, and whether it had one.
pub(super) fn strip_negation(
    function: &Function,
    condition: Handle<Expression>,
) -> (bool, Handle<Expression>) {
    match function.expressions[condition] {
        Expression::Unary { op: UnaryOperator::LogicalNot, expr } => (true, expr),
        _ => (false, condition),
    }
}

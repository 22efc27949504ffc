//! What naga's front ends make of operators and loops for which its IR has no word.
//!
//! naga has no `while`, and in functions neither `&&` nor `||` that leave their right side out: it makes `if`s
//! that the user did not write. Each is recognised here by how that front end writes it.

use crate::ir::walk::{Numbered, Statements};
use naga::{
    Arena, Block, Expression, Function, Handle, Literal, LocalVariable, Statement, UnaryOperator,
};

/// Which of naga's front ends a module came through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Idioms {
    /// That of WGSL. `a && b` stores `b` to a variable without a name, else `false`; the `break` of a loop's
    /// head stands where its `if` does.
    #[default]
    Wgsl,
    /// That of GLSL. `c ? a : b` stores either to a variable without a name; what it makes has no place; and a
    /// `bool` becomes a number by `select`.
    Glsl,
    /// That of SPIR-V. `a && b` is a value that two blocks give; a loop's head is an `if` whose one side leaves
    /// it, while the other is the loop.
    Spirv,
}

/// Which operator an `if` was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    And,
    Or,
    Select,
}

/// What an operator's `if` has of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recognised {
    pub operator: Operator,
    /// What decides: the left operand of `&&` and `||`, the condition of a choice.
    pub decides: Handle<Expression>,
    /// What each side gives.
    pub sides: [Handle<Expression>; 2],
}

impl Idioms {
    /// The operator that the `if` with these parts was, if it was one. `before` are the statements before it
    /// in its block.
    pub(super) fn operator(
        self,
        function: &Function,
        before: &[&Statement],
        condition: Handle<Expression>,
        accept: &Block,
        reject: &Block,
    ) -> Option<Recognised> {
        let (local, right) = last_store(function, accept)?;
        let is_temporary = function.local_variables[local].name.is_none();
        let (negated, left) = bare(function, condition);
        let operator = if negated { Operator::Or } else { Operator::And };
        match self {
            Self::Wgsl => {
                let [Statement::Store { .. }] = reject[..] else { return None };
                let (other, value) = last_store(function, reject)?;
                let short = Expression::Literal(Literal::Bool(negated));
                (is_temporary && other == local && function.expressions[value] == short)
                    .then_some(Recognised { operator, decides: left, sides: [right, left] })
            }
            Self::Glsl => {
                let (other, value) = last_store(function, reject)?;
                (is_temporary && other == local).then_some(Recognised {
                    operator: Operator::Select,
                    decides: condition,
                    sides: [right, value],
                })
            }
            Self::Spirv => {
                let first = stored_before(function, before, local)?;
                let is_left = first == left || loads(function, left) == Some(local);
                let nothing = reject.iter().all(|s| matches!(s, Statement::Emit(_)));
                (is_left && nothing).then_some(Recognised {
                    operator,
                    decides: left,
                    sides: [right, left],
                })
            }
        }
    }

    /// The test that a loop with this body begins with: its `if`, and which of its sides leaves the loop.
    /// `same_place` says whether an `if` has the place of the loop itself.
    pub(super) fn head<'a>(
        self,
        body: Statements<'a>,
        same_place: impl Fn(Numbered<'a>) -> bool,
    ) -> Option<(Numbered<'a>, usize)> {
        let is_end = |at: Numbered<'a>| self.end(body).is_some_and(|(end, _)| end.id == at.id);
        body.iter().find_map(|at| {
            let leaving = leaving(at.statement)?;
            let is_head = match self {
                Self::Wgsl => leaves_in_place(at, leaving) || same_place(at),
                Self::Glsl => leaves_in_place(at, leaving) && !is_end(at),
                Self::Spirv => {
                    at.blocks().get(1 - leaving).is_some_and(|go| !go.block().is_empty())
                }
            };
            is_head.then_some((at, leaving))
        })
    }

    /// The test that a loop with this body ends its turns with, if that is an `if`: what `do … while` becomes.
    pub(super) fn end<'a>(self, body: Statements<'a>) -> Option<(Numbered<'a>, usize)> {
        if self != Self::Glsl {
            return None;
        }
        let last = body.iter().last()?;
        let leaving = leaving(last.statement)?;
        let works =
            |at: Numbered<'a>| at.id != last.id && !matches!(at.statement, Statement::Emit(_));
        (leaves_in_place(last, leaving) && body.iter().any(works)).then_some((last, leaving))
    }

    /// Whether a `select` of these values was one in the source.
    pub(super) fn is_select(
        self,
        expressions: &Arena<Expression>,
        accept: Handle<Expression>,
        reject: Handle<Expression>,
    ) -> bool {
        let is_number = |value: Handle<Expression>| match expressions[value] {
            Expression::Literal(_) | Expression::ZeroValue(_) => true,
            Expression::Splat { value, .. } => matches!(expressions[value], Expression::Literal(_)),
            _ => false,
        };
        self != Self::Glsl || !(is_number(accept) && is_number(reject))
    }
}

/// Which side of an `if` does nothing but leave the loop.
fn leaving(statement: &Statement) -> Option<usize> {
    let Statement::If { accept, reject, .. } = statement else { return None };
    [accept, reject].iter().position(|side| matches!(side[..], [Statement::Break]))
}

/// Whether the `break` in the block `leaving` of an `if` has the place of that, and the other side is empty.
fn leaves_in_place(at: Numbered<'_>, leaving: usize) -> bool {
    let blocks = at.blocks();
    let empty = blocks.get(1 - leaving).is_some_and(|other| other.block().is_empty());
    empty
        && blocks
            .get(leaving)
            .and_then(|block| block.iter().next())
            .is_some_and(|leave| leave.span == at.span)
}

/// The variable that a block stores to at its end, and what.
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

/// What the statements before last store to a variable.
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

/// A condition without its `!`, and whether it had one.
pub(super) fn bare(
    function: &Function,
    condition: Handle<Expression>,
) -> (bool, Handle<Expression>) {
    match function.expressions[condition] {
        Expression::Unary { op: UnaryOperator::LogicalNot, expr } => (true, expr),
        _ => (false, condition),
    }
}

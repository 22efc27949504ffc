//! Branches and their arms, as in the source.
//!
//! A branch is a point where control, or a value, can go several ways; an arm is one of those ways. A condition with `&&` has two
//! branches: that of the operator and that of the statement. A loop has an arm for the iterations of its body, and one for
//! leaving because its own condition is false. For one execution of a loop with both arms by one invocation:
//!
//! | iterations | left by its condition | the loop was |
//! |------------|-----------------------|--------------|
//! | 0          | 1                     | not entered  |
//! | 1          | 0 or 1                | executed once |
//! | more       | 0 or 1                | repeated     |
//!
//! To distinguish these cases, count iterations in a variable that is 0 before the loop statement.

use crate::ir::sites::SiteId;
use crate::ir::walk::{FunctionId, StatementId};
use crate::source_map::Span;
use naga::{Expression, Handle, SwitchValue};
use std::ops::Range;

/// The identifier of an arm of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArmId(pub u32);

/// The identifier of a branch of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BranchId(pub u32);

/// The kind of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BranchKind {
    /// `if`.
    If,
    /// `switch`, or Rust's `match`.
    Switch,
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `select`, or `? :`.
    Select,
    /// A loop: whether it executes another iteration.
    Loop,
    /// The test at the end of an iteration that decides whether the loop continues (`break if`, `do … while`).
    LoopEnd,
}

/// A branch.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The function that contains the branch.
    pub function: FunctionId,
    /// The kind of the branch.
    pub kind: BranchKind,
    /// The site of the branch; [`SiteId::NONE`] for an operator that is not a statement in naga.
    pub site: SiteId,
    /// The statement of the branch. For an operator: the statement that computes it. For a loop: the loop.
    pub statement: StatementId,
    /// The statement that decides the branch. Differs from `statement` for loops with a test at their head.
    pub decided_at: StatementId,
    /// The head of the branch in the user's source.
    pub span: Span,
    /// The ids of the arms.
    pub arms: Range<u32>,
}

/// The kind of an arm.
#[derive(Clone, Debug, PartialEq)]
pub enum ArmKind {
    /// The condition of an `if` holds.
    Then,
    /// The condition of an `if` is false; there may be no `else`.
    Else,
    /// A case of a `switch`.
    Case {
        /// The selector values; empty for Rust's patterns.
        values: Vec<SwitchValue>,
        /// Whether the case applies to all other values.
        is_default: bool,
        /// Whether the preceding case falls through to this one.
        fallen_into: bool,
    },
    /// The right operand of `&&` or `||` is evaluated.
    Right,
    /// The right operand is not evaluated, because the left one determines the result.
    ShortCircuit,
    /// The value of a `select` for `true`.
    Accept,
    /// The value of a `select` for `false`.
    Reject,
    /// An iteration of a loop begins.
    Iteration,
    /// The test at the end of an iteration continues the loop.
    NextIteration,
    /// The loop is left because its condition is false.
    Boundary,
}

/// How control enters an arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// By entering a nested block of a statement.
    Block {
        /// The statement.
        statement: StatementId,
        /// The index of the nested block ([`walk::children`](crate::ir::walk::children)).
        block: usize,
    },
    /// By evaluating `value` to `holds` in a statement; for a loop, at the end of an iteration. A vector enters the arm for
    /// `true` if any component is true, and that for `false` if any component is false.
    Value {
        /// The statement.
        statement: StatementId,
        /// The operator that is evaluated; `None` for the end of an iteration.
        operator: Option<Handle<Expression>>,
        /// The deciding value.
        value: Handle<Expression>,
        /// The result of `value` that enters the arm.
        holds: bool,
    },
}

/// One way of a branch.
#[derive(Clone, Debug)]
pub struct Arm {
    /// The branch of the arm.
    pub branch: BranchId,
    /// The kind of the arm.
    pub kind: ArmKind,
    /// The span of the arm's code in the user's source; the head of the branch if the arm has no code.
    pub span: Span,
    /// How control enters the arm: one or more ways.
    pub entries: Vec<Entry>,
}

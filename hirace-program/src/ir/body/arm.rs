//! Branches and their arms, as the source has them.
//!
//! A branch is where control, or a value, goes one of several ways; an arm is one of those ways. A
//! condition that hangs on `&&` is two branches: the operator's and the statement's. A loop has an arm for
//! each turn of its body, and one for leaving because its own condition says so. Per invocation, and for one
//! run of a loop that has both:
//!
//! | turns | left by its condition | the loop was |
//! |-------|-----------------------|--------------|
//! | 0     | 1                     | not entered  |
//! | 1     | 0 or 1                | done once    |
//! | more  | 0 or 1                | done again   |
//!
//! Whoever tells these apart counts turns in a variable that is 0 before the loop's statement.

use crate::ir::sites::SiteId;
use crate::ir::walk::{FunctionId, StatementId};
use crate::source_map::Span;
use naga::{Expression, Handle, SwitchValue};
use std::ops::Range;

/// Names an arm of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArmId(pub u32);

/// Names a branch of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BranchId(pub u32);

/// What kind of branch something is.
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
    /// A loop: whether it takes a turn.
    Loop,
    /// The end of a turn, where a loop says there whether it is the last (`break if`, `do … while`).
    LoopEnd,
}

/// A branch.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The function it stands in.
    pub function: FunctionId,
    /// What it is.
    pub kind: BranchKind,
    /// Its site; [`SiteId::NONE`] for an operator that is no statement of naga's.
    pub site: SiteId,
    /// Its statement: that which computes it, if it is an operator; the loop, if it is one's.
    pub statement: StatementId,
    /// The statement that decides: that above, but for loops with a test at their head.
    pub decided_at: StatementId,
    /// Its head, as the user wrote it.
    pub span: Span,
    /// The numbers of its arms.
    pub arms: Range<u32>,
}

/// Which way an arm is.
#[derive(Clone, Debug, PartialEq)]
pub enum ArmKind {
    /// The condition of an `if` holds.
    Then,
    /// It does not; there may be no `else`.
    Else,
    /// A case of a `switch`.
    Case {
        /// The values it is for, but for Rust's patterns.
        values: Vec<SwitchValue>,
        /// Whether it is for all other values.
        is_default: bool,
        /// Whether the case before goes on with this one.
        fallen_into: bool,
    },
    /// The right operand of `&&` or `||` is evaluated.
    Right,
    /// It is not, as the left one says all.
    Short,
    /// The value of a `select` for `true`.
    Accept,
    /// Its value for `false`.
    Reject,
    /// A turn of a loop begins.
    Turn,
    /// At the end of a turn: there will be another.
    Again,
    /// The loop is left because its condition says so.
    Boundary,
}

/// How to recognise that control enters an arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// With a block of a statement.
    Block {
        /// The statement.
        statement: StatementId,
        /// Which of its blocks ([`walk::children`](crate::ir::walk::children)).
        block: usize,
    },
    /// When a statement that computes `value` finds it `holds`; a loop does so at the end of its turn. A vector
    /// holds if any component does, and does not if any does not.
    Value {
        /// The statement.
        statement: StatementId,
        /// The operator that it computes then; `None` if it is the end of a loop's turn.
        operator: Option<Handle<Expression>>,
        /// What decides.
        value: Handle<Expression>,
        /// What it has to be.
        holds: bool,
    },
}

/// One way of a branch.
#[derive(Clone, Debug)]
pub struct Arm {
    /// Its branch.
    pub branch: BranchId,
    /// Which way it is.
    pub kind: ArmKind,
    /// What it does, as the user wrote it; the head of the branch where nothing is written.
    pub span: Span,
    /// Where control enters it: at one place, or at each of several.
    pub entries: Vec<Entry>,
}

//! The structure of each function: its statements, how they nest, and the arms that control can take.
//!
//! A [`Body`] is computed once per function when a [`Program`](crate::program::Program) is created, and is stored in it. It
//! answers how statements are related, what is at a statement, and which arms exist, so that no other code walks naga's blocks
//! for these questions. **Architecture invariant:** statements are numbered as by [`walk`](super::walk); arms and branches are
//! numbered across the whole program.
//!
//! - `arm` defines branches and their arms;
//! - `build` finds them; `idiom` recognizes the code that naga's front ends generate for operators and loops of the source;
//! - `nesting` answers how statements are related.

mod arm;
mod build;
mod idiom;
mod nesting;
#[cfg(test)]
mod tests;

pub use arm::{Arm, ArmId, ArmKind, Branch, BranchId, BranchKind, Entry};
pub use idiom::Idioms;
pub use nesting::StatementRelation;

use super::sites::{SiteId, Sites};
use super::walk::{FunctionId, StatementId, StatementOrder, Statements};
use crate::source_map::Span;
use naga::{Barrier, Function, Handle, Module};
use rustc_hash::FxHashMap;

/// The kind of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// Evaluates expressions.
    Emit,
    /// A nested block.
    Block,
    /// An `if`.
    If,
    /// A `switch`.
    Switch,
    /// A loop.
    Loop,
    /// A call of this function.
    Call(Handle<Function>),
    /// A `return`.
    Return,
    /// A control barrier, `workgroupUniformLoad` included.
    Barrier,
    /// Any other statement.
    Plain,
}

/// The properties of one statement.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    /// The kind of the statement.
    pub kind: StatementKind,
    /// The enclosing statement, and the index of the block that contains this one ([`walk::children`](super::walk::children)).
    pub parent: Option<(StatementId, usize)>,
    /// The innermost arm that contains the statement.
    pub arm: Option<ArmId>,
    /// The span in the user's source.
    pub span: Span,
    /// The memory that the statement orders in the workgroup, if it is a barrier.
    pub orders: Barrier,
}

/// The structure of one function.
#[derive(Clone, Debug)]
pub struct Body {
    /// The function.
    pub function: FunctionId,
    order: StatementOrder,
    statements: Vec<Statement>,
    of_site: FxHashMap<SiteId, StatementId>,
    /// By statement and block index: the arm that control enters there.
    blocks: FxHashMap<(StatementId, usize), ArmId>,
    /// By statement: the branches that are decided by a value that the statement computes.
    values: FxHashMap<StatementId, Vec<BranchId>>,
}

impl Body {
    /// Iterates over all statements with their numbers.
    pub fn all(&self) -> impl Iterator<Item = (StatementId, &Statement)> {
        (0..).map(StatementId).zip(&self.statements)
    }

    /// Returns the properties of a statement.
    ///
    /// # Panics
    /// If the function has no such statement.
    pub fn statement(&self, id: StatementId) -> &Statement {
        &self.statements[id.index()]
    }

    /// Returns the numbered statements of the function itself; `function` is naga's function.
    pub fn statements_of<'a>(&'a self, function: &'a Function) -> Statements<'a> {
        self.order.statements(&function.body)
    }

    /// Returns the order of the function's statements.
    pub fn order(&self) -> &StatementOrder {
        &self.order
    }

    /// Returns the number of the statement at a site.
    pub fn ordinal(&self, site: SiteId) -> Option<StatementId> {
        self.of_site.get(&site).copied()
    }

    /// Returns the arm that control enters with this block of a statement.
    pub fn arm_at(&self, statement: StatementId, block: usize) -> Option<ArmId> {
        self.blocks.get(&(statement, block)).copied()
    }

    /// Returns the branches that are decided by a value that a statement computes: operands of `select`, `break if` …
    pub fn decided_by_values(&self, statement: StatementId) -> &[BranchId] {
        self.values.get(&statement).map_or(&[], Vec::as_slice)
    }

    /// Iterates over the statements whose kind satisfies `is`.
    pub fn of_kind(&self, is: impl Fn(StatementKind) -> bool) -> impl Iterator<Item = StatementId> {
        self.all().filter(move |(_, statement)| is(statement.kind)).map(|(id, _)| id)
    }
}

/// The structure of all functions of a program.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    helpers: Vec<Body>,
    entries: Vec<Body>,
    /// The branches, by [`BranchId`]. Those of one function are contiguous, in statement order.
    pub branches: Vec<Branch>,
    /// The arms, by [`ArmId`]. Those of one branch are contiguous.
    pub arms: Vec<Arm>,
}

impl Bodies {
    /// Computes the structure of `module`, which has these sites.
    pub fn new(module: &Module, sites: &Sites, idioms: Idioms) -> Self {
        build::bodies(module, sites, idioms)
    }

    /// Returns the structure of a function.
    ///
    /// # Panics
    /// If the program has no such function.
    pub fn get(&self, function: FunctionId) -> &Body {
        match function {
            FunctionId::Helper(handle) => &self.helpers[handle.index()],
            FunctionId::Entry(index) => &self.entries[index],
        }
    }

    /// Iterates over the structures of all functions, helpers first.
    pub fn iter(&self) -> impl Iterator<Item = &Body> {
        self.helpers.iter().chain(&self.entries)
    }

    /// Returns the arm.
    ///
    /// # Panics
    /// If the arm does not belong to this program.
    pub fn arm(&self, id: ArmId) -> &Arm {
        &self.arms[id.0 as usize]
    }

    /// Returns the branch.
    ///
    /// # Panics
    /// If the branch does not belong to this program.
    pub fn branch(&self, id: BranchId) -> &Branch {
        &self.branches[id.0 as usize]
    }

    /// Iterates over the arms of a branch.
    pub fn arms_of(&self, branch: &Branch) -> impl Iterator<Item = (ArmId, &Arm)> {
        branch.arms.clone().map(|index| (ArmId(index), self.arm(ArmId(index))))
    }

    /// Iterates over the branches of a function, in statement order.
    pub fn branches_of(&self, function: FunctionId) -> impl Iterator<Item = &Branch> {
        self.branches.iter().filter(move |branch| branch.function == function)
    }
}

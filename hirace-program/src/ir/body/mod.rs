//! The structure of each function: its statements, how they nest, and the arms that control takes.
//!
//! A [`Body`] is made once for each function when a [`Program`](crate::program::Program) is made, and
//! kept in it. Whoever asks how statements lie to each other, what stands where, or which arms there are
//! asks it; nobody walks naga's blocks again to find out. **Architecture invariant:** statements are
//! numbered as [`walk`](super::walk) does, arms and branches through the whole program.
//!
//! - `arm` says what branches and their arms are;
//! - `build` finds them, `idiom` knows what naga's front ends make of the source's operators and loops;
//! - `nesting` answers how statements lie to each other.

mod arm;
mod build;
mod idiom;
mod nesting;
#[cfg(test)]
mod tests;

pub use arm::{Arm, ArmId, ArmKind, Branch, BranchId, BranchKind, Entry};
pub use idiom::Idioms;
pub use nesting::Between;

use super::sites::{SiteId, Sites};
use super::walk::{FunctionId, Order, StatementId, Statements};
use crate::source_map::Span;
use naga::{Barrier, Function, Handle, Module};
use rustc_hash::FxHashMap;

/// What kind of statement something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// Computes expressions.
    Emit,
    /// A block of its own.
    Block,
    /// Goes one of two ways.
    If,
    /// Goes one of several ways.
    Switch,
    /// Is done again and again.
    Loop,
    /// Calls this function.
    Call(Handle<Function>),
    /// Leaves the function.
    Return,
    /// Waits for others, `workgroupUniformLoad` included.
    Barrier,
    /// Any other.
    Plain,
}

/// One statement.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// The statement it is in, and in which of its blocks ([`walk::children`](super::walk::children)).
    pub parent: Option<(StatementId, usize)>,
    /// The innermost arm that it stands in.
    pub arm: Option<ArmId>,
    /// Where it stands in the user's source.
    pub span: Span,
    /// The memory that it orders in the workgroup, if it is a barrier.
    pub orders: Barrier,
}

/// The structure of one function.
#[derive(Clone, Debug)]
pub struct Body {
    /// Which function.
    pub function: FunctionId,
    order: Order,
    statements: Vec<Statement>,
    of_site: FxHashMap<SiteId, StatementId>,
    /// By statement, and by which of its blocks: the arms that control enters there.
    blocks: FxHashMap<(StatementId, usize), ArmId>,
    /// By statement: the arms that are taken as a value says that it computes.
    values: FxHashMap<StatementId, Vec<BranchId>>,
}

impl Body {
    /// All its statements with their numbers.
    pub fn all(&self) -> impl Iterator<Item = (StatementId, &Statement)> {
        (0..).map(StatementId).zip(&self.statements)
    }

    /// What is known of a statement.
    ///
    /// # Panics
    /// If the function has no such statement.
    pub fn statement(&self, id: StatementId) -> &Statement {
        &self.statements[id.index()]
    }

    /// The statements of the function itself, numbered; `function` is what naga has of it.
    pub fn numbered<'a>(&'a self, function: &'a Function) -> Statements<'a> {
        self.order.statements(&function.body)
    }

    /// The order of its statements.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// The number of the statement at a site.
    pub fn ordinal(&self, site: SiteId) -> Option<StatementId> {
        self.of_site.get(&site).copied()
    }

    /// The arm that control enters with this block of a statement.
    pub fn arm_at(&self, statement: StatementId, block: usize) -> Option<ArmId> {
        self.blocks.get(&(statement, block)).copied()
    }

    /// The branches of which a value decides that a statement computes: operands of `select`, `break if` …
    pub fn decided_by_values(&self, statement: StatementId) -> &[BranchId] {
        self.values.get(&statement).map_or(&[], Vec::as_slice)
    }

    /// Its statements of one kind.
    pub fn of_kind(&self, is: impl Fn(StatementKind) -> bool) -> impl Iterator<Item = StatementId> {
        self.all().filter(move |(_, statement)| is(statement.kind)).map(|(id, _)| id)
    }
}

/// The structure of a program.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    helpers: Vec<Body>,
    entries: Vec<Body>,
    /// By [`BranchId`]; those of one function stand together, in the order of their statements.
    pub branches: Vec<Branch>,
    /// By [`ArmId`]; those of one branch stand together.
    pub arms: Vec<Arm>,
}

impl Bodies {
    /// The structure of `module`, whose sites these are.
    pub fn new(module: &Module, sites: &Sites, idioms: Idioms) -> Self {
        build::bodies(module, sites, idioms)
    }

    /// The structure of a function.
    ///
    /// # Panics
    /// If the program has no such function.
    pub fn get(&self, function: FunctionId) -> &Body {
        match function {
            FunctionId::Helper(handle) => &self.helpers[handle.index()],
            FunctionId::Entry(index) => &self.entries[index],
        }
    }

    /// Every function, helpers first.
    pub fn iter(&self) -> impl Iterator<Item = &Body> {
        self.helpers.iter().chain(&self.entries)
    }

    /// The arm itself.
    ///
    /// # Panics
    /// If it is not one of this program.
    pub fn arm(&self, id: ArmId) -> &Arm {
        &self.arms[id.0 as usize]
    }

    /// The branch itself.
    ///
    /// # Panics
    /// If it is not one of this program.
    pub fn branch(&self, id: BranchId) -> &Branch {
        &self.branches[id.0 as usize]
    }

    /// The arms of a branch.
    pub fn arms_of(&self, branch: &Branch) -> impl Iterator<Item = (ArmId, &Arm)> {
        branch.arms.clone().map(|index| (ArmId(index), self.arm(ArmId(index))))
    }

    /// The branches of a function, in the order of their statements.
    pub fn branches_of(&self, function: FunctionId) -> impl Iterator<Item = &Branch> {
        self.branches.iter().filter(move |branch| branch.function == function)
    }
}

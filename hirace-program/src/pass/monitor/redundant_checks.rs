//! Redundant checks: checks that another check of the same invocation and address, without a barrier in between, makes
//! unnecessary.
//!
//! Happens-before does not order accesses within an epoch. Whatever races with one of two equal accesses of an invocation in one
//! epoch also races with the other, and a write races with everything that a read or an atomic races with. Therefore
//!
//! - a check is omitted after a check of the same kind, or of a write, that was performed on every path to it;
//! - the check of a read is omitted if a write always follows; on a race, the check of the write reports whether the read already
//!   raced.
//!
//! The automaton is consistent with this: after a write, accesses by the same invocation do not change its state until there is a
//! barrier, and accesses by others race; after a read, others may read as well, and another read by the same invocation adds
//! nothing.
//!
//! Two addresses are known to be equal if they are the same expression of equal values: arguments, constants, values computed
//! from these, and loads of local variables without a store in between. Each such value has a name.

use crate::ir::access::{Action, Target};
use crate::ir::sites::SiteId;
use crate::ir::walk::{self, FunctionId, NumberedStatement, StatementId, Statements};
use crate::program::Program;
use crate::watch::WatchPlan;
use naga::{Expression, Function, Handle, LocalVariable, Statement};
use rustc_hash::{FxHashMap, FxHashSet};

/// The replacement of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckReplacement {
    /// The check is omitted.
    Omitted,
    /// The check also covers an earlier read, at this site.
    With(SiteId),
}

/// The checks of a function that are omitted or merged.
pub type RedundantChecks = FxHashMap<SiteId, CheckReplacement>;

/// Finds the redundant checks of the function `id`, whose code is `function`, among the sites that `watch` selects.
pub fn find_redundant_checks(
    program: &Program,
    watch: &WatchPlan,
    waiting: &FxHashSet<FunctionId>,
    id: FunctionId,
    function: &Function,
) -> RedundantChecks {
    let mut search = Search {
        program,
        watch,
        waiting,
        id,
        function,
        names: FxHashMap::default(),
        stores: FxHashMap::default(),
        count: 0,
        done: Vec::new(),
        reads: Vec::new(),
        spared: RedundantChecks::default(),
    };
    search.block(program.body(id).statements_of(function));
    search.spared
}

/// An address, represented by the name of the pointer.
type Address = String;

/// The maximum length of a name. Longer values are not compared.
const LONGEST: usize = 256;

struct Search<'a> {
    program: &'a Program,
    watch: &'a WatchPlan,
    waiting: &'a FxHashSet<FunctionId>,
    id: FunctionId,
    function: &'a Function,
    /// The names of values that were already evaluated.
    names: FxHashMap<Handle<Expression>, String>,
    /// The number of the last store to each local variable.
    stores: FxHashMap<Handle<LocalVariable>, u32>,
    /// Number of stores so far.
    count: u32,
    /// The checks performed on every path to this point since the last barrier.
    done: Vec<(Address, Action)>,
    /// The reads of this block since the last barrier whose checks were not omitted so far, with their sites. From each of them,
    /// control always reaches this point.
    reads: Vec<(Address, SiteId)>,
    spared: RedundantChecks,
}

impl Search<'_> {
    fn block(&mut self, statements: Statements<'_>) {
        let outer = std::mem::take(&mut self.reads);
        for numbered in statements.iter() {
            self.statement(numbered);
        }
        self.reads = outer;
    }

    fn statement(&mut self, numbered: NumberedStatement<'_>) {
        match numbered.statement {
            Statement::Emit(range) => {
                for expression in range.clone() {
                    self.emitted(expression);
                }
            }
            Statement::Block(_)
            | Statement::If { .. }
            | Statement::Switch { .. }
            | Statement::Loop { .. } => self.branches(numbered),
            Statement::ControlBarrier(_) | Statement::WorkGroupUniformLoad { .. } => self.barrier(),
            Statement::Call { function, arguments, .. } => {
                if self.waiting.contains(&FunctionId::Helper(*function)) {
                    self.barrier();
                }
                for argument in arguments {
                    self.stored(*argument);
                }
            }
            Statement::Break | Statement::Continue | Statement::Return { .. } | Statement::Kill => {
                self.reads.clear();
            }
            statement => {
                if let Some(site) = self.program.sites.statement(self.id, numbered.id) {
                    self.access(site);
                }
                if let Statement::Store { pointer, .. } = statement {
                    self.stored(*pointer);
                }
            }
        }
    }

    /// Handles a statement with nested blocks, some of which may not run or may run more than once.
    fn branches(&mut self, numbered: NumberedStatement<'_>) {
        let inside = NestedEffects::of(numbered, self.waiting);
        let repeats = matches!(numbered.statement, Statement::Loop { .. });
        if inside.waits && repeats {
            self.barrier();
        }
        let (done, stores) = (self.done.clone(), self.stores.clone());
        for block in numbered.blocks() {
            self.done.clone_from(&done);
            self.stores.clone_from(&stores);
            if repeats || matches!(numbered.statement, Statement::Switch { .. }) {
                // The block may be entered after any of these stores.
                self.stored_in(&numbered);
            }
            self.block(block);
        }
        self.done = done;
        self.stores = stores;
        self.stored_in(&numbered);
        if inside.waits {
            self.barrier();
        }
        if inside.leaves {
            self.reads.clear();
        }
    }

    fn barrier(&mut self) {
        self.done.clear();
        self.reads.clear();
    }

    fn emitted(&mut self, expression: Handle<Expression>) {
        if let Expression::Load { pointer } = self.function.expressions[expression]
            && let Some(local) = local(self.function, pointer)
        {
            let last = self.stores.get(&local).copied().unwrap_or(0);
            let name = format!("load {} after {last}", self.name(pointer));
            self.names.insert(expression, name);
        }
        if let Some(site) = self.program.sites.load(self.id, expression) {
            self.access(site);
        }
    }

    /// Records that a value may be stored through `pointer`.
    fn stored(&mut self, pointer: Handle<Expression>) {
        if let Some(local) = local(self.function, pointer) {
            self.count += 1;
            self.stores.insert(local, self.count);
        }
    }

    /// Records all stores that a statement may perform.
    fn stored_in(&mut self, numbered: &NumberedStatement<'_>) {
        for block in walk::children(numbered.statement) {
            walk::statements(block, &mut |_, statement, _| match statement {
                Statement::Store { pointer, .. } => self.stored(*pointer),
                Statement::Call { arguments, .. } => {
                    arguments.iter().for_each(|argument| self.stored(*argument));
                }
                _ => {}
            });
        }
    }

    fn access(&mut self, site: SiteId) {
        let Some(access) = self.program.sites.access(site) else { return };
        let Target::Pointer { observed, .. } = access.target else { return };
        if !self.watch.watches(site) {
            return;
        }
        let (address, action) = (self.name(observed), access.action);
        let says_it = |of: &Action| *of == Action::Write || *of == action;
        if self.done.iter().any(|(at, of)| *at == address && says_it(of)) {
            self.spared.insert(site, CheckReplacement::Omitted);
            return;
        }
        match action {
            Action::Read => self.reads.push((address.clone(), site)),
            Action::Write => {
                if let Some(at) = self.reads.iter().position(|(at, _)| *at == address) {
                    let (_, read) = self.reads.remove(at);
                    self.spared.insert(read, CheckReplacement::Omitted);
                    self.spared.insert(site, CheckReplacement::With(read));
                }
            }
            Action::Atomic | Action::AtomicInWorkgroup => {}
        }
        self.done.push((address, action));
    }

    /// Returns the name of a value. Expressions with the same value at this point have the same name.
    fn name(&mut self, expression: Handle<Expression>) -> String {
        if let Some(name) = self.names.get(&expression) {
            return name.clone();
        }
        let name = self.spelled(expression).filter(|name| name.len() < LONGEST);
        // The name of the expression itself is valid until the expression is evaluated again. Everything recorded about it is
        // discarded before that.
        let name = name.unwrap_or_else(|| format!("expression {}", expression.index()));
        self.names.insert(expression, name.clone());
        name
    }

    /// Returns the name of a value that is determined by its operands.
    fn spelled(&mut self, expression: Handle<Expression>) -> Option<String> {
        let expression = &self.function.expressions[expression];
        Some(match *expression {
            Expression::Literal(_)
            | Expression::Constant(_)
            | Expression::Override(_)
            | Expression::ZeroValue(_)
            | Expression::FunctionArgument(_)
            | Expression::GlobalVariable(_)
            | Expression::LocalVariable(_) => format!("{expression:?}"),
            Expression::Access { base, index } => {
                format!("{}[{}]", self.name(base), self.name(index))
            }
            Expression::AccessIndex { base, index } => format!("{}.{index}", self.name(base)),
            Expression::Unary { op, expr } => format!("{op:?}({})", self.name(expr)),
            Expression::Binary { op, left, right } => {
                format!("({} {op:?} {})", self.name(left), self.name(right))
            }
            Expression::As { expr, kind, convert } => {
                format!("{kind:?} {convert:?}({})", self.name(expr))
            }
            _ => return None,
        })
    }
}

/// Returns the local variable that `pointer` points into.
fn local(function: &Function, pointer: Handle<Expression>) -> Option<Handle<LocalVariable>> {
    match *walk::root(function, pointer) {
        Expression::LocalVariable(local) => Some(local),
        _ => None,
    }
}

/// Properties of a statement with nested blocks.
#[derive(Clone, Copy, Default)]
struct NestedEffects {
    /// Whether it contains a barrier.
    waits: bool,
    /// Whether control may leave it other than to the next statement.
    leaves: bool,
}

impl NestedEffects {
    fn of(numbered: NumberedStatement<'_>, waiting: &FxHashSet<FunctionId>) -> Self {
        let mut inside = Self::default();
        for block in walk::children(numbered.statement) {
            walk::statements(block, &mut |_: StatementId, statement, _| match statement {
                Statement::ControlBarrier(_) | Statement::WorkGroupUniformLoad { .. } => {
                    inside.waits = true;
                }
                Statement::Call { function, .. } => {
                    inside.waits |= waiting.contains(&FunctionId::Helper(*function));
                }
                Statement::Return { .. } | Statement::Kill => inside.leaves = true,
                // Inside a loop, these only end the iteration or the loop.
                Statement::Break | Statement::Continue => {
                    inside.leaves |= !matches!(numbered.statement, Statement::Loop { .. });
                }
                _ => {}
            });
        }
        inside
    }
}

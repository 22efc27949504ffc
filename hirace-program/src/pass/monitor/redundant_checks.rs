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
/// `with_barriers` are the functions that contain barriers.
pub fn find_redundant_checks(
    program: &Program,
    watch: &WatchPlan,
    with_barriers: &FxHashSet<FunctionId>,
    id: FunctionId,
    function: &Function,
) -> RedundantChecks {
    let mut search = Search {
        program,
        watch,
        with_barriers,
        id,
        function,
        names: FxHashMap::default(),
        stores: FxHashMap::default(),
        count: 0,
        checked: Vec::new(),
        reads: Vec::new(),
        redundant: RedundantChecks::default(),
    };
    search.block(program.body(id).statements_of(function));
    search.redundant
}

/// An address, represented by the name of the pointer.
type Address = String;

/// The maximum length of a name. Longer values are not compared.
const MAX_NAME_LENGTH: usize = 256;

struct Search<'a> {
    program: &'a Program,
    watch: &'a WatchPlan,
    with_barriers: &'a FxHashSet<FunctionId>,
    id: FunctionId,
    function: &'a Function,
    /// The names of values that were already evaluated.
    names: FxHashMap<Handle<Expression>, String>,
    /// The number of the last store to each local variable.
    stores: FxHashMap<Handle<LocalVariable>, u32>,
    /// Number of stores so far.
    count: u32,
    /// The checks performed on every path to this point since the last barrier.
    checked: Vec<(Address, Action)>,
    /// The reads of this block since the last barrier whose checks were not omitted so far, with their sites. From each of them,
    /// control always reaches this point.
    reads: Vec<(Address, SiteId)>,
    redundant: RedundantChecks,
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
                    self.emit(expression);
                }
            }
            Statement::Block(_)
            | Statement::If { .. }
            | Statement::Switch { .. }
            | Statement::Loop { .. } => self.branches(numbered),
            Statement::ControlBarrier(_) | Statement::WorkGroupUniformLoad { .. } => self.barrier(),
            Statement::Call { function, arguments, .. } => {
                if self.with_barriers.contains(&FunctionId::Helper(*function)) {
                    self.barrier();
                }
                for argument in arguments {
                    self.record_store(*argument);
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
                    self.record_store(*pointer);
                }
            }
        }
    }

    /// Handles a statement with nested blocks, some of which may not run or may run more than once.
    fn branches(&mut self, numbered: NumberedStatement<'_>) {
        let effects = NestedEffects::of(numbered, self.with_barriers);
        let repeats = matches!(numbered.statement, Statement::Loop { .. });
        if effects.has_barrier && repeats {
            self.barrier();
        }
        let (checked, stores) = (self.checked.clone(), self.stores.clone());
        for block in numbered.blocks() {
            self.checked.clone_from(&checked);
            self.stores.clone_from(&stores);
            if repeats || matches!(numbered.statement, Statement::Switch { .. }) {
                // The block may be entered after any of these stores.
                self.record_stores_in(&numbered);
            }
            self.block(block);
        }
        self.checked = checked;
        self.stores = stores;
        self.record_stores_in(&numbered);
        if effects.has_barrier {
            self.barrier();
        }
        if effects.may_exit {
            self.reads.clear();
        }
    }

    fn barrier(&mut self) {
        self.checked.clear();
        self.reads.clear();
    }

    fn emit(&mut self, expression: Handle<Expression>) {
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
    fn record_store(&mut self, pointer: Handle<Expression>) {
        if let Some(local) = local(self.function, pointer) {
            self.count += 1;
            self.stores.insert(local, self.count);
        }
    }

    /// Records all stores that a statement may perform.
    fn record_stores_in(&mut self, numbered: &NumberedStatement<'_>) {
        for block in walk::children(numbered.statement) {
            walk::statements(block, &mut |_, statement, _| match statement {
                Statement::Store { pointer, .. } => self.record_store(*pointer),
                Statement::Call { arguments, .. } => {
                    arguments.iter().for_each(|argument| self.record_store(*argument));
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
        let covers = |earlier: Action| earlier == Action::Write || earlier == action;
        if self.checked.iter().any(|(at, earlier)| *at == address && covers(*earlier)) {
            self.redundant.insert(site, CheckReplacement::Omitted);
            return;
        }
        match action {
            Action::Read => self.reads.push((address.clone(), site)),
            Action::Write => {
                if let Some(at) = self.reads.iter().position(|(at, _)| *at == address) {
                    let (_, read) = self.reads.remove(at);
                    self.redundant.insert(read, CheckReplacement::Omitted);
                    self.redundant.insert(site, CheckReplacement::With(read));
                }
            }
            Action::Atomic | Action::AtomicInWorkgroup => {}
        }
        self.checked.push((address, action));
    }

    /// Returns the name of a value. Expressions with the same value at this point have the same name.
    fn name(&mut self, expression: Handle<Expression>) -> String {
        if let Some(name) = self.names.get(&expression) {
            return name.clone();
        }
        let name = self.structural_name(expression).filter(|name| name.len() < MAX_NAME_LENGTH);
        // The name of the expression itself is valid until the expression is evaluated again. Everything recorded about it is
        // discarded before that.
        let name = name.unwrap_or_else(|| format!("expression {}", expression.index()));
        self.names.insert(expression, name.clone());
        name
    }

    /// Returns the name of a value that is determined by its operands.
    fn structural_name(&mut self, expression: Handle<Expression>) -> Option<String> {
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
    has_barrier: bool,
    /// Whether control may leave it other than to the next statement.
    may_exit: bool,
}

impl NestedEffects {
    fn of(numbered: NumberedStatement<'_>, with_barriers: &FxHashSet<FunctionId>) -> Self {
        let mut effects = Self::default();
        for block in walk::children(numbered.statement) {
            walk::statements(block, &mut |_: StatementId, statement, _| match statement {
                Statement::ControlBarrier(_) | Statement::WorkGroupUniformLoad { .. } => {
                    effects.has_barrier = true;
                }
                Statement::Call { function, .. } => {
                    effects.has_barrier |= with_barriers.contains(&FunctionId::Helper(*function));
                }
                Statement::Return { .. } | Statement::Kill => effects.may_exit = true,
                // Inside a loop, these only end the iteration or the loop.
                Statement::Break | Statement::Continue => {
                    effects.may_exit |= !matches!(numbered.statement, Statement::Loop { .. });
                }
                _ => {}
            });
        }
        effects
    }
}

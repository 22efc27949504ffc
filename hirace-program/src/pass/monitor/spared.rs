//! Checks that need not be done, as one of the same invocation says as much: of the same address, with no barrier between.
//!
//! Happens-before knows no order within an epoch. Whatever races with one of two like accesses of an invocation in one epoch
//! races with the other, and a write races with all that a read or an atomic does. So
//!
//! - a check is left out after one of the same kind, or of a write, that was done on every way to it;
//! - a read is left out before a write that follows in any case; the check of the write says of a race whether the
//!   read was in it already.
//!
//! The automaton agrees: after a write it is in a state that nothing of the same invocation moves, until there is a
//! barrier, and what others do meanwhile races; after a read, others may read too, and one more read says nothing new.
//!
//! That two addresses are the same is known of expressions that are the same over values that are: arguments, constants,
//! what is computed of these, loads of local variables with no store between. A name stands for such a value.

use crate::ir::access::{Action, Target};
use crate::ir::sites::SiteId;
use crate::ir::walk::{self, FunctionId, Numbered, StatementId, Statements};
use crate::program::Program;
use crate::watch::WatchPlan;
use naga::{Expression, Function, Handle, LocalVariable, Statement};
use rustc_hash::{FxHashMap, FxHashSet};

/// What becomes of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instead {
    /// It is left out.
    Spared,
    /// It is also that of a read before it, at this site.
    With(SiteId),
}

/// The checks of a function that are not done as they stand.
pub type Spared = FxHashMap<SiteId, Instead>;

/// Those of the function `id`, whose text is `function`, of what `watch` watches.
pub fn spared(
    program: &Program,
    watch: &WatchPlan,
    waiting: &FxHashSet<FunctionId>,
    id: FunctionId,
    function: &Function,
) -> Spared {
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
        spared: Spared::default(),
    };
    search.block(program.body(id).numbered(function));
    search.spared
}

/// An address, by the name of the pointer.
type Address = String;

/// The longest name: what takes more to say is compared with nothing.
const LONGEST: usize = 256;

struct Search<'a> {
    program: &'a Program,
    watch: &'a WatchPlan,
    waiting: &'a FxHashSet<FunctionId>,
    id: FunctionId,
    function: &'a Function,
    /// The names of what was computed already.
    names: FxHashMap<Handle<Expression>, String>,
    /// The last store to each local variable, by a number.
    stores: FxHashMap<Handle<LocalVariable>, u32>,
    /// How many stores there were.
    count: u32,
    /// What was checked on every way to here since the last barrier.
    done: Vec<(Address, Action)>,
    /// The reads of this block from which the way leads on to here in any case, since the last barrier: with the
    /// sites that were checked, or spared as the first of them was.
    reads: Vec<(Address, SiteId)>,
    spared: Spared,
}

impl Search<'_> {
    fn block(&mut self, statements: Statements<'_>) {
        let outer = std::mem::take(&mut self.reads);
        for numbered in statements.iter() {
            self.statement(numbered);
        }
        self.reads = outer;
    }

    fn statement(&mut self, numbered: Numbered<'_>) {
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

    /// A statement that holds blocks, of which not all need run, and some perhaps more than once.
    fn branches(&mut self, numbered: Numbered<'_>) {
        let inside = Inside::of(numbered, self.waiting);
        let repeats = matches!(numbered.statement, Statement::Loop { .. });
        if inside.waits && repeats {
            self.barrier();
        }
        let (done, stores) = (self.done.clone(), self.stores.clone());
        for block in numbered.blocks() {
            self.done.clone_from(&done);
            self.stores.clone_from(&stores);
            if repeats || matches!(numbered.statement, Statement::Switch { .. }) {
                // It may be entered after any of them.
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

    /// Something may be stored through `pointer`, or what it is a pointer to.
    fn stored(&mut self, pointer: Handle<Expression>) {
        if let Some(local) = local(self.function, pointer) {
            self.count += 1;
            self.stores.insert(local, self.count);
        }
    }

    /// All that may be stored to in a statement was stored to.
    fn stored_in(&mut self, numbered: &Numbered<'_>) {
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
            self.spared.insert(site, Instead::Spared);
            return;
        }
        match action {
            Action::Read => self.reads.push((address.clone(), site)),
            Action::Write => {
                if let Some(at) = self.reads.iter().position(|(at, _)| *at == address) {
                    let (_, read) = self.reads.remove(at);
                    self.spared.insert(read, Instead::Spared);
                    self.spared.insert(site, Instead::With(read));
                }
            }
            Action::Atomic | Action::AtomicInWorkgroup => {}
        }
        self.done.push((address, action));
    }

    /// The name of the value of `expression`, which others have that are the same here.
    fn name(&mut self, expression: Handle<Expression>) -> String {
        if let Some(name) = self.names.get(&expression) {
            return name.clone();
        }
        let name = self.spelled(expression).filter(|name| name.len() < LONGEST);
        // It is itself, until it is computed once more: and then what was said of it is forgotten.
        let name = name.unwrap_or_else(|| format!("expression {}", expression.index()));
        self.names.insert(expression, name.clone());
        name
    }

    /// That of a value which follows from those that it is made of.
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

/// The local variable that `pointer` points into.
fn local(function: &Function, pointer: Handle<Expression>) -> Option<Handle<LocalVariable>> {
    match *walk::root(function, pointer) {
        Expression::LocalVariable(local) => Some(local),
        _ => None,
    }
}

/// What there is in a statement that holds others.
#[derive(Clone, Copy, Default)]
struct Inside {
    /// A barrier.
    waits: bool,
    /// A way out to elsewhere than the statement after it.
    leaves: bool,
}

impl Inside {
    fn of(numbered: Numbered<'_>, waiting: &FxHashSet<FunctionId>) -> Self {
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
                // Those of a loop lead to where it ends.
                Statement::Break | Statement::Continue => {
                    inside.leaves |= !matches!(numbered.statement, Statement::Loop { .. });
                }
                _ => {}
            });
        }
        inside
    }
}

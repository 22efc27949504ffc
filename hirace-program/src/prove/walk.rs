//! The walk through an entry point and the functions it calls: the value of each variable at each point, the invocations that
//! reach it, and the address of each access.

use super::condition::Condition;
use super::form::Form;
use super::form::SymbolId;
use super::ids::Ids;
use super::instance::{EnclosingLoop, Instance, OpenBounds};
use super::interval::{BarrierId, Interval};
use super::solve::Effort;
use super::state::{Flow, SPACES, State};
use super::symbol::{Level, LoopId, Opaque, Origin, Symbol, Symbols};
use super::system::{Side, System};
use super::value::{Value, Variable};
use super::{Facts, Rule, Rules};
use crate::ir::barrier::Barrier;
use crate::ir::memory::Space;
use crate::ir::possible::PossibleCases;
use crate::ir::sites::SiteId;
use crate::ir::walk::{self, FunctionId, NumberedStatement, StatementId, Statements};
use crate::program::Program;
use naga::{Expression, Function, GlobalVariable, Handle, Statement, SwitchValue};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The limit on walked statements. Each iteration and call counts again.
const MAX_STATEMENTS: u32 = 60_000;
/// The steps of an effort that a walked statement takes if it does not copy the state.
const STATEMENT_STEPS: usize = 16;
/// How often a statement with branches copies the state.
const COPIES: usize = 4;
/// The limit on nested calls.
const MAX_CALLS: usize = 24;

/// A call frame of the walk.
pub(super) struct Frame<'a> {
    /// The number of the call, which distinguishes its local variables.
    pub number: u32,
    /// The identifier of the function.
    pub id: FunctionId,
    /// The function.
    pub function: &'a Function,
    /// The arguments.
    pub arguments: Vec<Value>,
    /// The values of evaluated expressions.
    pub values: FxHashMap<Handle<Expression>, Value>,
    /// The states and values at `return`s.
    pub returns: Vec<(State, Option<Value>)>,
    /// The loads whose indices are checked where their values are chosen.
    pub unchecked: FxHashSet<Handle<Expression>>,
}

/// The states in which the innermost loop or switch, or an iteration of the loop, was left.
#[derive(Default)]
pub(super) struct Jumps {
    /// By `break`.
    pub breaks: Vec<State>,
    /// By `continue`.
    pub continues: Vec<State>,
    /// Whether the statement is a loop.
    pub is_loop: bool,
}

/// The state of the walk. See the [module](self).
pub(super) struct Walk<'a> {
    pub program: &'a Program,
    pub facts: &'a dyn Facts,
    pub symbols: Symbols,
    pub ids: Ids,
    /// Memory that is written.
    pub written: FxHashSet<Handle<GlobalVariable>>,
    /// The reached accesses.
    pub instances: Vec<Instance>,
    /// By the site of a loop: an upper bound on its iterations per entry, or `None` if unknown.
    pub max_iterations: BTreeMap<SiteId, Option<u64>>,
    /// The accesses with indices that were not proved to be in bounds, if they are recorded.
    pub open_bounds: Option<Vec<OpenBounds>>,
    /// The symbols of iteration numbers of loops.
    pub iterations: Vec<SymbolId>,
    /// The values that determine the conditions of all branches so far.
    pub conditions: Origin,
    /// The only sites whose accesses are recorded, if the walk follows a single invocation. Its ids are constants, each access is
    /// taken to be in bounds, and of each loop that is not unrolled only the first two iterations are walked.
    pub followed: Option<Vec<SiteId>>,
    /// Whether what follows may not be reached, or not without more order than is modeled: iterations that were not walked may
    /// return, or invocations of a subgroup waited for each other.
    pub is_cut: bool,
    /// The number of `break` and `continue` statements so far that leave a statement which the walk is in.
    pub leaves: u32,
    /// The number of `return` statements so far in the current function.
    pub returns: u32,
    /// The number of `discard` statements so far.
    pub kills: u32,
    /// The arms and cases that the walk has found to be possible, if they are recorded.
    pub cases: Option<PossibleCases>,
    /// The remaining work limit for proofs.
    pub effort: Effort,
    pub rules: Rules,
    /// Returns whether the walk and the proofs after it must end.
    pub stop: &'a dyn Fn() -> bool,
    /// Whether the walk ended because it was stopped.
    pub was_stopped: bool,
    /// Whether a limit was exceeded, or the walk was stopped. Then the walk has no results.
    pub failed: bool,
    /// Whether a barrier may be in divergent control flow of a workgroup.
    pub is_divergent: bool,
    pub state: State,
    pub frames: Vec<Frame<'a>>,
    pub jumps: Vec<Jumps>,
    /// The enclosing loops that are walked for all iterations at once, outermost first.
    pub loops: Vec<LoopId>,
    /// All enclosing loops, outermost first.
    pub enclosing_loops: Vec<EnclosingLoop>,
    pub statements: u32,
    places: FxHashMap<(u32, StatementId, u32), u32>,
    pub path: u32,
    opaque: u32,
}

/// Returns the memories that an entry point accesses other than by loads.
pub fn written(program: &Program, entry: usize) -> FxHashSet<Handle<GlobalVariable>> {
    let reached = program.calls.reachable([FunctionId::Entry(entry)]);
    let loads = program.sites.loads();
    let accesses = program.sites.accesses();
    let writes = accesses.filter(|(id, site, _)| {
        reached.contains(&site.function) && !loads.contains(&(id.0 as usize))
    });
    writes.map(|(.., access)| access.global).collect()
}

impl<'a> Walk<'a> {
    /// Creates the walk before the first statement of an entry point.
    pub fn new(
        program: &'a Program,
        entry: usize,
        facts: &'a dyn Facts,
        (rules, effort): (Rules, Effort),
    ) -> Self {
        let mut symbols = Symbols::default();
        let size = program.module.entry_points[entry].workgroup_size;
        let max_workgroups = facts.limits().max_workgroups;
        let ids = Ids::new(&mut symbols, size, facts.workgroups(), max_workgroups);
        Self {
            program,
            facts,
            symbols,
            ids,
            written: written(program, entry),
            instances: Vec::new(),
            max_iterations: BTreeMap::new(),
            open_bounds: None,
            iterations: Vec::new(),
            conditions: Origin::Ids,
            followed: None,
            is_cut: false,
            leaves: 0,
            returns: 0,
            kills: 0,
            cases: None,
            effort,
            rules,
            stop: &|| false,
            was_stopped: false,
            failed: false,
            is_divergent: false,
            state: State::start(),
            frames: Vec::new(),
            jumps: Vec::new(),
            loops: Vec::new(),
            enclosing_loops: Vec::new(),
            statements: 0,
            places: FxHashMap::default(),
            path: 0,
            opaque: 0,
        }
    }

    /// Returns to the first statement. Values of the host keep their symbols, and statements keep their numbers.
    pub fn restart(&mut self) {
        self.instances.clear();
        self.max_iterations.clear();
        self.open_bounds.iter_mut().for_each(Vec::clear);
        self.iterations.clear();
        self.conditions = Origin::Ids;
        (self.leaves, self.returns, self.kills) = (0, 0, 0);
        (self.is_divergent, self.is_cut, self.state) = (false, false, State::start());
        self.frames.clear();
        self.jumps.clear();
        self.loops.clear();
        self.enclosing_loops.clear();
        (self.statements, self.path) = (0, 0);
    }

    /// Walks the entry point.
    pub fn run(&mut self, entry: usize) {
        let id = FunctionId::Entry(entry);
        let function = id.get(&self.program.module);
        let arguments = function.arguments.iter();
        let arguments =
            arguments.map(|argument| self.built_in(argument.binding.as_ref(), argument.ty));
        let arguments: Vec<Value> = arguments.collect();
        self.initialize_privates();
        self.call(id, arguments, 0);
    }

    /// Returns a unique number for a statement of the entry point, by its chain of calls and unrolled iteration. The same
    /// arguments always yield the same number.
    pub fn place(&mut self, at: StatementId, iteration: u32) -> u32 {
        let next = self.places.len() as u32 + 1;
        *self.places.entry((self.path, at, iteration)).or_insert(next)
    }

    /// Returns the current call frame.
    pub fn frame(&self) -> &Frame<'a> {
        &self.frames[self.frames.len() - 1]
    }

    /// Returns a new unknown value.
    pub fn opaque(&mut self, level: Level) -> Opaque {
        self.opaque += 1;
        Opaque { level, number: self.opaque }
    }

    /// Returns a new unknown integer in this range.
    pub fn integer(&mut self, level: Level, (low, high): (i64, i64)) -> Form {
        let (loops, facts, origin) = (self.loops.clone(), Vec::new(), Origin::Contents);
        let symbol = Symbol { level, low, high, loops, facts, origin };
        match self.symbols.add(symbol) {
            Some(id) => Form::symbol(id),
            None => {
                self.failed = true;
                Form::default()
            }
        }
    }

    /// Returns whether each invocation for which the facts hold reaches this point, as in [`State::is_exact`].
    pub fn is_exact(&self) -> bool {
        self.state.is_exact && !self.is_cut
    }

    /// Returns whether a form is nonnegative at this point.
    pub fn is_at_least_0(&mut self, form: &Form) -> bool {
        is_at_least_0(&self.symbols, &self.state.facts, &mut self.effort, form)
    }

    fn call(&mut self, id: FunctionId, arguments: Vec<Value>, number: u32) -> Option<Value> {
        if self.frames.len() >= MAX_CALLS {
            self.failed = true;
            return None;
        }
        let program = self.program;
        let function = id.get(&program.module);
        let (values, returns) = (FxHashMap::default(), Vec::new());
        let unchecked = FxHashSet::default();
        self.frames.push(Frame { number, id, function, arguments, values, returns, unchecked });
        let outer_path = std::mem::replace(&mut self.path, number);
        let outer_flow = self.state.flow;
        let (outer_facts, was_exact) = (self.state.facts.clone(), self.state.is_exact);
        let (outer_returns, kills) = (self.returns, self.kills);
        let outer_jumps = std::mem::take(&mut self.jumps);
        // For jumps inside the function, the invocations that reach the call are all that exist.
        self.state.flow = Flow { branch: outer_flow.level(), ..Flow::default() };
        self.initialize_locals();
        self.block(program.body(id).statements_of(function));
        let returns = self.frames.pop().map(|frame| frame.returns).unwrap_or_default();
        self.jumps = outer_jumps;
        self.path = outer_path;
        let value = self.returned(returns);
        self.state.facts = outer_facts;
        // All invocations that call the function return from it, unless some are discarded.
        self.state.is_exact = was_exact && self.kills == kills;
        self.returns = outer_returns;
        self.state.flow = outer_flow;
        self.state
            .variables
            .retain(|variable, _| !matches!(variable, Variable::Local(n, _) if *n == number));
        value
    }

    /// Joins the states at `return`s and returns the joined value.
    fn returned(&mut self, returns: Vec<(State, Option<Value>)>) -> Option<Value> {
        let mut value = None;
        for (state, own) in returns {
            let level = state.flow.level().max(self.state.flow.level());
            value = match (self.state.is_live, value, own) {
                (true, Some(known), Some(own)) => Some(self.join_values(known, own, None, level)),
                (false, _, own) | (true, None, own) => own,
                (true, known, None) => known,
            };
            let so_far = self.state.clone();
            self.state = self.join(so_far, state, None, level);
        }
        value
    }

    /// Walks the statements of a block, as far as any invocation reaches them.
    pub fn block(&mut self, statements: Statements<'a>) {
        for at in statements.iter() {
            self.statements += 1;
            let copied = match at.statement {
                Statement::Emit(_) | Statement::Store { .. } => 0,
                // Branches and jumps copy the state several times.
                _ => self.state.variables.values().map(Value::size).sum(),
            };
            let steps = STATEMENT_STEPS + COPIES * copied;
            if self.statements > MAX_STATEMENTS || !self.effort.spend_steps(steps) {
                self.failed = true;
            }
            if self.statements.is_multiple_of(16) && (self.stop)() {
                (self.was_stopped, self.failed) = (true, true);
            }
            if self.failed || !self.state.is_live {
                return;
            }
            self.statement(at);
        }
    }

    fn statement(&mut self, at: NumberedStatement<'a>) {
        match at.statement {
            Statement::Emit(range) => {
                for expression in range.clone() {
                    self.effort.spend_steps(STATEMENT_STEPS);
                    let value = self.compute(expression);
                    if let Some(site) = self.program.sites.load(self.frame().id, expression) {
                        self.touch_load(expression, site);
                    }
                    self.set(expression, value);
                    self.check_index_without_site(expression);
                    self.check_chosen(expression);
                }
            }
            Statement::Block(_) => {
                self.note_entered((at.id, 0));
                at.blocks().into_iter().for_each(|block| self.block(block));
            }
            Statement::If { condition, .. } => self.branch(at.id, *condition, &at.blocks()),
            Statement::Switch { selector, cases } => {
                let values: Vec<_> =
                    cases.iter().map(|case| (case.value, case.fall_through)).collect();
                self.switch(at.id, *selector, &values, &at.blocks());
            }
            Statement::Loop { break_if, .. } => self.repeat(at.id, &at.blocks(), *break_if),
            Statement::Break => self.leave(true),
            Statement::Continue => self.leave(false),
            Statement::Return { value } => {
                let value = value.map(|value| self.value(value));
                let state = self.state.clone();
                let last = self.frames.len() - 1;
                self.frames[last].returns.push((state, value));
                self.returns += 1;
                self.state.flow.returned = self.state.flow.level();
                self.state.is_live = false;
            }
            Statement::Kill => {
                self.kills += 1;
                self.state.is_live = false;
            }
            Statement::ControlBarrier(flags) => {
                let site = self.program.sites.barrier(self.frame().id, at.id);
                let barrier = site.and_then(|site| self.program.sites.barrier_at(site));
                self.wait(at.id, barrier.unwrap_or((*flags).into()));
            }
            Statement::WorkGroupUniformLoad { pointer, result } => {
                // `workgroupUniformLoad` waits before and after the load, so the load may be in either interval.
                self.touch_at(at.id);
                self.wait(at.id, naga::Barrier::WORK_GROUP.into());
                self.touch_at(at.id);
                let level = Level::Workgroup.max(self.level_of_indices(*pointer));
                let value = self.unknown_of(*result, level);
                self.set(*result, value);
            }
            Statement::Store { pointer, value } => {
                self.touch_at(at.id);
                let value = self.value(*value);
                self.store(*pointer, value);
            }
            Statement::Call { function, arguments, result } => {
                let given = arguments.iter().map(|argument| self.value(*argument)).collect();
                let number = self.place(at.id, 0);
                let value = self.call(FunctionId::Helper(*function), given, number);
                if let Some(result) = *result {
                    let value = value.unwrap_or_else(|| self.unknown_of(result, Level::Invocation));
                    self.set(result, value);
                }
            }
            Statement::Atomic { result: Some(result), .. }
            | Statement::SubgroupBallot { result, .. }
            | Statement::SubgroupGather { result, .. }
            | Statement::SubgroupCollectiveOperation { result, .. } => {
                self.touch_at(at.id);
                let value = self.unknown_of(*result, Level::Invocation);
                self.set(*result, value);
            }
            _ => self.touch_at(at.id),
        }
    }

    /// Sets the value of an expression.
    pub fn set(&mut self, expression: Handle<Expression>, value: Value) {
        let last = self.frames.len() - 1;
        self.frames[last].values.insert(expression, value);
    }

    fn touch_at(&mut self, at: StatementId) {
        if let Some(site) = self.program.sites.statement(self.frame().id, at)
            && self.program.sites.access(site).is_some()
        {
            self.touch(site);
        }
    }

    /// Leaves the innermost loop or switch by `break`, or an iteration of the innermost loop by `continue`.
    fn leave(&mut self, by_break: bool) {
        let level = self.state.flow.level();
        let state = self.state.clone();
        let mut around = self.jumps.iter_mut().rev();
        let left = match by_break {
            true => around.next().map(|jumps| &mut jumps.breaks),
            false => around.find(|jumps| jumps.is_loop).map(|jumps| &mut jumps.continues),
        };
        if let Some(left) = left {
            left.push(state);
        }
        self.leaves += 1;
        let flow = &mut self.state.flow;
        *if by_break { &mut flow.broke } else { &mut flow.continued } = level;
        self.state.is_live = false;
    }

    fn branch(
        &mut self,
        at: StatementId,
        condition: Handle<Expression>,
        blocks: &[Statements<'a>],
    ) {
        let &[accept, reject] = blocks else { return };
        let condition = self.condition(condition);
        let condition = self.decide(condition);
        if condition != Condition::Known(false) {
            self.note_entered((at, 0));
        }
        if condition != Condition::Known(true) {
            self.note_entered((at, 1));
        }
        match condition {
            Condition::Known(true) => return self.block(accept),
            Condition::Known(false) => return self.block(reject),
            _ if !self.rules.keep(Rule::Ways) => return self.block(accept),
            _ => {}
        }
        self.conditions = self.conditions.max(condition.origin(&self.symbols));
        let level = condition.level(&self.symbols);
        let outer = self.state.flow.branch;
        self.state.flow.branch = outer.max(level);
        let (before, jumps) = (self.state.clone(), self.jumps_so_far());
        self.learn(&condition);
        self.block(accept);
        let was_exact = before.is_exact;
        let accepted = std::mem::replace(&mut self.state, before);
        self.learn(&condition.negate());
        self.block(reject);
        let rejected = self.state.clone();
        let are_live = accepted.is_live && rejected.is_live;
        self.state = self.join(accepted, rejected, Some(&condition), level);
        if are_live {
            self.state.is_exact = was_exact && self.jumps_so_far() == jumps;
        }
        self.state.flow.branch = outer;
    }

    /// Adds what is known where a condition holds.
    pub fn learn(&mut self, condition: &Condition) {
        self.state.is_exact &= condition.equals_its_facts(&self.symbols);
        self.state.learn(condition.facts(&self.symbols));
    }

    /// Returns the numbers of jumps so far, which change if some invocations may not reach the end of a statement.
    pub fn jumps_so_far(&self) -> [u32; 3] {
        [self.leaves, self.returns, self.kills]
    }

    fn switch(
        &mut self,
        at: StatementId,
        selector: Handle<Expression>,
        cases: &[(SwitchValue, bool)],
        blocks: &[Statements<'a>],
    ) {
        let selector = self.value(selector);
        let origin = selector.as_int().map_or(Origin::Contents, |form| self.symbols.origin(form));
        self.conditions = self.conditions.max(origin);
        let level = selector.level(&self.symbols);
        let outer = self.state.flow;
        self.state.flow.branch = outer.branch.max(outer.broke).max(level);
        self.state.flow.broke = Level::Dispatch;
        let level = self.state.flow.branch;
        let (before, jumps) = (self.state.clone(), self.jumps_so_far());
        self.jumps.push(Jumps::default());
        let mut fallen: Option<State> = None;
        let mut ends = Vec::new();
        for (index, (&(value, falls_through), block)) in cases.iter().zip(blocks).enumerate() {
            self.state = before.clone();
            let values = cases.iter().map(|(value, _)| *value);
            self.state.is_live = !self.excludes_case(selector.as_int(), value, values);
            self.state.is_exact = false;
            self.learn_case(&selector, value);
            if let Some(fallen) = fallen.take() {
                let entered = self.state.clone();
                self.state = self.join(entered, fallen, None, level);
            }
            self.note_entered((at, index));
            self.block(*block);
            match falls_through {
                true => fallen = Some(self.state.clone()),
                false => ends.push(self.state.clone()),
            }
        }
        ends.extend(self.jumps.pop().unwrap_or_default().breaks);
        let was_exact = before.is_exact;
        self.meet(before, ends, level);
        self.state.is_exact = was_exact && self.jumps_so_far() == jumps;
        self.state.flow.branch = outer.branch;
        self.state.flow.broke = outer.broke;
    }

    fn learn_case(&mut self, selector: &Value, value: SwitchValue) {
        let value = match value {
            SwitchValue::I32(value) => i64::from(value),
            SwitchValue::U32(value) => i64::from(value),
            SwitchValue::Default => return,
        };
        if let Some(form) = selector.as_int().and_then(|form| form.checked_add_constant(-value)) {
            let condition = Condition::is_0(form, &self.symbols);
            self.state.learn(condition.facts(&self.symbols));
        }
    }

    /// Joins these end states. If none is live, the state is not live.
    pub fn meet(&mut self, before: State, ends: Vec<State>, level: Level) {
        self.state = State { is_live: false, ..before };
        for end in ends {
            let level = level.max(end.flow.level()).max(self.state.flow.level());
            let so_far = self.state.clone();
            self.state = self.join(so_far, end, None, level);
        }
    }

    /// Models a barrier, at which all live invocations of the workgroup wait.
    fn wait(&mut self, at: StatementId, barrier: Barrier) {
        if barrier.is_subgroup_barrier() {
            self.is_cut = true;
            return;
        }
        let some_come = self.state.flow.level() == Level::Invocation;
        self.is_divergent |= some_come && self.rules.keep(Rule::Divergence);
        let id = BarrierId(self.place(at, 0));
        for (space, interval) in SPACES.into_iter().zip(&mut self.state.intervals) {
            let flag = match space {
                Space::Storage => naga::Barrier::STORAGE,
                Space::Workgroup => naga::Barrier::WORK_GROUP,
                Space::Texture => naga::Barrier::TEXTURE,
            };
            if barrier.in_workgroup.contains(flag) || !self.rules.keep(Rule::Classes) {
                *interval = Interval::after(id, &self.loops);
            }
        }
    }

    /// Joins the states of two paths. The first is taken where the condition holds, if it is known; `level` is the level at which
    /// invocations agree on the path.
    pub fn join(
        &mut self,
        a: State,
        b: State,
        condition: Option<&Condition>,
        level: Level,
    ) -> State {
        if !a.is_live || !b.is_live {
            let (mut kept, other) = if a.is_live { (a, b) } else { (b, a) };
            kept.flow = kept.flow.with_jumps_of(other.flow);
            return kept;
        }
        let mut joined = State { variables: BTreeMap::new(), ..a.clone() };
        joined.flow = a.flow.with_jumps_of(b.flow);
        joined.is_exact = false;
        joined.retain_common_facts(&b);
        for (own, other) in joined.intervals.iter_mut().zip(&b.intervals) {
            self.failed |= !own.join(other);
        }
        let mut others = b.variables;
        for (variable, value) in a.variables {
            if let Some(other) = others.remove(&variable) {
                let value = self.join_values(value, other, condition, level);
                joined.variables.insert(variable, value);
            }
        }
        joined
    }

    /// Joins two values, as in [`Walk::join`].
    pub fn join_values(
        &mut self,
        a: Value,
        b: Value,
        condition: Option<&Condition>,
        level: Level,
    ) -> Value {
        if a.is_same(&b) || !self.rules.keep(Rule::Branches) {
            return a;
        }
        let level = level.max(a.level(&self.symbols)).max(b.level(&self.symbols));
        match (a, b) {
            (Value::Parts(a), Value::Parts(b)) if a.len() == b.len() => {
                let parts = a.into_iter().zip(b);
                Value::Parts(parts.map(|(a, b)| self.join_values(a, b, condition, level)).collect())
            }
            (Value::Bool(a), Value::Bool(b)) => Value::Bool(match condition {
                Some(condition) => condition.clone().choose(a, b),
                None => Condition::Unknown(self.opaque(level)),
            }),
            (Value::Int(a), Value::Int(b)) => {
                let (a, b) = (self.symbols.range(&a), self.symbols.range(&b));
                Value::Int(self.integer(level, (a.0.min(b.0), a.1.max(b.1))))
            }
            _ => Value::Other(self.opaque(level)),
        }
    }

    /// Returns the variable that a pointer points into, if it is a local or private one.
    pub fn variable(&self, pointer: Handle<Expression>) -> Option<Variable> {
        let frame = self.frame();
        match *walk::root(frame.function, pointer) {
            Expression::LocalVariable(local) => Some(Variable::Local(frame.number, local)),
            Expression::GlobalVariable(global) => {
                let space = self.program.module.global_variables[global].space;
                (space == naga::AddressSpace::Private).then_some(Variable::Private(global))
            }
            Expression::FunctionArgument(index) => match frame.arguments.get(index as usize) {
                Some(Value::Pointer(variable, _)) => Some(*variable),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Returns whether a form is nonnegative under these facts.
pub(super) fn is_at_least_0(
    symbols: &Symbols,
    facts: &[Form],
    effort: &mut Effort,
    form: &Form,
) -> bool {
    let (low, high) = symbols.range(form);
    if low >= 0 || high < 0 {
        return low >= 0;
    }
    let mut system = System::new(symbols, |_| false);
    system.demand(-1, &[(Side::First, form, -1)]);
    system.has_no_solution(&[(Side::First, facts)], effort)
}
